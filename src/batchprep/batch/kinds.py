"""Kind of each Python value: the exact type decides, a subclass is something else."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

from batchprep.dtypes import INT64_MAX, INT64_MIN, TIME_BOUNDS, Kind


class Absent:
    """A key that its record does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<absent>"


class Misfit:
    """A value that only the user's own code may read."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a value that only its record's own code may read"


_LONGEST_BACK, _LONGEST = (dt.timedelta(microseconds=n) for n in TIME_BOUNDS["timedelta"])

ABSENT: Final = Absent()
MISFIT: Final = Misfit()

# IntEnum, np.float64 or a str subclass may override any operator: they are of kind "other".
KIND_OF_TYPE: Final[dict[type, Kind]] = {
    Absent: "absent",
    type(None): "none",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    dt.date: "date",
    dt.datetime: "datetime",
    dt.timedelta: "timedelta",
    list: "list",
    tuple: "tuple",
    dict: "struct",
}


def kind_of(value: Any) -> Kind:
    """The kind of one value."""
    return KIND_OF_TYPE.get(type(value), "other")


def kinds_of(values: Iterable[Any]) -> frozenset[Kind]:
    """Kinds that occur; an int outside int64 does not make a field one of ints.

    Nor does a datetime with a zone make it one of datetimes: where all have one it is "other".
    """
    values = list(values)
    return kinds_of_types(frozenset(map(type, values)), values)


def kinds_of_types(types: frozenset[type], values: Iterable[Any]) -> frozenset[Kind]:
    """The same where the types of the values are known."""
    kinds: set[Kind] = {KIND_OF_TYPE.get(type_, "other") for type_ in types if type_ is not Misfit}
    if "int" in kinds and not any(map(is_int64, values)):
        kinds.remove("int")
    if "datetime" in kinds and not any(map(is_plain_datetime, values)):
        kinds.remove("datetime")
        kinds.add("other")
    if "timedelta" in kinds and not any(map(is_short_timedelta, values)):
        kinds.remove("timedelta")
    if not kinds:
        return frozenset({"other"}) if types else frozenset({"absent"})
    return frozenset(kinds)


def is_plain_datetime(value: Any) -> TypeGuard[dt.datetime]:
    """Whether microseconds since 1970 say all of a datetime: it has no zone, and no fold."""
    return type(value) is dt.datetime and value.tzinfo is None and value.fold == 0


def is_short_timedelta(value: Any) -> TypeGuard[dt.timedelta]:
    """Whether a value is a timedelta whose microseconds int64 holds."""
    return type(value) is dt.timedelta and _LONGEST_BACK <= value <= _LONGEST


def is_int64(value: Any) -> TypeGuard[int]:
    """Whether a value is an int (no bool) that int64 holds."""
    return type(value) is int and INT64_MIN <= value <= INT64_MAX
