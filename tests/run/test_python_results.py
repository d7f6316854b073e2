import datetime as dt
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from batchprep.batch.batch import Batch
from batchprep.batch.record_rows import RecordRows
from tests.run.programs import run, traced, traced_program

COLOURS = {"red": 1, "blue": 2.5, "grey": "dull", "none": None}
NAMES = {"red": "rouge", "blue": "bleu"}
RECORDS = [
    {
        "n": i,
        "x": None if i % 3 == 0 else i / 4,
        "s": ("red", "blue", "grey", "none")[i % 4],
        "t": "red" if i % 5 == 0 else f"word {i % 6}",
        "day": dt.date(2024, 1, 1 + i % 28),
        "tags": ["a"] * (i % 3),
    }
    for i in range(40)
]

FUNCTIONS = {
    "constant": lambda r: 3,
    "nothing": lambda r: None,
    "int": lambda r: r["n"] + 1,
    "bool": lambda r: r["n"] > 3,
    "float or none": lambda r: r["x"],
    "int or float": lambda r: r["n"] if r["n"] > 9 else 0.5,
    "many kinds": lambda r: COLOURS[r["s"]],
    "string": lambda r: r["t"],
    "string of two fields": lambda r: r["s"] if r["n"] % 2 else r["t"],
    "string or constant": lambda r: "red!" if r["s"] == "red" else r["t"],
    "equal strings of two fields": lambda r: r["s"] == r["t"],
    "string table": lambda r: NAMES.get(r["s"], "?"),
    "string table of a string table": lambda r: COLOURS.get(NAMES.get(r["s"]), r["s"]),
    "date": lambda r: r["day"],
    "date or list or none": lambda r: r["day"] if r["n"] > 20 else r["tags"] if r["n"] else None,
    "dict": lambda r: {"b": r["n"], "a": r["s"]},
    "empty dict": lambda r: {},
    "dict or none": lambda r: {"n": r["n"]} if r["x"] is not None else None,
    "dict of mixed kinds": lambda r: {"v": r["x"] or r["s"], "day": r["day"]},
    "two shapes of dict": lambda r: {"a": 1, "b": r["n"]} if r["n"] % 2 else {"b": 2, "a": r["x"]},
    "nested dict": lambda r: {"in": {"n": r["n"], "x": r["x"]}, "t": (r["s"], 1)},
    "tuple": lambda r: (r["n"], r["s"]),
    "tuple of one": lambda r: (r["x"],),
    "empty tuple": lambda r: (),
    "tuples of two lengths": lambda r: (r["n"],) if r["n"] % 2 else (r["s"], r["n"], 0),
    "spread": lambda r: {**r, "n": r["n"] * 2, "new": r["s"]},
    "copy": lambda r: dict(r),  # noqa: PLW0108
    "record or other": lambda r: r if r["n"] % 3 else {"n": -1} if r["n"] % 2 else None,
}


def shown(results):
    return [repr(result) for result in results]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_equal_the_loop(name):
    function = FUNCTIONS[name]
    ran = traced(function, RECORDS)

    assert shown(ran.results) == shown(map(function, RECORDS))
    assert ran.report.stages[0].deviations == {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_beside_deviating_rows_equal_the_loop(name):
    def function(r):
        1 // (r["n"] - 7)
        1 // (r["n"] - 12)
        return inner(r)

    inner = FUNCTIONS[name]
    ran = traced(function, RECORDS, on_error="drop")

    kept = [r for r in RECORDS if r["n"] not in {7, 12}]
    assert shown(ran.results) == shown(map(inner, kept))
    assert sum(ran.report.stages[0].deviations.values()) == 2


def written(r):
    if r["n"] > 20:
        r["n"] = r["s"]
        r["new"] = r["x"]
    return r


def test_a_written_record_is_a_copy_and_an_unwritten_one_the_callers_own():
    records = [dict(r) for r in RECORDS]
    results = traced(written, records).results

    assert shown(results) == [repr(written(dict(r))) for r in RECORDS]
    assert records == RECORDS
    assert all(results[i] is records[i] for i in range(21))


def test_a_written_record_keeps_its_type_and_a_spread_one_does_not():
    records = [OrderedDict(n=i, s="a", x=None) for i in range(15, 25)]

    assert set(map(type, traced(written, records).results)) == {OrderedDict}
    assert {type(r) for r in traced(lambda r: {**r, "n": 0}, records).results} == {dict}


class Point(NamedTuple):
    x: float
    y: int


@dataclass
class Spot:
    x: float
    y: int


@pytest.mark.parametrize("make", [Point, Spot])
def test_records_with_attributes_are_returned_themselves(make):
    records = [make(i / 2, i) for i in range(6)]
    results = traced(lambda r: r if r.y > 2 else r.x, records).results

    assert results == [0.0, 0.5, 1.0, *records[3:]]
    assert results[3] is records[3]


def test_a_lone_surrogate_is_a_string_like_any_other():
    records = [{"s": "a"}, {"s": "\ud800"}, {"s": "b"}]

    assert traced(lambda r: r["s"], records).results == ["a", "\ud800", "b"]


class Loud(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, f"{value}!")


def test_records_of_a_class_of_their_own_are_left_to_the_interpreter():
    def marked(r):
        r["n"] = r["n"] + 1
        return r

    records = [{"n": 1}, Loud(n=2), OrderedDict(n=3)]
    ran = traced(marked, records)

    assert shown(ran.results) == ["{'n': 2}", "{'n': '3!'}", repr(OrderedDict(n=4))]
    assert ran.report.stages[0].deviations == {"record of another type than dict": 1}


def test_what_is_no_record_fails_as_in_the_loop():
    program = traced_program(lambda r: {**r, "new": 1}, [{"n": 1}])

    with pytest.raises(TypeError, match="'NoneType' object is not a mapping"):
        run(program, Batch(RecordRows([{"n": 1}, None], "mapping")))
