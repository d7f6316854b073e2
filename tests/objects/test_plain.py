"""What pieces may touch: nothing of the user's runs unseen, and nothing is written."""

from __future__ import annotations

import enum
import operator
import types
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest

import batchprep as bp
from batchprep.plan.plain import is_plain_enum
from batchprep.rowfn.purity import ATTRIBUTES, CHANGING, READING
from tests.objects.constants import READ_ONLY, Color, Level, Right, Tier

READABLE = sorted(name for name in READING | ATTRIBUTES | CHANGING if not name.startswith("__"))
CALLS = []


def enum_with(name, found):
    """An enum of one member that has something of that name."""

    def body(namespace):
        namespace["FIRST"] = 1
        namespace[name] = found

    return types.new_class("WithName", (enum.Enum,), exec_body=body)


class Shouting(enum.Enum):
    RED = "NO"

    def __eq__(self, other):
        CALLS.append(other)
        return self is other

    __hash__ = enum.Enum.__hash__


class Guessing(enum.Enum):
    RED = "NO"

    @classmethod
    def _missing_(cls, value):
        CALLS.append(value)
        return cls.RED


class Logged(Mapping):
    """A mapping that notes who asks."""

    def __getitem__(self, key):
        CALLS.append(key)
        return key

    def __iter__(self):
        return iter(["NO"])

    def __len__(self):
        return 1


SHOWN = MappingProxyType(Logged())
CHANGEABLE = {"NO": 25}
VIEW = MappingProxyType(CHANGEABLE)
RECORDS = [{"k": key, "n": number} for number, key in enumerate(("NO", "PL", "XX", "NO"))]


def compares_member(r):
    return [Shouting.RED == r["k"]]


def guesses_member(r):
    return [Guessing(r["k"])]


def reads_view_of_mapping(r):
    return [SHOWN[r["k"]]]


@dataclass(frozen=True)
class Watched:
    code: str

    @property
    def size(self):
        CALLS.append(self.code)
        return 1


@dataclass(frozen=True)
class Loud:
    code: str

    def __eq__(self, other):
        CALLS.append(other)
        return True

    __hash__ = None


class Kept(NamedTuple):
    code: str


class Overriding(Kept):
    __slots__ = ()

    @property
    def code(self):
        CALLS.append(1)
        return "NO"


WATCHED, LOUD, OVERRIDING = Watched("NO"), [Loud("NO")], (Overriding("NO"),)


def reads_property(r):
    return [WATCHED.size, r["k"]]


def compares_with_loud(r):
    return [one.code for one in LOUD if one == r["k"]]


def reads_overridden_field(r):
    return [one.code == r["k"] for one in OVERRIDING]


class Asking(type):
    """A metaclass that notes who asks its classes."""

    def __getitem__(cls, key):
        CALLS.append(key)
        return key

    def __contains__(cls, key):
        CALLS.append(key)
        return True

    def __instancecheck__(cls, value):
        CALLS.append(value)
        return False


class Asked(metaclass=Asking):
    pass


class Indexed:
    def __class_getitem__(cls, key):
        CALLS.append(key)
        return key


def asks_class_for_item(r):
    return [Asked[r["k"]], r["k"] in Asked]


def asks_class_for_instances(r):
    return isinstance(r["k"], Asked)


def indexes_class(r):
    return [Indexed[r["k"]]]


def adds_in_place(r):
    return [np.add(r["a"], 1, out=r["a"]).tolist()]


def adds_into_third(r):
    return [np.add(r["a"], 1, r["a"]).tolist()]


def replaces_nan_in_place(r):
    return [np.nan_to_num(np.log(r["a"], out=r["a"]), copy=False).tolist()]


RUNNING = [
    compares_member,
    guesses_member,
    reads_view_of_mapping,
    reads_property,
    compares_with_loud,
    reads_overridden_field,
    asks_class_for_item,
    asks_class_for_instances,
    indexes_class,
]


def parses_both(r):
    return (datetime.fromisoformat(r["s"]), date.fromisoformat(r["s"]))


def gets_both(r):
    return (operator.itemgetter("k")(r), operator.itemgetter("n")(r))


def reads_view(r):
    return VIEW.get(r["k"], 0)


@pytest.mark.parametrize("class_", [Color, Level, Tier, Right])
def test_enums_with_methods_of_other_names_are_plain(class_):
    assert is_plain_enum(class_)


@pytest.mark.parametrize("name", READABLE)
def test_an_enum_with_a_method_that_pieces_may_call_is_not_plain(name):
    assert not is_plain_enum(enum_with(name, lambda self: self))
    assert not is_plain_enum(enum_with(name, classmethod(lambda cls: cls)))


@pytest.mark.parametrize("name", ["__eq__", "__hash__", "__str__", "__format__", "__bool__"])
def test_an_enum_with_operators_of_its_own_is_not_plain(name):
    assert not is_plain_enum(enum_with(name, lambda self, *_: 1))


@pytest.mark.parametrize("function", RUNNING)
def test_code_of_the_users_runs_once_a_row(function, backend):
    CALLS.clear()
    expected = [function(record) for record in RECORDS]
    expected_calls = CALLS.copy()
    CALLS.clear()
    with bp.use(backend=backend):
        found = bp.vectorize(function, on_unsupported="ignore")(RECORDS)

    assert found == expected
    assert expected_calls == CALLS


@pytest.mark.parametrize("function", [adds_in_place, adds_into_third, replaces_nan_in_place])
def test_arrays_of_the_record_are_written_once(function, backend):
    records, own = ([{"a": np.array([1.0, 2.0])} for _ in range(3)] for _ in range(2))
    expected = [function(record) for record in records]
    with bp.use(backend=backend):
        found = bp.vectorize(function, on_unsupported="ignore")(own)

    assert found == expected
    assert [record["a"].tolist() for record in own] == [r["a"].tolist() for r in records]


@pytest.mark.parametrize(
    ("function", "records"), [(parses_both, [{"s": "2024-02-29"}]), (gets_both, RECORDS)]
)
def test_functions_of_one_name_stay_apart(function, records, backend):
    with bp.use(backend=backend):
        found = bp.vectorize(function, on_unsupported="ignore")(records)

    assert found == [function(record) for record in records]


def test_a_read_only_table_is_read_as_it_is_at_each_call(backend):
    run = bp.vectorize(reads_view)
    with bp.use(backend=backend):
        before = run(RECORDS)
        CHANGEABLE["PL"] = 23
        after = run(RECORDS)
        del CHANGEABLE["PL"]

    assert (before, after) == ([25, 0, 0, 25], [25, 23, 0, 25])


def test_numpy_warns_as_often_as_in_the_loop(backend):
    def logarithm(r):
        return [np.log(r["n"] - 1)]

    with pytest.warns(RuntimeWarning) as in_loop:
        expected = [logarithm(record) for record in RECORDS]
    with pytest.warns(RuntimeWarning) as ours, bp.use(backend=backend):
        found = bp.vectorize(logarithm)(RECORDS)

    assert repr(found) == repr(expected)
    assert [str(one.message) for one in ours] == [str(one.message) for one in in_loop]


def test_members_and_tables_are_given_as_they_are(backend):
    def chosen(r):
        return (Color.RED if r["n"] else Color.BLUE, READ_ONLY, Level(r["n"] or 1))

    with bp.use(backend=backend):
        found = bp.vectorize(chosen, on_unsupported="ignore")(RECORDS[:2])

    assert [tuple(map(id, row)) for row in found] == [
        (id(Color.BLUE), id(READ_ONLY), id(Level.LOW)),
        (id(Color.RED), id(READ_ONLY), id(Level.LOW)),
    ]
