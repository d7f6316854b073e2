"""Calls that make dates, datetimes and timedeltas."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from batchprep.dtypes import Kind
from batchprep.plan.build import build
from batchprep.plan.node import Node, const
from batchprep.plan.values import Sum
from batchprep.rowfn import clock
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.pure_calls import Known, pure_call
from batchprep.rowfn.sums import Value, literal_of, single
from batchprep.rowfn.time_operators import clock_tick, span_of
from batchprep.rowfn.time_parts import ON_DATE, ON_DATETIME, civil_day, on_day, whole_argument

Keywords = dict[str, Value]
Maker = Callable[[Frame, list[Value], Keywords, ast.AST], Value]


def _named(
    frame: Frame, names: tuple[str, ...], arguments: list[Value], keywords: Keywords, node: ast.AST
) -> dict[str, Value]:
    """The arguments by name."""
    given = dict(zip(names, arguments, strict=False))
    unknown = len(arguments) > len(names) or bool(keywords.keys() - set(names))
    if unknown or given.keys() & keywords.keys():
        frame.unsupported(node, "this form of the call cannot be compiled")
    return given | keywords


def _is_constant(value: Value) -> bool:
    try:
        literal_of(value)
    except LookupError:
        return False
    return True


def _evaluated(frame: Frame, kind: Kind, given: dict[str, Value], node: ast.AST) -> Value:
    """A call whose arguments are constants, or that Python makes for each distinct row."""
    return pure_call(frame, TYPE[kind], Known((kind,), safe=False), [], given, node)


TYPE: Final[dict[Kind, type]] = {"date": date, "datetime": datetime, "timedelta": timedelta}


def _date_maker(kind: Kind, names: tuple[str, ...]) -> Maker:
    def make(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
        given = _named(frame, names, arguments, keywords, node)
        if all(map(_is_constant, given.values())) or not given.keys() >= set(ON_DATE):
            return _evaluated(frame, kind, given, node)
        fields = {name: const(0) for name in names}
        for name, value in given.items():
            fields[name] = whole_argument(frame, f"{name} of {kind}", value, node)
        day = civil_day(frame, fields, node)
        return single("date", day) if kind == "date" else on_day(frame, day, fields, node)

    return make


UNITS: Final[dict[str, int]] = {
    "days": clock.DAY,
    "seconds": clock.SECOND,
    "microseconds": 1,
    "milliseconds": 1000,
    "minutes": clock.MINUTE,
    "hours": clock.HOUR,
    "weeks": 7 * clock.DAY,
}


def _timedelta(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    given = _named(frame, tuple(UNITS), arguments, keywords, node)
    sums = {name: frame.lift(value, node) for name, value in given.items()}
    constant = all(map(_is_constant, given.values()))
    if constant or not all(set(value.kinds) <= {"int", "bool"} for value in sums.values()):
        return _evaluated(frame, "timedelta", given, node)
    total: Node | None = None
    for name, value in sums.items():
        part = _part(frame, value, UNITS[name], node)
        if total is not None:
            overflows = build("iadd_overflows", total, part)
            part = _payload(span_of(frame, build("iadd", total, part), overflows, node))
        total = part
    return single("timedelta", const(0) if total is None else total)


def _part(frame: Frame, value: Sum, unit: int, node: ast.AST) -> Node:
    number = _whole(value)
    overflows = build("imul_overflows", number, const(unit))
    return _payload(span_of(frame, clock.times(number, unit), overflows, node))


def _whole(value: Sum) -> Node:
    """Ints and bools as ints: every row has one of them."""
    result: Node | None = None
    for a in value:
        assert isinstance(a.payload, Node)  # noqa: S101  as numbers do
        number = a.payload if a.kind == "int" else build("b2i", a.payload)
        result = number if result is None else build("select", a.guard, number, result)
    return const(0) if result is None else result


def _payload(value: Sum) -> Node:
    payload = value.alternatives[0].payload
    assert isinstance(payload, Node)  # noqa: S101  a timedelta has one
    return payload


def _combine(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """datetime.combine of a date of the row and a time of day."""
    given = _named(frame, ("date", "time"), arguments, keywords, node)
    if len(given) != 2:
        frame.unsupported(node, "this form of datetime.combine cannot be compiled")
    tick = clock_tick(given["time"])
    if tick is None:
        frame.unsupported(node, "datetime.combine of this time cannot be compiled")
    result: Node | None = None
    for a in frame.lift(given["date"], node):
        if a.kind not in ("date", "datetime") or not isinstance(a.payload, Node):
            error = None if a.kind == "other" else "TypeError"
            _refuse(frame, a.guard, error, f"datetime.combine of {a.kind}", node)
            continue
        day = clock.day_of(a.kind, a.payload)
        result = day if result is None else build("select", a.guard, day, result)
    if result is None:
        frame.unsupported(node, "datetime.combine of this value cannot be compiled")
    return single("datetime", build("iadd", clock.times(result, clock.DAY), tick))


def _refuse(frame: Frame, guard: Node, error: str | None, reason: str, node: ast.AST) -> None:
    if error is None:
        frame.escape(guard, reason, node)
    else:
        frame.fault(guard, error, reason, node)


def _of_ordinal(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """date.fromordinal of an int."""
    if keywords or len(arguments) != 1:
        frame.unsupported(node, "this form of date.fromordinal cannot be compiled")
    number = whole_argument(frame, "date.fromordinal", arguments[0], node)
    day = clock.plus(number, -clock.FIRST_DAY)
    frame.fault(clock.outside("date", day), "ValueError", "ordinal out of range", node)
    return single("date", day)


def _clock(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """time(...) of constants."""
    values = [*arguments, *keywords.values()]
    if not all(map(_is_constant, values)):
        frame.unsupported(node, "time() of values of the row cannot be compiled")
    known: tuple[Kind, ...] = ("other",)
    return pure_call(frame, time, Known(known), arguments, keywords, node)


def _parsed(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """datetime.strptime: with a zone where the format asks for one."""
    known = DATETIME
    with contextlib.suppress(LookupError, IndexError):
        if "%z" in str(literal_of(arguments[1])):
            known = ANY
    return pure_call(frame, datetime.strptime, known, arguments, keywords, node)


def _of_timestamp(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """datetime.fromtimestamp, with a zone where one is given."""
    zone = arguments[1] if len(arguments) > 1 else keywords.get("tz")
    known = DATETIME if zone is None or _is_none(zone) else ANY
    return pure_call(frame, datetime.fromtimestamp, known, arguments, keywords, node)


def _is_none(value: Value) -> bool:
    return isinstance(value, Sum) and value.kinds == ("none",)


ANY: Final = Known(None, safe=False)
DATETIME: Final = Known(("datetime",), safe=False)
DATE: Final = Known(("date",))
PURE_MAKERS: Final[dict[Any, Known]] = {
    datetime.fromisoformat: DATETIME,
    datetime.fromordinal: DATETIME,
    datetime.fromisocalendar: DATETIME,
    date.fromisoformat: DATE,
    date.fromtimestamp: DATE,
    date.fromisocalendar: DATE,
}
MAKERS: Final[dict[Any, Maker]] = {
    date: _date_maker("date", ON_DATE),
    datetime: _date_maker("datetime", ON_DATETIME),
    timedelta: _timedelta,
    time: _clock,
    datetime.combine: _combine,
    datetime.strptime: _parsed,
    datetime.fromtimestamp: _of_timestamp,
    date.fromordinal: _of_ordinal,
}
