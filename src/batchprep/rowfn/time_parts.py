"""Dates and datetimes of their parts: replace, and what the constructors check."""

from __future__ import annotations

import ast
from typing import Final

from batchprep.dtypes import Kind
from batchprep.plan.build import both, build, either, select
from batchprep.plan.node import FALSE, Node, const
from batchprep.plan.values import Sum
from batchprep.rowfn import clock
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.sums import Value, single

Keywords = dict[str, Value]

ON_DATE: Final = ("year", "month", "day")
ON_CLOCK: Final = ("hour", "minute", "second", "microsecond")
ON_DATETIME: Final = (*ON_DATE, *ON_CLOCK)


def replaced(
    frame: Frame, kind: Kind, tick: Node, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    """x.replace(...): only what it gives is computed anew."""
    names = ON_DATE if kind == "date" else ON_DATETIME
    if len(arguments) > len(names):
        frame.unsupported(node, "this form of .replace cannot be compiled")
    given = dict(zip(names, arguments, strict=False))
    if given.keys() & keywords.keys() or keywords.keys() - set(names):
        frame.unsupported(node, "this form of .replace cannot be compiled")
    given |= keywords
    parts = {n: whole_argument(frame, f"{n} of .replace", v, node) for n, v in given.items()}
    day = _replaced_day(frame, clock.day_of(kind, tick), parts, node)
    if kind == "date":
        return single("date", day)
    return on_day(frame, day, _replaced_clock(tick, parts), node)


def _replaced_day(frame: Frame, day: Node, parts: dict[str, Node], node: ast.AST) -> Node:
    given = parts.keys() & set(ON_DATE)
    if not given:
        return day
    if given == {"day"}:  # without a look at the year
        moved = build("iadd", build("isub", day, build("day_of_month", day)), parts["day"])
        moves = build("ine", build("month_of_day", moved), build("month_of_day", day))
        missing = either(clock.beyond_of(parts["day"], 1, 31), moves)
        if clock.is_of_any_month(parts["day"]):
            missing = FALSE
        frame.fault(missing, "ValueError", "no such date", node)
        return moved
    fields = {name: formula(day) for name, formula in clock.ON_DAY.items()} | parts
    return civil_day(frame, fields, node)


def _replaced_clock(tick: Node, parts: dict[str, Node]) -> Node | dict[str, Node]:
    """Microseconds since midnight as they are, or the parts of another time."""
    if not parts.keys() & set(ON_CLOCK):
        return clock.clock_of(tick)
    return {name: parts.get(name, formula(tick)) for name, formula in clock.ON_CLOCK.items()}


def whole_argument(frame: Frame, name: str, value: Value, node: ast.AST) -> Node:
    """An int where only ints will do, as for the parts of a date."""
    operand = frame.lift(value, node)
    result: Node | None = None
    guard = FALSE
    for a in operand:
        if a.kind in {"int", "bool"} and isinstance(a.payload, Node):
            number = a.payload if a.kind == "int" else build("b2i", a.payload)
            result = number if result is None else select(a.guard, number, result)
            guard = either(guard, a.guard)
        elif a.kind == "other":
            frame.escape(a.guard, f"{name} of kind other", node)
        else:
            frame.fault(a.guard, "TypeError", f"{name} of kind {a.kind}", node)
    if result is None:
        if "other" in operand.kinds:
            frame.unsupported(node, f"{name} of {' or '.join(operand.kinds)} cannot be compiled")
        return const(1)
    frame.escape(both(guard, clock.is_wrong_int(result)), f"{name} beyond a C int", node)
    return result


def civil_day(frame: Frame, fields: dict[str, Node], node: ast.AST) -> Node:
    """Days since 1970 of a year, month and day; ValueError where there is no such date."""
    parts = tuple(fields[name] for name in ON_DATE)
    frame.fault(clock.no_date(*parts), "ValueError", "no such date", node)
    return build("day_of_civil", *parts)


def on_day(frame: Frame, day: Node, micros: Node | dict[str, Node], node: ast.AST) -> Sum:
    """The datetime at so many microseconds of a day, or at an hour, minute, ... of it."""
    if isinstance(micros, dict):
        parts = tuple(micros[name] for name in ON_CLOCK)
        frame.fault(clock.no_clock(*parts), "ValueError", "no such time", node)
        micros = clock.clock(*parts)
    return single("datetime", build("iadd", clock.times(day, clock.DAY), micros))
