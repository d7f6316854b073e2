"""Copies of records: as copy.deepcopy makes them, however they were made."""

# ruff: noqa: DTZ001  naive datetimes are data here

import copy
import datetime as dt
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from batchprep.batch.copies import deep_copy


@dataclass
class Point:
    x: float
    tag: str | None = None


@dataclass
class Path:
    points: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Fixed:
    x: float


@dataclass(slots=True)
class Slotted:
    x: float


@dataclass
class Moved(Point):
    y: float = 0.0


@dataclass
class Counted:
    """One that says how it is copied."""

    n: int

    def __deepcopy__(self, memo):
        return Counted(self.n + 1)


@dataclass
class Stated:
    """One that is not the same after it was copied."""

    n: int

    def __getstate__(self):
        return {"n": self.n, "copied": True}


class Plain:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return vars(self) == vars(other)

    __hash__ = None


Pair = namedtuple("Pair", "a b")

RECORDS = [
    {"a": 1, "b": 2.5, "c": None, "d": "x", "e": Decimal("1.50"), "f": dt.datetime(2024, 5, 6)},
    {"a": [1, [2]], "b": {"c": [3]}},
    {("a", 1): 2},
    {},
    Point(1.5),
    Point(1.5, ["not", "a", "text"]),
    Path([Point(1.0)]),
    Fixed(2.5),
    Slotted(2.5),
    Moved(1.0, "m", 2.0),
    Counted(3),
    Stated(3),
    Plain(4),
    Pair([1], 2),
    OrderedDict(b=[1], a=2),
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_copy_is_that_of_the_copy_module(record):
    made, expected = deep_copy(record), copy.deepcopy(record)
    assert type(made) is type(expected)
    assert made == expected
    assert repr(made) == repr(expected) or isinstance(record, Plain)
    assert getattr(made, "__dict__", None) == getattr(expected, "__dict__", None)


@pytest.mark.parametrize("record", [{"a": 1}, Point(1.5), Fixed(2.5), Moved(1.0)])
def test_a_copy_is_another_object(record):
    assert deep_copy(record) is not record


def test_what_is_written_into_a_copy_is_not_in_the_record():
    record = {"a": [1], "b": Point(1.5)}
    made = deep_copy(record)
    made["a"].append(2)
    made["b"].x = 2.5
    assert record == {"a": [1], "b": Point(1.5)}


def test_an_attribute_beside_the_fields_is_copied():
    record = Point(1.5)
    record.seen = [1]
    made = deep_copy(record)
    assert made.seen == [1]
    assert made.seen is not record.seen
