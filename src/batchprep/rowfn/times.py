"""Attributes and methods of dates, datetimes, timedeltas and times of day."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Any, Final

from batchprep.dtypes import TIME_BOUNDS, Kind
from batchprep.plan.build import both, build, either
from batchprep.plan.node import FALSE, TRUE, Node, const
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn import clock
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure
from batchprep.rowfn.sums import NOTHING, Lazy, Value, literal, literal_of, single
from batchprep.rowfn.time_parts import replaced

Keywords = dict[str, Value]
Method = Callable[[Frame, Kind, Node, list[Value], Keywords, ast.AST], Value]
TIMES: Final[frozenset[Kind]] = frozenset(TIME_BOUNDS)
# Kinds without the attributes of a date: their own are other ones.
PLAIN: Final[frozenset[Kind]] = frozenset({"none", "bool", "int", "float", "str", "list", "tuple"})
TEXT: Final[tuple[Kind, ...]] = ("str",)


@dataclass(frozen=True, eq=False)
class TimeOfDay(Lazy):
    """A time without a zone, as microseconds since midnight where it must be a number."""

    clock: Node = FALSE


@dataclass(frozen=True, eq=False)
class IsoDate(Lazy):
    """What isocalendar() gives."""

    day: Node = FALSE


def is_time(value: Value) -> bool:
    """Whether a value may be a date, datetime or timedelta, or is a time of day or the like."""
    if isinstance(value, (TimeOfDay, IsoDate)):
        return True
    return isinstance(value, (Sum, Lazy)) and not TIMES.isdisjoint(value.kinds or ())


# -------------------------------------------------------------------------------------- attributes


def time_attribute(frame: Frame, owner: Value, name: str, node: ast.AST) -> Value | None:
    """owner.name of a date or time; None where it is none."""
    if isinstance(owner, TimeOfDay):
        return _of_clock(frame, owner, name, node)
    if isinstance(owner, IsoDate):
        place = ("year", "week", "weekday").index(name) if name in ISO_NAMES else -1
        return None if place < 0 else single("int", clock.iso_parts(owner.day)[place])
    if isinstance(owner, Lazy) and owner.pure.name == ".timetuple" and name in TUPLE_NAMES:
        return apply_pure(frame, f".{name}", attrgetter(name), [owner], ("int",), node, fails=False)
    if not is_time(owner):
        return None
    return over_kinds(frame, owner, f".{name}", lambda kind: ATTRIBUTES[kind].get(name), node)


ISO_NAMES: Final = frozenset({"year", "week", "weekday"})
TUPLE_NAMES: Final = frozenset(
    f"tm_{name}" for name in ("year", "mon", "mday", "hour", "min", "sec", "wday", "yday", "isdst")
)


def _of_clock(frame: Frame, owner: TimeOfDay, name: str, node: ast.AST) -> Value:
    formula = clock.ON_CLOCK.get(name)
    if formula is not None:
        return single("int", formula(owner.clock))
    if name == "tzinfo":
        return literal(None)
    frame.unsupported(node, f"the attribute .{name} of a time cannot be compiled")


Read = Callable[[Node], Value]


def over_kinds(
    frame: Frame,
    owner: Value,
    what: str,
    reader: Callable[[Kind], Read | None],
    node: ast.AST,
) -> Sum:
    """What the readers of the owner's kinds give; kinds that have none raise AttributeError."""
    owner = frame.lift(owner, node)
    result: Sum | None = None
    wrong, unknown, known = FALSE, FALSE, False
    path = frame.state.path
    for a in owner:
        read = reader(a.kind) if a.kind in TIMES else None
        known = known or read is not None
        if read is None or not isinstance(a.payload, Node):
            is_plain = a.kind in PLAIN or a.kind in TIMES
            wrong = either(wrong, a.guard if is_plain else FALSE)
            unknown = either(unknown, FALSE if is_plain else a.guard)
            continue
        frame.state.path = both(path, a.guard)
        found = frame.lift(read(a.payload), node)
        frame.state.path = path
        result = found if result is None else frame.pick(a.guard, found, result, node)
    reason = f"{what} of {' or '.join(owner.kinds)}"
    if not known:
        frame.unsupported(node, f"{reason} cannot be compiled")
    frame.escape(unknown, reason, node)
    frame.fault(wrong, "AttributeError", reason, node)
    return NOTHING if result is None else result


def _int(formula: clock.Formula) -> Read:
    return lambda tick: single("int", formula(tick))


def _nothing(_: Node) -> Sum:
    return literal(None)


def _of_datetime(formula: clock.Formula) -> Read:
    return lambda tick: single("int", formula(clock.day_of("datetime", tick)))


ATTRIBUTES: Final[dict[Kind, dict[str, Read]]] = {
    "date": {name: _int(formula) for name, formula in clock.ON_DAY.items()},
    "datetime": {
        **{name: _of_datetime(formula) for name, formula in clock.ON_DAY.items()},
        **{name: _int(formula) for name, formula in clock.ON_CLOCK.items()},
        "tzinfo": _nothing,
        "fold": lambda _: literal(0),
    },
    "timedelta": {name: _int(formula) for name, formula in clock.OF_SPAN.items()},
}


def iso_item(value: Value, keys: list[Value]) -> Value | None:
    """isocalendar()[key] of a constant key; None where it is none."""
    if not isinstance(value, IsoDate) or len(keys) != 1:
        return None
    try:
        place = literal_of(keys[0])
    except LookupError:
        return None
    if type(place) is not int or not -3 <= place < 3:
        return None
    return single("int", clock.iso_parts(value.day)[place])


def iso_items(value: Value) -> list[Value] | None:
    """The values for `year, week, weekday = isocalendar()`; None where it is none."""
    if not isinstance(value, IsoDate):
        return None
    return [single("int", part) for part in clock.iso_parts(value.day)]


# ----------------------------------------------------------------------------------------- methods


def time_method(
    frame: Frame, owner: Value, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """owner.name(...) of a date or time; None where it is none."""
    if isinstance(owner, TimeOfDay) or (isinstance(owner, Lazy) and name in TEXTS):
        return _of_lazy(frame, owner, name, arguments, keywords, node)
    if not is_time(owner) or isinstance(owner, IsoDate):
        return None
    lifted = frame.lift(owner, node)
    if name in LAZY and len(lifted.alternatives) == 1:  # its value is no sum
        only = lifted.alternatives[0]
        method = METHODS[only.kind].get(name) if only.kind in TIMES else None
        if method is not None and isinstance(only.payload, Node):
            return method(frame, only.kind, only.payload, arguments, keywords, node)

    def reader(kind: Kind) -> Read | None:
        method = METHODS[kind].get(name)
        if method is None:
            return None
        return lambda tick: method(frame, kind, tick, arguments, keywords, node)

    if name in LAZY:
        return _narrowed(frame, lifted, name, reader, node)
    return over_kinds(frame, lifted, f".{name}", reader, node)


def _narrowed(
    frame: Frame, owner: Sum, name: str, reader: Callable[[Kind], Read | None], node: ast.AST
) -> Value:
    """A method whose value is no sum, of the one kind that has it."""
    having = [a for a in owner if a.kind in TIMES and reader(a.kind) is not None]
    if len(having) != 1:
        kinds = " or ".join(owner.kinds)
        frame.unsupported(node, f"the method .{name} of {kinds} cannot be compiled")
    others = [a for a in owner if a is not having[0]]
    reason = f".{name} of {' or '.join(owner.kinds)}"
    for a in others:
        if a.kind in PLAIN or a.kind in TIMES:
            frame.fault(a.guard, "AttributeError", reason, node)
        else:
            frame.escape(a.guard, reason, node)
    read, payload = reader(having[0].kind), having[0].payload
    assert read is not None  # noqa: S101  it has one
    assert isinstance(payload, Node)  # noqa: S101  as dates and times do
    return read(payload)


def _of_lazy(
    frame: Frame, owner: Lazy, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """A text of what a pure function gave: that function and this are one."""
    known = isinstance(owner, TimeOfDay) or not TIMES.isdisjoint(owner.kinds or ())
    if not known:
        return None
    if name not in TEXTS:
        frame.unsupported(node, f"the method .{name} of a time cannot be compiled")
    return _pure(frame, owner, name, arguments, keywords, TEXT, node)


def _pure(
    frame: Frame,
    owner: Value,
    name: str,
    arguments: list[Value],
    keywords: Keywords,
    kinds: tuple[Kind, ...],
    node: ast.AST,
    *,
    items: tuple[Kind, ...] | None = None,
    safe: bool = True,
) -> Value:
    names, count = tuple(keywords), len(arguments)

    def call(held: Any, *rest: Any) -> Any:
        named = dict(zip(names, rest[count:], strict=True))
        return getattr(held, name)(*rest[:count], **named)

    values = [owner, *arguments, *keywords.values()]
    return apply_pure(
        frame, f".{name}", call, values, kinds, node, safe=safe, items=items, key=(count, names)
    )


def _held(kind: Kind, tick: Node) -> Sum:
    return Sum((Alternative(kind, TRUE, tick),))


def _python(kinds: tuple[Kind, ...], *, safe: bool = True) -> Method:
    """A method that Python evaluates."""

    def method(
        frame: Frame,
        kind: Kind,
        tick: Node,
        arguments: list[Value],
        keywords: Keywords,
        node: ast.AST,
    ) -> Value:
        name = frame_name(node)
        return _pure(frame, _held(kind, tick), name, arguments, keywords, kinds, node, safe=safe)

    return method


def frame_name(node: ast.AST) -> str:
    """The method that a call names."""
    assert isinstance(node, ast.Call)  # noqa: S101  a method is called
    assert isinstance(node.func, ast.Attribute)  # noqa: S101
    return node.func.attr


def _plain(read: Callable[[Kind, Node], Value]) -> Method:
    """A method without arguments."""

    def method(
        frame: Frame,
        kind: Kind,
        tick: Node,
        arguments: list[Value],
        keywords: Keywords,
        node: ast.AST,
    ) -> Value:
        if arguments or keywords:
            frame.fault(TRUE, "TypeError", f".{frame_name(node)} takes no arguments", node)
        return read(kind, tick)

    return method


def _day(formula: clock.Formula) -> Method:
    return _plain(lambda kind, tick: single("int", formula(clock.day_of(kind, tick))))


def _time(
    frame: Frame, kind: Kind, tick: Node, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    if arguments or keywords:
        frame.unsupported(node, ".time takes no arguments")
    lazy = apply_pure(
        frame, ".time", methodcaller("time"), [_held(kind, tick)], ("other",), node, fails=False
    )
    if not isinstance(lazy, Lazy):
        return lazy
    return TimeOfDay(lazy.pure, lazy.nodes, lazy.kinds, clock=clock.clock_of(tick))


def _isocalendar(
    frame: Frame, kind: Kind, tick: Node, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    if arguments or keywords:
        frame.unsupported(node, ".isocalendar takes no arguments")
    lazy = apply_pure(
        frame, ".isocalendar", methodcaller("isocalendar"), [_held(kind, tick)], ("tuple",), node,
        fails=False, items=("int",),
    )  # fmt: skip
    if not isinstance(lazy, Lazy):
        return lazy
    day = clock.day_of(kind, tick)
    return IsoDate(lazy.pure, lazy.nodes, lazy.kinds, lazy.items, day=day)


def _timetuple(
    frame: Frame, kind: Kind, tick: Node, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    kinds: tuple[Kind, ...] = ("other",)
    return _pure(
        frame, _held(kind, tick), "timetuple", arguments, keywords, kinds, node, items=("int",)
    )


def _total_seconds(
    frame: Frame, kind: Kind, tick: Node, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    del kind
    if arguments or keywords:
        frame.fault(TRUE, "TypeError", ".total_seconds takes no arguments", node)
    # As int / int in Python, which rounds once.
    frame.escape(beyond_double(tick), "microseconds beyond 2**53 in a division", node)
    return single("float", build("fdiv", build("i2f", tick), const(1e6)))


def beyond_double(tick: Node) -> Node:
    """Whether an int may not be exact as a float."""
    return either(build("igt", tick, const(2**53)), build("ilt", tick, const(-(2**53))))


# ------------------------------------------------------------------------------------------ tables


TEXTS: Final = frozenset({"strftime", "isoformat", "ctime", "__format__"})
LAZY: Final = frozenset({"time", "isocalendar", "timetuple", *TEXTS})
_OF_DATE: Final[dict[str, Method]] = {
    **dict.fromkeys(TEXTS, _python(TEXT)),
    "weekday": _day(clock.weekday),
    "isoweekday": _day(lambda day: clock.plus(clock.weekday(day), 1)),
    "toordinal": _day(clock.ordinal),
    "isocalendar": _isocalendar,
    "timetuple": _timetuple,
    "replace": replaced,
}
METHODS: Final[dict[Kind, dict[str, Method]]] = {
    "date": _OF_DATE,
    "datetime": {
        **_OF_DATE,
        "date": _plain(lambda kind, tick: single("date", clock.day_of(kind, tick))),
        "time": _time,
        "timestamp": _python(("float",)),
        "utcoffset": _plain(lambda _kind, _tick: literal(None)),
        "dst": _plain(lambda _kind, _tick: literal(None)),
        "tzname": _plain(lambda _kind, _tick: literal(None)),
    },
    "timedelta": {"total_seconds": _total_seconds},
}
