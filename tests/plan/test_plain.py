"""Which objects a piece may read: reading them changes nothing and runs no code of the user's."""

import abc
import collections
import dataclasses
import datetime as dt
import enum
import fractions
import hashlib
import re
import types
import zoneinfo
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from batchprep.plan.plain import (
    behind_view,
    field_of,
    fields_of,
    is_fixed,
    is_plain,
    is_plain_class,
    is_plain_type,
    is_single,
    plain_object,
)
from batchprep.plan.tables import Refused


class Colour(enum.Enum):
    RED = 1

    def shown(self):
        return "red"


class Loud(enum.Enum):
    RED = 1

    def __str__(self):
        return "LOUD"


class Named(enum.Enum):
    RED = 1

    @property
    def name(self):
        return "not red"


@dataclasses.dataclass
class Point:
    x: int
    held: object = None


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: int
    held: object = None


@dataclasses.dataclass
class Equal:
    x: int

    def __eq__(self, other):
        return True

    __hash__ = None


@dataclasses.dataclass
class Hooked:
    x: int

    def __getattr__(self, name):
        return 1


class Pair(collections.namedtuple("Pair", "a b")):
    __slots__ = ()


Couple = collections.namedtuple("Couple", "a b")


class Text(str):
    __slots__ = ()


class Numbers(list):
    pass


class Own:
    pass


PLAIN = [
    None, True, 1, 1.5, 1j, "a", b"a", bytearray(b"a"), range(2), [1], (1,), {"a": 1}, {1},
    frozenset({1}), collections.OrderedDict(a=1), collections.deque([1]), collections.Counter("a"),
    dt.date(2024, 1, 2), dt.timedelta(1), dt.UTC, Decimal(1), fractions.Fraction(1, 2),
    re.compile("a"), re.match("a", "a"), Colour.RED, Point(1), Fixed(1), Couple(1, 2),
    np.float64(1.5), np.int8(1), pd.Timestamp(2024, 1, 2), pd.NA, hashlib.md5(b"a"),
    zoneinfo.ZoneInfo("UTC"), types.MappingProxyType({"a": 1}),
]  # fmt: skip
OTHER = [
    Own(), Text("a"), Numbers(), collections.defaultdict(list), iter([1]), (x for x in (1,)),
    map(str, [1]), np.array([1]), Loud.RED, Named.RED, Equal(1), Hooked(1), types.SimpleNamespace(),
    open, types.MappingProxyType(collections.UserDict()),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: type(value).__name__)
def test_objects_of_known_types_may_be_read(value):
    assert plain_object(value) is value


@pytest.mark.parametrize("value", OTHER, ids=lambda value: type(value).__name__)
def test_objects_that_may_run_code_are_refused(value):
    with pytest.raises(Refused):
        plain_object(value)


def test_no_handler_of_the_users_sees_the_refusal():
    assert not issubclass(Refused, Exception)


HOLDERS = {
    "list": lambda x: [x],
    "tuple in a list": lambda x: [(1, x)],
    "value of a dict": lambda x: {"a": x},
    "dict in a dict": lambda x: {"a": {"b": [x]}},
    "deque": lambda x: collections.deque([x]),
    "ordered dict": lambda x: collections.OrderedDict(a=x),
    "dataclass": lambda x: Point(1, x),
    "named tuple": lambda x: Couple(1, x),
    "view of a dict": lambda x: types.MappingProxyType({"a": x}),
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=list(HOLDERS))
def test_what_an_object_holds_counts(hold):
    assert is_plain(hold(1))
    assert not is_plain(hold(Own()))
    assert not is_plain(hold(collections.defaultdict(list)))


@pytest.mark.parametrize("hold", [lambda x: {x}, lambda x: {x: 1}, lambda x: frozenset({x})])
def test_hashed_objects_count(hold):
    assert is_plain(hold("a"))
    assert not is_plain(hold(Text("a")))


def test_an_object_that_holds_itself_is_left_alone():
    endless = []
    endless.append(endless)

    assert not is_plain(endless)


@pytest.mark.parametrize(
    ("type_", "plain"),
    [(Colour, True), (Loud, False), (Named, False), (Point, True), (Equal, False), (Hooked, False),
     (Couple, True), (Own, False), (np.float32, True), (np.ndarray, False), (pd.Series, False)],
)  # fmt: skip
def test_types_are_judged_by_what_they_override(type_, plain):
    assert is_plain_type(type_) is plain


@pytest.mark.parametrize(
    ("value", "fixed"),
    [(1, True), ((1, "a"), True), (([],), False), ([], False), ({}, False), (Colour.RED, True),
     (Point(1), False), (Fixed(1), True), (Fixed(1, []), False), (Couple(1, 2), True),
     (Couple(1, []), False), (frozenset({1}), True), (Own(), False)],
    ids=lambda value: str(value).split(" object")[0],
)  # fmt: skip
def test_fixed_is_what_cannot_change_nor_what_it_holds(value, fixed):
    assert is_fixed(value) is fixed


def test_one_of_a_kind_is_what_no_copy_is_made_of():
    assert is_single(Colour.RED)
    assert is_single(int)
    assert is_single(zoneinfo.ZoneInfo("UTC"))
    assert not is_single(zoneinfo.ZoneInfo.no_cache("UTC"))
    assert not is_single((1, 2))


def test_a_view_shows_its_dict_alone():
    shown = {"a": 1}
    other = types.MappingProxyType(collections.UserDict(a=1))

    assert behind_view(types.MappingProxyType(shown)) is shown
    assert behind_view(other) is other
    assert behind_view(shown) is shown


class Computed(Couple):
    __slots__ = ()

    @property
    def a(self):
        return "computed"


def test_fields_are_read_and_nothing_else():
    assert fields_of(Point) == {"x", "held"}
    assert fields_of(Own) == frozenset()
    assert field_of(Point(3), "x") == 3
    assert "a" not in fields_of(Computed)
    for owner, name in ((Point(3), "__class__"), (Own(), "x"), (Couple(1, 2), "count")):
        with pytest.raises(Refused):
            field_of(owner, name)


class Answering(type):
    def __getitem__(cls, key):
        return key


class Asked(metaclass=Answering):
    pass


class Generic:
    def __class_getitem__(cls, key):
        return key


class Hooking(abc.ABC):  # noqa: B024  it hooks without an abstract method
    @classmethod
    def __subclasshook__(cls, other):
        return True


@pytest.mark.parametrize(
    ("class_", "plain"),
    [(int, True), (Own, True), (Colour, True), (collections.abc.Sized, True), (Asked, False),
     (Generic, False), (Hooking, False)],
)  # fmt: skip
def test_classes_that_answer_themselves_are_told(class_, plain):
    assert is_plain_class(class_) is plain
