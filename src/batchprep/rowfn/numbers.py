"""Builtins and math functions over kinds."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, Final

from batchprep.dtypes import INT64_MIN, NUMERIC, Kind
from batchprep.plan.build import both, build, either, invert, select
from batchprep.plan.node import FALSE, TRUE, Node, const
from batchprep.plan.values import Sum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.operators import FZERO, ZERO, as_float, as_int
from batchprep.rowfn.sums import SumBuilder, boolean, settled, single

Handler = Callable[[Frame, list[Sum], ast.AST], Sum]

# Kinds that a math function or a cast refuses with TypeError; of the others
# (__float__, __index__, text as a number) the interpreter decides.
REFUSED: Final[frozenset[Kind]] = frozenset(
    {"none", "list", "tuple", "struct", "date", "datetime", "timedelta"}
)


def floats(
    frame: Frame, name: str, operand: Sum, node: ast.AST, *, refuse_text: bool = True
) -> tuple[Node, Node]:
    """(the number as a float, rows that have one): other kinds deviate."""
    result, guard, wrong, unknown = None, FALSE, FALSE, FALSE
    for a in operand:
        if a.kind in NUMERIC and isinstance(a.payload, Node):
            number = as_float(a.kind, a.payload)
            result = number if result is None else select(a.guard, number, result)
            guard = either(guard, a.guard)
        elif a.kind in REFUSED or (refuse_text and a.kind == "str"):
            wrong = either(wrong, a.guard)
        else:
            unknown = either(unknown, a.guard)
    refuse(frame, name, operand, (wrong, unknown), node, compiled=result is not None)
    return (FZERO if result is None else result), guard


def refuse(
    frame: Frame,
    name: str,
    operand: Sum,
    guards: tuple[Node, Node],
    node: ast.AST,
    *,
    compiled: bool,
) -> None:
    """Faults and escapes for operands of kinds that are not numbers."""
    wrong, unknown = guards
    reason = f"{name} of {' or '.join(operand.kinds)}"
    if unknown is not FALSE and not compiled:
        frame.unsupported(node, f"{reason} cannot be compiled")
    frame.escape(unknown, reason, node)
    frame.fault(wrong, "TypeError", reason, node)


def math_function(op: str, *, overflow: bool = False) -> Handler:
    """A math function: NaN from a number is a domain error, infinity a range or domain error."""
    error = "OverflowError" if overflow else "ValueError"

    def handler(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        name = f"math.{op.removesuffix('_c')}"
        numbers = [floats(frame, name, argument, node) for argument in arguments]
        guard = _all(numbers)
        result = build(op, *(number for number, _ in numbers))
        finite = _every("fisfinite", numbers)
        known = invert(_some("fisnan", numbers))
        domain = both(guard, both(build("fisnan", result), known))
        frame.fault(domain, "ValueError", f"{name} domain error", node)
        frame.fault(
            both(guard, both(build("fisinf", result), finite)), error, f"{name} range error", node
        )
        return single("float", result)

    return handler


def guarded(op: str, relation: str, limit: float) -> Handler:
    """A math function with one bound of its domain: a test that path facts can remove."""

    def handler(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        number, guard = floats(frame, f"math.{op}", arguments[0], node)
        outside = both(guard, build(relation, number, const(limit)))
        frame.fault(outside, "ValueError", f"math.{op} domain error", node)
        return single("float", build(op, number))

    return handler


def total(op: str) -> Handler:
    """A math function that never fails."""

    def handler(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        numbers = [floats(frame, f"math.{op}", argument, node)[0] for argument in arguments]
        return single("float", build(op, *numbers))

    return handler


def predicate(op: str) -> Handler:
    """math.isnan and its like."""

    def handler(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        return boolean(build(op, floats(frame, f"math.{op}", arguments[0], node)[0]))

    return handler


def scaled(factor: float) -> Handler:
    """math.degrees and math.radians: one product, as in CPython."""

    def handler(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        number, _ = floats(frame, "math.degrees or math.radians", arguments[0], node)
        return single("float", build("fmul", number, const(factor)))

    return handler


def logarithm(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """math.log with one or two arguments."""
    log = guarded("log", "fle", 0.0)
    results = [log(frame, [argument], node).alternatives[0].payload for argument in arguments]
    if len(results) == 1:
        return single("float", results[0])
    numerator, denominator = results
    assert isinstance(numerator, Node)  # noqa: S101
    assert isinstance(denominator, Node)  # noqa: S101
    frame.fault(build("feq", denominator, FZERO), "ZeroDivisionError", "logarithm to base 1", node)
    return single("float", build("fdiv", numerator, denominator))


def whole(op: str) -> Handler:
    """math.floor, ceil, trunc and int(): a float to an int, an int to itself."""

    def handler(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        return to_int(frame, f"math.{op}", arguments[0], op, node)

    return handler


def to_int(frame: Frame, name: str, operand: Sum, rounding: str, node: ast.AST) -> Sum:
    """The number rounded to an int; nan, inf and ints beyond 64 bits deviate."""
    result, wrong, unknown = SumBuilder(), FALSE, FALSE
    for a in operand:
        if a.kind in ("bool", "int") and isinstance(a.payload, Node):
            result.put("int", a.guard, as_int(a.kind, a.payload))
        elif a.kind == "float" and isinstance(a.payload, Node):
            result.put("int", a.guard, _float_to_int(frame, a.guard, a.payload, rounding, node))
        elif a.kind in REFUSED or (a.kind == "str" and name != "int"):
            wrong = either(wrong, a.guard)
        else:
            unknown = either(unknown, a.guard)
    found = result.build()
    refuse(frame, name, operand, (wrong, unknown), node, compiled=bool(found.alternatives))
    return settled(found)


def _float_to_int(frame: Frame, guard: Node, x: Node, rounding: str, node: ast.AST) -> Node:
    frame.fault(both(guard, build("fisnan", x)), "ValueError", "int of nan", node)
    frame.fault(both(guard, build("fisinf", x)), "OverflowError", "int of infinity", node)
    rounded = build(rounding, x)
    frame.escape(both(guard, invert(build("f_fits_i", rounded))), "int beyond 64 bits", node)
    return build("f2i", rounded)


def isclose(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """math.isclose with its default tolerances."""
    (a, _), (b, _) = (floats(frame, "math.isclose", argument, node) for argument in arguments)
    distance = build("fabs", build("fsub", b, a))
    relative = const(1e-9)
    near = [build("fle", distance, build("fabs", build("fmul", relative, x))) for x in (b, a)]
    close = either(either(near[0], near[1]), build("fle", distance, FZERO))
    infinite = either(build("fisinf", a), build("fisinf", b))
    return boolean(either(build("feq", a, b), both(invert(infinite), close)))


def ints(frame: Frame, name: str, operand: Sum, node: ast.AST) -> Node:
    """The bool or int as an int: other kinds deviate."""
    result, guard, unknown = None, FALSE, FALSE
    for a in operand:
        if a.kind in ("bool", "int") and isinstance(a.payload, Node):
            number = as_int(a.kind, a.payload)
            result = number if result is None else select(a.guard, number, result)
            guard = either(guard, a.guard)
        elif a.kind == "other":
            unknown = either(unknown, a.guard)
    wrong = invert(either(guard, unknown))
    refuse(frame, name, operand, (wrong, unknown), node, compiled=result is not None)
    return ZERO if result is None else result


def greatest_divisor(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """math.gcd of two ints."""
    numbers = [ints(frame, "math.gcd", operand, node) for operand in arguments]
    for number in numbers:
        frame.escape(build("ieq", number, const(INT64_MIN)), "int beyond 64 bits", node)
    return single("int", build("igcd", *numbers))


def with_sign(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """math.copysign: the sign of a nan is the interpreter's to tell."""
    (x, _), (y, guard) = (floats(frame, "math.copysign", a, node) for a in arguments)
    frame.escape(both(guard, build("fisnan", y)), "sign of a nan", node)
    return single("float", build("fcopysign", x, y))


def math_power(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """math.pow: fails where ** would be complex or divide by zero."""
    (x, gx), (y, gy) = (floats(frame, "math.pow", argument, node) for argument in arguments)
    guard, result = both(gx, gy), build("fpow", x, y)
    finite = both(build("fisfinite", x), build("fisfinite", y))
    domain = either(build("fisnan", result), both(build("feq", x, FZERO), build("fisinf", result)))
    frame.fault(both(guard, both(finite, domain)), "ValueError", "math.pow domain error", node)
    frame.fault(
        both(guard, both(finite, build("fisinf", result))),
        "OverflowError",
        "math.pow range error",
        node,
    )
    return single("float", result)


def absolute(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """abs(x)."""
    result, wrong, unknown = SumBuilder(), FALSE, FALSE
    for a in arguments[0]:
        if a.kind in ("bool", "int") and isinstance(a.payload, Node):
            x = as_int(a.kind, a.payload)
            lowest = both(a.guard, build("ieq", x, const(INT64_MIN)))
            frame.escape(lowest, "int beyond 64 bits", node)
            result.put("int", a.guard, build("iabs", x))
        elif a.kind == "float" and isinstance(a.payload, Node):
            result.put("float", a.guard, build("fabs", a.payload))
        elif a.kind == "timedelta" and isinstance(a.payload, Node):
            result.put("timedelta", a.guard, build("iabs", a.payload))
        elif a.kind == "other":
            unknown = either(unknown, a.guard)
        else:
            wrong = either(wrong, a.guard)
    found = result.build()
    refuse(frame, "abs", arguments[0], (wrong, unknown), node, compiled=bool(found.alternatives))
    return settled(found)


def rounded(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """round(x) and round(x, n)."""
    digits = arguments[1] if len(arguments) > 1 else None
    if digits is None or digits.kinds == ("none",):
        return to_int(frame, "round", arguments[0], "frint", node)
    if "none" in digits.kinds:
        known = Sum(tuple(a for a in digits if a.kind != "none"))
        either_way = frame.branch(
            digits.guard("none"),
            lambda: to_int(frame, "round", arguments[0], "frint", node),
            lambda: rounded(frame, [arguments[0], settled(known)], node),
            node,
        )
        return frame.lift(either_way, node)
    result, wrong, unknown = SumBuilder(), FALSE, FALSE
    n = ints(frame, "digits of round", digits, node)
    for a in arguments[0]:
        if a.kind in ("bool", "int") and isinstance(a.payload, Node):
            negative = both(a.guard, build("ilt", n, ZERO))
            frame.escape(negative, "round of an int to tens", node)
            result.put("int", a.guard, as_int(a.kind, a.payload))
        elif a.kind == "float" and isinstance(a.payload, Node):
            close = build("fround_digits", a.payload, n)
            lost = both(build("fisfinite", a.payload), build("fisinf", close))
            frame.fault(both(a.guard, lost), "OverflowError", "rounded value too large", node)
            result.put("float", a.guard, close)
        elif a.kind == "other":
            unknown = either(unknown, a.guard)
        else:
            wrong = either(wrong, a.guard)
    found = result.build()
    refuse(frame, "round", arguments[0], (wrong, unknown), node, compiled=bool(found.alternatives))
    return settled(found)


def as_number(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """float(x)."""
    if not arguments:
        return single("float", const(0.0))
    return single("float", floats(frame, "float", arguments[0], node, refuse_text=False)[0])


def as_whole(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
    """int(x)."""
    if not arguments:
        return single("int", const(0))
    return to_int(frame, "int", arguments[0], "trunc", node)


def _all(numbers: list[tuple[Node, Node]]) -> Node:
    guard = TRUE
    for _, known in numbers:
        guard = both(guard, known)
    return guard


def _every(op: str, numbers: list[tuple[Node, Node]]) -> Node:
    result = TRUE
    for number, _ in numbers:
        result = both(result, build(op, number))
    return result


def _some(op: str, numbers: list[tuple[Node, Node]]) -> Node:
    result = FALSE
    for number, _ in numbers:
        result = either(result, build(op, number))
    return result


_ONE_ARGUMENT: Final = {
    **{name: math_function(name) for name in ("sin", "cos", "tan", "asin", "acos", "atanh")},
    **{
        name: math_function(name, overflow=True)
        for name in ("exp", "exp2", "expm1", "sinh", "cosh", "gamma", "lgamma")
    },
    **{name: total(name) for name in ("atan", "asinh", "tanh", "erf", "erfc", "cbrt")},
    "sqrt": guarded("sqrt", "flt", 0.0),
    "log2": guarded("log2", "fle", 0.0),
    "log10": guarded("log10", "fle", 0.0),
    "log1p": guarded("log1p", "fle", -1.0),
    "acosh": guarded("acosh", "flt", 1.0),
    "fabs": total("fabs"),
    "isnan": predicate("fisnan"),
    "isinf": predicate("fisinf"),
    "isfinite": predicate("fisfinite"),
    "degrees": scaled(180.0 / math.pi),
    "radians": scaled(math.pi / 180.0),
    "floor": whole("floor"),
    "ceil": whole("ceil"),
    "trunc": whole("trunc"),
}
_TWO_ARGUMENTS: Final = {
    "atan2": total("atan2"),
    "copysign": with_sign,
    "fmod": math_function("fmod_c"),
    "remainder": math_function("remainder"),
    "hypot": total("hypot"),
    "pow": math_power,
    "isclose": isclose,
    "gcd": greatest_divisor,
}

# function -> (fewest, most arguments, handler)
MATH_CALLS: Final[dict[Any, tuple[int, int, Handler]]] = {
    **{getattr(math, name): (1, 1, handler) for name, handler in _ONE_ARGUMENT.items()},
    **{getattr(math, name): (2, 2, handler) for name, handler in _TWO_ARGUMENTS.items()},
    math.log: (1, 2, logarithm),
}
