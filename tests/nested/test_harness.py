"""The harness itself: what it must find, by subjects that are wrong in one way each."""

from __future__ import annotations

import copy

import pytest

from tests.fuzz import sharing
from tests.nested import harness, records
from tests.nested.harness import Subject

RECORDS = tuple({"n": n, "tags": ["a", "b"]} for n in range(3))
SHARED = ["shared"]


class Wrong:
    """A row loop that does something else to its results or records."""

    def __init__(self, function, spoil):
        self._function = function
        self._spoil = spoil

    def __call__(self, data):
        return self._spoil(self._function, list(data))

    def report(self):
        raise LookupError


def loop(function, data):
    return [function(record) for record in data]


def twice(function, data):
    loop(function, data)
    return loop(function, data)


def backwards(function, data):
    return loop(function, data[::-1])[::-1]


def copies(function, data):
    return copy.deepcopy(loop(function, data))


def one_for_all(function, data):
    return [function(data[0])] * len(data)


def writes(function, data):
    data[1]["tags"].append("x")
    return loop(function, data)


def counting():
    seen = []

    def count(r):
        seen.append(r["n"])
        return list(seen)

    return count


def apart(function, data):
    return [[list(part) for part in result] for result in loop(function, data)]


def floats(function, data):
    return [type(result)(map(float, result)) for result in loop(function, data)]


def lengths(function, data):
    return [map(len, record["tags"]) for record in data]


@pytest.mark.parametrize(
    ("make", "spoil", "found"),
    [
        (lambda: lambda r: r["tags"], copies, "row 0: parts of the record are {}"),
        (lambda: lambda r: [1], one_for_all, "results share"),
        (lambda: lambda r: SHARED, copies, "are objects of the function"),
        (lambda: lambda r: [r["tags"], r["tags"]], apart, "results share []"),
        (lambda: lambda r: r["n"], writes, "row 1: the record is now"),
        (lambda: lambda r: (r["n"], 1), floats, "row 0: (0.0, 1.0)"),
        (lambda: lambda r: {r["n"], 1}, floats, "row 0: {0.0, 1.0}"),
        (lambda: lambda r: map(str, r["tags"]), lengths, "row 0"),
        (counting, twice, "row 0"),
        (counting, backwards, "row 0"),
    ],
)
def test_a_wrong_subject_is_found(make, spoil, found, monkeypatch):
    monkeypatch.setattr(harness.bp, "vectorize", lambda f, **_: Wrong(f, spoil))

    (difference,) = Subject(make).examine(RECORDS, "python", ("list",)).differences

    assert found in difference


@pytest.mark.parametrize(
    "make",
    [
        counting,
        lambda: lambda r: SHARED,
        lambda: lambda r: (r["tags"], [r, r["tags"]]),
        lambda: lambda r: (tag for tag in r["tags"]),
        lambda: lambda r: dict(r, n={1, float("nan")}),
    ],
)
def test_the_loop_equals_itself(make, monkeypatch):
    monkeypatch.setattr(harness.bp, "vectorize", lambda f, **_: Wrong(f, loop))

    assert Subject(make).examine(RECORDS, "python", ("list", "iterator")).differences == []


def test_shared_parts_are_named_by_their_places():
    shared = [1]
    record = {"tags": shared, "n": 3}

    assert sharing.among([{"a": shared}, (shared, 2)]) == [[(0, "a"), (1, 0)]]
    assert sharing.among([[1], [1], ("x", 2)]) == []
    assert sharing.of_records([{"mine": shared}], [record]) == [{("mine",): ("tags",)}]
    assert sharing.of_records([record], [record]) == [{(): (), ("tags",): ("tags",)}]


def test_no_two_records_share_a_part():
    rows = records.records(tuple(records.PLAIN), "plain")

    assert [places for places in sharing.among(rows) if len({row for row, *_ in places}) > 1] == []
