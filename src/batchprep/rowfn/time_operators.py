"""Operators of dates, datetimes and timedeltas: int arithmetic within the bounds of each."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from batchprep.dtypes import TIME_BOUNDS, Kind
from batchprep.plan.build import both, build, either, select
from batchprep.plan.node import Node, const
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn import clock
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure
from batchprep.rowfn.sums import Static, SumBuilder, Value, single
from batchprep.rowfn.times import TimeOfDay, beyond_double

Pair = Callable[[Frame, Node, Node, ast.AST], Sum]

ZERO: Final = const(0)
# Up to here twice a remainder is an int64.
LARGE: Final = 2**61
SPAN_ERROR: Final = "timedelta beyond 64 bits of microseconds"


def time_pair(
    frame: Frame,
    symbol: str,
    result: SumBuilder,
    pair: tuple[Alternative, Alternative],
    guard: Node,
    node: ast.AST,
) -> bool:
    """Put left <symbol> right of two kinds, one a date or time; False where Python has none."""
    left, right = pair
    kinds: tuple[Kind, ...] = tuple("int" if a.kind == "bool" else a.kind for a in pair)
    handler = _PAIRS.get((symbol, *kinds))
    if handler is None or not isinstance(left.payload, Node):
        return False
    assert isinstance(right.payload, Node)  # noqa: S101  as all kinds of the table have
    x, y = (
        build("b2i", payload) if a.kind == "bool" else payload
        for a, payload in ((left, left.payload), (right, right.payload))
    )
    for a in handler(frame, x, y, node):
        result.put(a.kind, both(guard, a.guard), a.payload)
    return True


def is_defined(symbol: str, left: Kind, right: Kind) -> bool:
    """Whether Python has the operator for these kinds, one of a date or time."""
    kinds = ("int" if kind == "bool" else kind for kind in (left, right))
    return (symbol, *kinds) in _PAIRS


def has_time_pair(left: Kind, right: Kind) -> bool:
    """Whether one of the kinds is that of a date, datetime or timedelta."""
    return left in TIME_BOUNDS or right in TIME_BOUNDS


# ------------------------------------------------------------------------------- sums, differences


def _moved(kind: Kind, op: str) -> Pair:
    """A date or datetime, and a timedelta to add or subtract."""

    def handler(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
        if kind == "date":
            y = clock.divided(y, clock.DAY)  # whole days, rounded down: what timedelta.days is
        moved = build(op, x, y)
        late = either(build(f"{op}_overflows", x, y), clock.outside(kind, moved))
        frame.fault(late, "OverflowError", "date value out of range", node)
        return single(kind, moved)

    return handler


def _turned(pair: Pair) -> Pair:
    return lambda frame, x, y, node: pair(frame, y, x, node)


def _days_apart(_frame: Frame, x: Node, y: Node, _node: ast.AST) -> Sum:
    return single("timedelta", clock.times(build("isub", x, y), clock.DAY))


def _apart(_frame: Frame, x: Node, y: Node, _node: ast.AST) -> Sum:
    return single("timedelta", build("isub", x, y))


def _span(op: str) -> Pair:
    """Arithmetic whose result may be past int64."""

    def handler(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
        return span_of(frame, build(op, x, y), build(f"{op}_overflows", x, y), node)

    return handler


def span_of(frame: Frame, tick: Node, overflows: Node, node: ast.AST) -> Sum:
    """The timedelta, left to the interpreter where int64 does not hold it."""
    frame.escape(either(overflows, clock.outside("timedelta", tick)), SPAN_ERROR, node)
    return single("timedelta", tick)


# ---------------------------------------------------------------------------- products, quotients


def _python(name: str, function: Callable[[Any, Any], Any], left: Kind, right: Kind) -> Pair:
    """What Python computes on exact fractions, such as a timedelta times a float."""

    def handler(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
        values = [single(left, x), single(right, y)]
        found = apply_pure(frame, name, function, values, ("timedelta",), node, safe=False)
        return frame.lift(found, node)

    return handler


def _nonzero(frame: Frame, y: Node, node: ast.AST) -> None:
    reason = "integer division or modulo by zero"
    frame.fault(build("ieq", y, ZERO), "ZeroDivisionError", reason, node)


def _ratio(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
    _nonzero(frame, y, node)
    for operand in (x, y):  # Python rounds once
        frame.escape(beyond_double(operand), "microseconds beyond 2**53 in a division", node)
    return single("float", build("fdiv", build("i2f", x), build("i2f", y)))


def _floored(kind: Kind) -> Pair:
    def handler(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
        _nonzero(frame, y, node)
        return single(kind, build("ifloordiv", x, y))

    return handler


def _modulo(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
    _nonzero(frame, y, node)
    return single("timedelta", build("imod", x, y))


def _nearest(frame: Frame, x: Node, y: Node, node: ast.AST) -> Sum:
    """timedelta / int: rounded to the nearest microsecond, half to even."""
    _nonzero(frame, y, node)
    large = either(build("igt", y, const(LARGE)), build("ilt", y, const(-LARGE)))
    frame.escape(large, "timedelta by an int beyond 2**61", node)
    negative = build("ilt", y, ZERO)
    x, y = (select(negative, build("ineg", n), n) for n in (x, y))
    quotient, twice = build("ifloordiv", x, y), clock.times(build("imod", x, y), 2)
    is_odd = build("ieq", clock.rest(quotient, 2), const(1))
    up = either(build("igt", twice, y), both(build("ieq", twice, y), is_odd))
    return single("timedelta", build("iadd", quotient, build("b2i", up)))


_PAIRS: Final[dict[tuple[str, ...], Pair]] = {
    ("+", "date", "timedelta"): _moved("date", "iadd"),
    ("+", "timedelta", "date"): _turned(_moved("date", "iadd")),
    ("-", "date", "timedelta"): _moved("date", "isub"),
    ("-", "date", "date"): _days_apart,
    ("+", "datetime", "timedelta"): _moved("datetime", "iadd"),
    ("+", "timedelta", "datetime"): _turned(_moved("datetime", "iadd")),
    ("-", "datetime", "timedelta"): _moved("datetime", "isub"),
    ("-", "datetime", "datetime"): _apart,
    ("+", "timedelta", "timedelta"): _span("iadd"),
    ("-", "timedelta", "timedelta"): _span("isub"),
    ("*", "timedelta", "int"): _span("imul"),
    ("*", "int", "timedelta"): _turned(_span("imul")),
    ("*", "timedelta", "float"): _python("*", operator.mul, "timedelta", "float"),
    ("*", "float", "timedelta"): _python("*", operator.mul, "float", "timedelta"),
    ("/", "timedelta", "timedelta"): _ratio,
    ("/", "timedelta", "int"): _nearest,
    ("/", "timedelta", "float"): _python("/", operator.truediv, "timedelta", "float"),
    ("//", "timedelta", "timedelta"): _floored("int"),
    ("//", "timedelta", "int"): _floored("timedelta"),
    ("%", "timedelta", "timedelta"): _modulo,
}


# ------------------------------------------------------------------------------------- comparisons


def compare_clocks(relation: str, left: Value, right: Value) -> Node | None:
    """A comparison of times of day, one of them of the row; None where they are none."""
    ours, theirs = clock_tick(left), clock_tick(right)
    if ours is None or theirs is None:
        return None
    return build("i" + relation, ours, theirs)


def clock_tick(value: Value) -> Node | None:
    """Microseconds since midnight of a time of the row, or of a constant one without a zone."""
    if isinstance(value, TimeOfDay):
        return value.clock
    if isinstance(value, Static) and clock.is_naive_time(value.value):
        return const(clock.microseconds(value.value))
    return None
