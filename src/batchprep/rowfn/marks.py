"""Marks on values: what of the record they may be or hold, and which calls keep or change it."""

from __future__ import annotations

import copy
import datetime as dt
import math
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

Marks: TypeAlias = frozenset[str]

RECORD: Final = "record"  # may be the record itself
PART: Final = "part"  # may be a value read out of the record, at any depth
HOLDS_RECORD: Final = "holds record"  # may be a new object with the record in it
HOLDS_PART: Final = "holds part"

NOTHING: Final[Marks] = frozenset()
ELEMENTS: Final[Mapping[str, Marks]] = {
    RECORD: frozenset({PART}),
    PART: frozenset({PART}),
    HOLDS_RECORD: frozenset({RECORD, HOLDS_RECORD}),
    HOLDS_PART: frozenset({PART, HOLDS_PART}),
}
HOLDER: Final[Mapping[str, str]] = {RECORD: HOLDS_RECORD, PART: HOLDS_PART}


def elements(marks: Marks) -> Marks:
    """The marks of what is read out of a value."""
    return NOTHING.union(*(ELEMENTS[mark] for mark in marks))


def holding(marks: Marks) -> Marks:
    """The marks of a new object that such a value is put into."""
    return frozenset(HOLDER.get(mark, mark) for mark in marks)


# Methods, by name: the receiver's class is not known.
MUTATORS: Final = frozenset(
    {
        *("add", "append", "appendleft", "clear", "difference_update", "discard", "extend"),
        *("extendleft", "insert", "intersection_update", "move_to_end", "pop", "popitem"),
        *("popleft", "remove", "reverse", "rotate", "setdefault", "sort", "subtract"),
        *("symmetric_difference_update", "update", "__delattr__", "__delitem__", "__iadd__"),
        *("__imul__", "__ior__", "__setattr__", "__setitem__", "__setstate__"),
    }
)
# These put in what their argument holds, not the argument.
SPREADERS: Final = frozenset(
    {
        *("difference_update", "extend", "extendleft", "intersection_update", "subtract"),
        *("symmetric_difference_update", "update", "__iadd__", "__ior__"),
    }
)
NEW_FROM_PARTS: Final = frozenset(
    {
        *("copy", "difference", "elements", "intersection", "items", "keys", "most_common"),
        *("symmetric_difference", "union", "values"),
        *("_asdict", "_replace", "__add__", "__iter__", "__or__"),
    }
)
READERS: Final = (
    frozenset(
        name
        for kind in (str, bytes, int, float, tuple, list, dict, set, dt.datetime)
        for name in dir(kind)
        if not name.startswith("__")
    )
    | frozenset({"total_seconds", "__contains__", "__getitem__", "__len__"})
    | NEW_FROM_PARTS
) - MUTATORS
# A dataclass may define methods of its own: of the record only those of dict and tuple are known.
RECORD_READERS: Final = frozenset({"count", "index", "__contains__", "__len__"}) | NEW_FROM_PARTS
# Of these, what they give may be the part itself; the others give something new.
GIVERS: Final = frozenset({"get", "__getitem__"})


def _known(functions: Iterable[object]) -> frozenset[int]:
    # By identity: a user's object may define its own hash and equality.
    return frozenset(map(id, functions))


MEASURES: Final = _known(
    [
        *vars(math).values(),
        *(abs, all, any, ascii, bin, bool, bytes, callable, chr, complex, divmod, float, format),
        *(hash, hex, id, int, isinstance, issubclass, len, oct, ord, pow, print, range, repr),
        *(round, str, type, hasattr, dt.date, dt.datetime, dt.timedelta),
        copy.deepcopy,
    ]
)
COLLECTORS: Final = _known(
    [
        *(dict, enumerate, filter, frozenset, iter, list, map, reversed, set, slice, sorted, sum),
        *(tuple, zip, copy.copy),
    ]
)
CHOOSERS: Final = _known([max, min, next, getattr, vars])
SETTERS: Final = _known([setattr, delattr])
DYNAMIC: Final = _known([eval, exec, globals, locals])
