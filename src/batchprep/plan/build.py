"""Builds nodes, folded: what can be known without a row is never computed per row."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from batchprep.dtypes import INT64_MAX, INT64_MIN, KIND_CODE, Kind
from batchprep.ops import OPS
from batchprep.plan.boolean import conjunction, disjunction, negation
from batchprep.plan.node import FALSE, TRUE, Node, const, intern, kind_const

Rule = Callable[..., Node | None]

# The largest float whose exp is finite.
LARGEST_EXPONENT: Final = 709.782712893384
_ZERO, _INFINITY, _NAN = const(0.0), const(math.inf), const(math.nan)
_KEEP_NAN: Final = frozenset({"exp", "fabs", "fneg"})  # nan of nan, and of nothing else
_PYTHON: Final = {"b": bool, "i": int, "f": float}


def build(op: str, *args: Node) -> Node:
    """The op applied to the arguments, folded where a rule or constant arguments allow it."""
    for rule in _RULES.get(op, ()):
        replacement = rule(*args)
        if replacement is not None:
            return replacement
    row = OPS[op]
    if args and all(_is_number(arg) for arg in args):
        return const(_PYTHON[row.result](row.meaning(*(arg.attr for arg in args))))
    return intern(op, args, None, args[-1].dtype if row.result == "?" else row.result)  # pyright: ignore[reportArgumentType]


def both(left: Node, right: Node) -> Node:
    """Logical and."""
    return conjunction(left, right)


def either(left: Node, right: Node) -> Node:
    """Logical or."""
    return disjunction(left, right)


def invert(node: Node) -> Node:
    """Logical not."""
    return negation(node)


def select(condition: Node, yes: Node, no: Node) -> Node:
    """`yes` where the condition holds, else `no`."""
    return build("select", condition, yes, no)


def has_kind(code: Node, kind: Kind) -> Node:
    """Whether a kind code is that of `kind`."""
    if code.op == "const":
        return const(code.attr == KIND_CODE[kind])
    if code.op == "select":
        condition, yes, no = code.args
        if yes.op == "const" or no.op == "const":
            return select(condition, has_kind(yes, kind), has_kind(no, kind))
    return intern("has_kind", (code,), kind, "b")


def kind_code(guards: tuple[tuple[Kind, Node], ...]) -> Node:
    """The code of the kind whose guard holds; the last one's where none does."""
    code = kind_const(guards[-1][0])
    for kind, guard in reversed(guards[:-1]):
        code = select(guard, kind_const(kind), code)
    return code


def rebuild(node: Node, args: tuple[Node, ...]) -> Node:
    """The node with other arguments, folded again."""
    special: dict[str, Callable[..., Node]] = {"and": both, "or": either, "not": invert}
    if node.op in special:
        return special[node.op](*args)
    if node.op == "has_kind":
        return has_kind(args[0], node.attr)  # pyright: ignore[reportArgumentType]
    if node.op in OPS:
        return build(node.op, *args)
    return intern(node.op, args, node.attr, node.dtype)


def _is_number(node: Node) -> bool:
    return node.op == "const" and node.dtype in _PYTHON


def _select_constant(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(True, a, b) -> a; select(c, a, a) -> a
    if condition is TRUE or yes is no:
        return yes
    return no if condition is FALSE else None


def _select_boolean(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(c, True, b) -> c or b, and its relatives
    if yes.dtype != "b":
        return None
    if yes is TRUE or yes is condition:
        return either(condition, no)
    if yes is FALSE:
        return both(invert(condition), no)
    if no is TRUE:
        return either(invert(condition), yes)
    return both(condition, yes) if no is FALSE or no is condition else None


def _select_negated(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(not c, a, b) -> select(c, b, a)
    return select(condition.args[0], no, yes) if condition.op == "not" else None


def _select_nested(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(c, select(c, a, b), d) -> select(c, a, d)
    if yes.op == "select" and yes.args[0] is condition:
        return select(condition, yes.args[1], no)
    if no.op == "select" and no.args[0] is condition:
        return select(condition, yes, no.args[2])
    return None


def _select_quotient(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(y == 0.0, x * copysign(inf, y), x / y) -> x / y: the IEEE quotient by zero
    if no.op != "fdiv" or condition is not build("feq", no.args[1], _ZERO):
        return None
    by_zero = build("fmul", no.args[0], build("fcopysign", _INFINITY, no.args[1]))
    return no if yes is by_zero else None


def _select_root(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(x >= 0.0, sqrt(x), nan) -> sqrt(x)
    if yes.op != "sqrt" or no is not _NAN:
        return None
    return yes if condition is build("fge", yes.args[0], _ZERO) else None


def _select_exponential(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(x > the largest exponent, inf, exp(x)) -> exp(x)
    if no.op != "exp" or yes is not _INFINITY:
        return None
    return no if condition is build("fgt", no.args[0], const(LARGEST_EXPONENT)) else None


def _select_floor(condition: Node, yes: Node, no: Node) -> Node | None:
    # select(isinf(x), x, x // 1.0) -> floor(x)
    if no.op != "ffloordiv" or no.args[1] is not const(1.0) or no.args[0] is not yes:
        return None
    return build("floor", yes) if condition is build("fisinf", yes) else None


def _beyond_bound(bound: int) -> Rule:
    # x > INT64_MAX -> False, x < INT64_MIN -> False
    limit = const(bound)
    return lambda _left, right: FALSE if right is limit else None


def _nan_of_operand(node: Node) -> Node | None:
    # isnan(exp(x)) -> isnan(x), isnan(float of an int) -> False
    if node.op == "i2f":
        return FALSE
    return build("fisnan", node.args[0]) if node.op in _KEEP_NAN else None


def _same(result: Node) -> Rule:
    # x == x -> True for dtypes without NaN
    return lambda left, right: result if left is right else None


def _string_constants(*, equal: bool) -> Rule:
    def rule(left: Node, right: Node) -> Node | None:
        if left.op == right.op == "const":
            return const((left.attr == right.attr) == equal)
        return None

    return rule


def _neutral(value: Any, *, right_only: bool = False) -> Rule:
    # x + 0 -> x, x * 1 -> x (floats: only where bits stay the same)
    unit = const(value)

    def rule(left: Node, right: Node) -> Node | None:
        if right is unit:
            return left
        return right if left is unit and not right_only else None

    return rule


def _bool_as_int(*, equal: bool) -> Rule:
    # b2i(x) != 0 -> x
    def rule(left: Node, right: Node) -> Node | None:
        if left.op == "b2i" and right.op == "const" and right.attr in (0, 1):
            truth = left.args[0]
            return truth if (right.attr == 1) == equal else invert(truth)
        return None

    return rule


_RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "and": (both,),
    "or": (either,),
    "not": (invert,),
    "select": (
        _select_constant,
        _select_negated,
        _select_boolean,
        _select_nested,
        _select_quotient,
        _select_root,
        _select_exponential,
        _select_floor,
    ),
    "fisnan": (_nan_of_operand,),
    "seq": (_same(TRUE), _string_constants(equal=True)),
    "sne": (_same(FALSE), _string_constants(equal=False)),
    "ieq": (_same(TRUE), _bool_as_int(equal=True)),
    "ine": (_same(FALSE), _bool_as_int(equal=False)),
    "ile": (_same(TRUE),),
    "ige": (_same(TRUE),),
    "ilt": (_same(FALSE), _beyond_bound(INT64_MIN)),
    "igt": (_same(FALSE), _beyond_bound(INT64_MAX)),
    "iadd": (_neutral(0),),
    "isub": (_neutral(0, right_only=True),),
    "imul": (_neutral(1),),
    "fmul": (_neutral(1.0),),
    "fdiv": (_neutral(1.0, right_only=True),),
}
