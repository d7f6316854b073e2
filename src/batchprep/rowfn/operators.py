"""Arithmetic over pairs of kinds: each with its checks, in the operand's own kind."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final

from batchprep.dtypes import INT64_MIN, NUMERIC, Kind
from batchprep.plan.build import both, build, either, invert
from batchprep.plan.node import FALSE, TRUE, Node, const
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.sums import SumBuilder, settled
from batchprep.rowfn.time_operators import has_time_pair, is_defined, time_pair

Unary = ast.USub | ast.UAdd | ast.Invert
Pair = Callable[[Frame, SumBuilder, Node, Node, Node, ast.AST], None]

SYMBOL: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
FUNCTION: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
ZERO, ONE, FZERO = const(0), const(1), const(0.0)
EXACT_IN_FLOAT: Final = 2**53


def as_int(kind: Kind, node: Node) -> Node:
    """A bool or an int as an int."""
    return build("b2i", node) if kind == "bool" else node


def as_float(kind: Kind, node: Node) -> Node:
    """A number as a float, rounded as Python rounds an int."""
    return node if kind == "float" else build("i2f", as_int(kind, node))


def pairs(left: Sum, right: Sum) -> Iterator[tuple[Kind, Node, Kind, Node, Node]]:
    """(kind, payload, kind, payload, guard) of each pair of numbers."""
    for a in left:
        for b in right:
            if a.kind in NUMERIC and b.kind in NUMERIC:
                assert isinstance(a.payload, Node)  # noqa: S101
                assert isinstance(b.payload, Node)  # noqa: S101
                yield a.kind, a.payload, b.kind, b.payload, both(a.guard, b.guard)


def binary(frame: Frame, symbol: str, left: Sum, right: Sum, node: ast.AST) -> Sum:
    """left <symbol> right, for every pair of kinds."""
    result = SumBuilder()
    compiled = False
    path = frame.state.path
    for kind, x, other, y, guard in pairs(left, right):
        frame.state.path = both(path, guard)
        if frame.state.path is not FALSE:
            compiled = (
                _number_pair(frame, symbol, result, (kind, x, other, y, guard), node) or compiled
            )
    for pair, guard in _time_pairs(left, right):
        frame.state.path = both(path, guard)
        if frame.state.path is not FALSE:
            compiled = time_pair(frame, symbol, result, pair, guard, node) or compiled
    frame.state.path = path
    if compiled:
        _put_texts(result, symbol, left, right)
    _other_pairs(frame, symbol, left, right, node, compiled=compiled)
    return settled(result.build())


def _number_pair(
    frame: Frame,
    symbol: str,
    result: SumBuilder,
    pair: tuple[Kind, Node, Kind, Node, Node],
    node: ast.AST,
) -> bool:
    kind, x, other, y, guard = pair
    if symbol in _BITS and kind == other == "bool":
        result.put("bool", guard, build(_BITS[symbol][0], x, y))
    elif "float" in (kind, other):
        handler = _FLOAT.get(symbol)
        if handler is None:
            frame.fault(TRUE, "TypeError", f"{symbol} of {kind} and {other}", node)
        else:
            handler(frame, result, guard, as_float(kind, x), as_float(other, y), node)
    else:
        _INT[symbol](frame, result, guard, as_int(kind, x), as_int(other, y), node)
    return True


def _time_pairs(left: Sum, right: Sum) -> Iterator[tuple[tuple[Alternative, Alternative], Node]]:
    """Pairs with a date or time, and the rows that have them."""
    for a in left:
        for b in right:
            if has_time_pair(a.kind, b.kind):
                yield (a, b), both(a.guard, b.guard)


def _put_texts(result: SumBuilder, symbol: str, left: Sum, right: Sum) -> None:
    """Rows that the interpreter answers with a text: its kind belongs to the result."""
    for a in left:
        for b in right:
            if _makes_text(symbol, a.kind, b.kind):
                result.put("str", both(a.guard, b.guard), const(""))


def _makes_text(symbol: str, left: Kind, right: Kind) -> bool:
    if symbol == "%":
        return left == "str"
    if symbol == "+":
        return left == right == "str"
    repeats = {left, right} <= {"str", "int", "bool"} and left != right
    return symbol == "*" and repeats and "str" in (left, right)


def _other_pairs(
    frame: Frame, symbol: str, left: Sum, right: Sum, node: ast.AST, *, compiled: bool
) -> None:
    """Pairs that are not two numbers: a TypeError, or allowed by Python but not compiled."""
    wrong, open_pairs = FALSE, FALSE
    for a in left:
        for b in right:
            if a.kind in NUMERIC and b.kind in NUMERIC:
                continue
            if is_defined(symbol, a.kind, b.kind):
                continue
            guard = both(a.guard, b.guard)
            if _is_type_error(symbol, a.kind, b.kind):
                wrong = either(wrong, guard)
            else:
                open_pairs = either(open_pairs, guard)
    kinds = f"{' or '.join(left.kinds)} and {' or '.join(right.kinds)}"
    if open_pairs is not FALSE:
        if not compiled:
            frame.unsupported(node, f"{symbol} of {kinds} cannot be compiled")
        frame.escape(open_pairs, f"{symbol} of {kinds}", node)
    frame.fault(wrong, "TypeError", f"{symbol} of {kinds}", node)


def _is_type_error(symbol: str, left: Kind, right: Kind) -> bool:
    if "other" in (left, right):
        return False
    if symbol == "%" and left == "str":
        return False
    if "none" in (left, right) or has_time_pair(left, right):
        return True
    plain = NUMERIC | {"str"}
    if left in plain and right in plain:
        texts = (left, right).count("str")
        repeats = symbol == "*" and texts == 1 and "float" not in (left, right)
        return not (repeats or (symbol == "+" and texts == 2))
    return False


# ---- ints


def _checked(op: str) -> Pair:
    def handler(
        frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
    ) -> None:
        frame.escape(build(f"{op}_overflows", x, y), "int beyond 64 bits", node)
        result.put("int", guard, build(op, x, y))

    return handler


def _int_divide(
    frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
) -> None:
    frame.fault(build("ieq", y, ZERO), "ZeroDivisionError", "division by zero", node)
    # Python rounds the quotient once; two casts and a division round up to three times.
    for operand in (x, y):
        frame.escape(beyond_float(operand), "int beyond 2**53 in a division", node)
    result.put("float", guard, build("fdiv", build("i2f", x), build("i2f", y)))


def beyond_float(x: Node) -> Node:
    """Whether an int may not be exact as a float."""
    limit = const(EXACT_IN_FLOAT)
    return either(build("igt", x, limit), build("ilt", x, const(-EXACT_IN_FLOAT)))


def _int_floor(op: str) -> Pair:
    def handler(
        frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
    ) -> None:
        reason = "integer division or modulo by zero"
        frame.fault(build("ieq", y, ZERO), "ZeroDivisionError", reason, node)
        if op == "ifloordiv":
            lowest = both(build("ieq", x, const(INT64_MIN)), build("ieq", y, const(-1)))
            frame.escape(lowest, "int beyond 64 bits", node)
        result.put("int", guard, build(op, x, y))

    return handler


def _int_power(
    frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
) -> None:
    negative = build("ilt", y, ZERO)
    path = frame.state.path
    if negative is not FALSE:
        frame.state.path = both(path, negative)
        reason = "0 cannot be raised to a negative power"
        frame.fault(build("ieq", x, ZERO), "ZeroDivisionError", reason, node)
        as_floats = build("fpow", build("i2f", x), build("i2f", y))
        result.put("float", both(guard, negative), as_floats)
    whole = invert(negative)
    frame.state.path = both(path, whole)
    if whole is not FALSE:
        result.put("int", both(guard, whole), _whole_power(frame, x, y, node))
    frame.state.path = path


def _whole_power(frame: Frame, x: Node, y: Node, node: ast.AST) -> Node:
    if y.op == "const" and y.attr in (0, 1):
        return ONE if y.attr == 0 else x
    if y.op == "const" and y.attr == 2:
        frame.escape(build("imul_overflows", x, x), "int beyond 64 bits", node)
        return build("imul", x, x)
    frame.escape(build("ipow_overflows", x, y), "int beyond 64 bits", node)
    return build("ipow", x, y)


def _shift(op: str) -> Pair:
    def handler(
        frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
    ) -> None:
        frame.fault(build("ilt", y, ZERO), "ValueError", "negative shift count", node)
        if op == "ishl":
            frame.escape(build("ishl_overflows", x, y), "int beyond 64 bits", node)
        result.put("int", guard, build(op, x, y))

    return handler


def _bits(op: str) -> Pair:
    def handler(
        frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
    ) -> None:
        del frame, node  # cannot fail
        result.put("int", guard, build(op, x, y))

    return handler


_BITS: Final = {"&": ("and", "iand"), "|": ("or", "ior"), "^": ("xor", "ixor")}

_INT: Final[dict[str, Pair]] = {
    "+": _checked("iadd"),
    "-": _checked("isub"),
    "*": _checked("imul"),
    "/": _int_divide,
    "//": _int_floor("ifloordiv"),
    "%": _int_floor("imod"),
    "**": _int_power,
    "<<": _shift("ishl"),
    ">>": _shift("ishr"),
    **{symbol: _bits(ops[1]) for symbol, ops in _BITS.items()},
}


# ---- floats


def _plain(op: str) -> Pair:
    def handler(
        frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
    ) -> None:
        del frame, node  # IEEE: never an exception
        result.put("float", guard, build(op, x, y))

    return handler


def _float_divide(op: str, reason: str) -> Pair:
    def handler(
        frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
    ) -> None:
        frame.fault(build("feq", y, FZERO), "ZeroDivisionError", reason, node)
        result.put("float", guard, build(op, x, y))

    return handler


def _float_power(
    frame: Frame, result: SumBuilder, guard: Node, x: Node, y: Node, node: ast.AST
) -> None:
    zero_base = both(build("feq", x, FZERO), build("flt", y, FZERO))
    reason = "0.0 cannot be raised to a negative power"
    frame.fault(zero_base, "ZeroDivisionError", reason, node)
    broken = both(build("flt", x, FZERO), build("fne", build("floor", y), y))
    finite = both(build("fisfinite", x), build("fisfinite", y))
    frame.escape(both(broken, finite), "a power that is complex", node)
    # Of the size, since (-infinity) ** 0.5 is infinity.
    power = build("sqrt", build("fabs", x)) if _is_fast_root(frame, y) else build("fpow", x, y)
    if not _is_root(y):
        too_large = both(build("fisinf", power), finite)
        frame.fault(too_large, "OverflowError", "float power out of range", node)
    result.put("float", guard, power)


def _is_root(exponent: Node) -> bool:
    # |x| ** y with 0 <= y <= 1 lies between 1 and |x|: it cannot overflow.
    value = exponent.attr if exponent.op == "const" else None
    return isinstance(value, float) and 0.0 <= value <= 1.0


def _is_fast_root(frame: Frame, exponent: Node) -> bool:
    return frame.tracer.math == "fast" and exponent.op == "const" and exponent.attr == 0.5


_FLOAT: Final[dict[str, Pair]] = {
    "+": _plain("fadd"),
    "-": _plain("fsub"),
    "*": _plain("fmul"),
    "/": _float_divide("fdiv", "float division by zero"),
    "//": _float_divide("ffloordiv", "float floor division by zero"),
    "%": _float_divide("fmod", "float modulo"),
    "**": _float_power,
}


# ---- unary

# Kinds without a sign, but for timedelta, which has no inverse.
_REFUSED: Final[frozenset[Kind]] = frozenset(
    {"none", "str", "float", "date", "datetime", "timedelta", "list", "tuple", "struct"}
)


def unary(frame: Frame, op: Unary, operand: Sum, node: ast.AST) -> Sum:
    """-x, +x or ~x."""
    result, wrong, open_kinds = SumBuilder(), FALSE, FALSE
    is_inverse = isinstance(op, ast.Invert)
    for a in operand:
        if a.kind in ("bool", "int") and isinstance(a.payload, Node):
            x = as_int(a.kind, a.payload)
            result.put("int", a.guard, _int_unary(frame, op, x, a.guard, node))
        elif a.kind == "float" and isinstance(a.payload, Node) and not is_inverse:
            negated = isinstance(op, ast.USub)
            result.put("float", a.guard, build("fneg", a.payload) if negated else a.payload)
        elif a.kind == "timedelta" and isinstance(a.payload, Node) and not is_inverse:
            span = build("ineg", a.payload) if isinstance(op, ast.USub) else a.payload
            result.put("timedelta", a.guard, span)
        elif a.kind in _REFUSED:
            wrong = either(wrong, a.guard)
        else:
            open_kinds = either(open_kinds, a.guard)
    name = "-" if isinstance(op, ast.USub) else "~" if isinstance(op, ast.Invert) else "+"
    kinds = " or ".join(operand.kinds)
    if open_kinds is not FALSE:
        if not result.build().alternatives:
            frame.unsupported(node, f"{name} of {kinds} cannot be compiled")
        frame.escape(open_kinds, f"{name} of {kinds}", node)
    frame.fault(wrong, "TypeError", f"{name} of {kinds}", node)
    return settled(result.build())


def _int_unary(frame: Frame, op: Unary, x: Node, guard: Node, node: ast.AST) -> Node:
    if isinstance(op, ast.UAdd):
        return x
    if isinstance(op, ast.Invert):
        return build("inot", x)
    lowest = build("ieq", x, const(INT64_MIN))
    frame.escape(both(guard, lowest), "int beyond 64 bits", node)
    return build("ineg", x)
