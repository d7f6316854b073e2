"""Calls one after the other: tables, globals and objects that change, effects, results kept."""

from __future__ import annotations

import itertools
import random

import pytest

import batchprep as bp
from tests.fuzz.compare import same
from tests.nested.constants import Meter

TABLE = {"NO": [1, 2], "PL": []}
SETTINGS = {"tax": {"NO": 0.25}, "steps": [1, 2]}
SCALE = [2]


def helper(value):
    return [value]


@pytest.fixture
def run(backend):
    """Calls a vectorized function on a backend."""

    def call(function, records, **options):
        with bp.use(backend=backend, threads=1, **options):
            return function(records)

    return call


def _vectorized(function):
    return bp.vectorize(function, on_unsupported="ignore")


def _records(count=8):
    keys = itertools.cycle(("NO", "PL", "XX", "NO"))
    return [
        {"n": n, "k": key, "tags": ["a", key]} for n, key in zip(range(count), keys, strict=False)
    ]


def _is_the_loop(function, vectorized, run):
    expected = [function(record) for record in _records()]
    return same(expected, run(vectorized, _records()))


def test_a_table_of_a_closure_that_changes_is_read_again(run):
    table = {"NO": 1}

    def f(r):
        return [table.get(r["k"], 0), sorted(table), r["n"] * len(table)]

    vectorized = _vectorized(f)
    for change in ({}, {"PL": 5}, {"NO": "x"}, {"A": None}):
        table.update(change)
        assert _is_the_loop(f, vectorized, run)


def test_a_list_deep_in_a_global_that_changes_is_read_again(run, monkeypatch):
    monkeypatch.setitem(SETTINGS, "steps", [1, 2])

    def f(r):
        return {
            "steps": [s * r["n"] for s in SETTINGS["steps"]],
            "tax": SETTINGS["tax"].get(r["k"]),
        }

    vectorized = _vectorized(f)
    assert _is_the_loop(f, vectorized, run)
    SETTINGS["steps"].append(3)
    assert _is_the_loop(f, vectorized, run)
    SETTINGS["steps"].clear()
    assert _is_the_loop(f, vectorized, run)


def test_a_global_that_is_bound_anew_is_read_again(run, monkeypatch):
    def f(r):
        return [n * r["n"] for n in SCALE] + helper(r["k"])

    vectorized = _vectorized(f)
    assert _is_the_loop(f, vectorized, run)
    monkeypatch.setitem(globals(), "SCALE", (3, "x"))
    assert _is_the_loop(f, vectorized, run)
    monkeypatch.setitem(globals(), "helper", lambda value: [value, value])
    assert _is_the_loop(f, vectorized, run)


def test_an_attribute_that_changes_is_read_again(run):
    meter = Meter(3, {"NO": "Norway"})

    def f(r):
        return (meter.grade(r["n"]), meter.named(r["k"]), sorted(meter.names))

    vectorized = _vectorized(f)
    assert _is_the_loop(f, vectorized, run)
    meter.high = 1
    meter.names["PL"] = "Poland"
    assert _is_the_loop(f, vectorized, run)


def test_a_free_variable_that_is_bound_anew_is_read_again(run):
    limit = 3

    def f(r):
        return sorted([r["n"], limit], key=lambda n: -n)

    vectorized = _vectorized(f)
    assert _is_the_loop(f, vectorized, run)
    limit = "x"
    assert run(vectorized, [], on_error="null") == []
    with pytest.raises(TypeError, match="bad operand type for unary -: 'str'"):
        run(vectorized, _records())
    limit = -1.5
    assert _is_the_loop(f, vectorized, run)


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda r: [r["k"]], id="new list"),
        pytest.param(lambda r: sorted(r["k"]), id="list of a text"),
        pytest.param(lambda r: {"k": r["k"], "parts": [r["k"], []]}, id="dict with a list"),
        pytest.param(lambda r: r["k"].split("O"), id="split"),
        pytest.param(lambda r: [tag.lower() for tag in r["tags"]], id="comprehension"),
        pytest.param(lambda r: (r["k"], [1, 2]), id="constant list in a tuple"),
        pytest.param(lambda r: {tag: [] for tag in r["tags"]}, id="dict comprehension"),
    ],
)
def test_a_result_that_its_caller_writes_changes_nothing_else(function, run):
    vectorized = _vectorized(function)
    records = _records()
    results = run(vectorized, records)
    expected = [function(record) for record in _records()]
    for row in random.Random(1).sample(range(len(results)), 3):
        for target in (results[row], expected[row]):
            _spoil(target)

    assert same(results, expected)
    assert records == _records()
    assert same(run(vectorized, _records()), [function(record) for record in _records()])


def _spoil(result):
    target = result[1] if isinstance(result, tuple) else result
    if isinstance(target, list):
        target.append("spoiled")
        return
    for part in target.values():
        if isinstance(part, list):
            part.append("spoiled")
    target["spoiled"] = True


def test_a_list_of_a_table_is_the_tables_own(run, monkeypatch):
    monkeypatch.setitem(TABLE, "PL", [])

    def f(r):
        return TABLE.get(r["k"])

    vectorized = _vectorized(f)
    first = run(vectorized, _records())

    assert [result is TABLE["PL"] for result in first] == [r["k"] == "PL" for r in _records()]
    TABLE["PL"].append("written by the caller")
    assert _is_the_loop(f, vectorized, run)
    assert first[1] == ["written by the caller"]


def test_a_record_that_changes_after_the_call_does_not_change_computed_results(run):
    vectorized = _vectorized(lambda r: {"all": [*r["tags"]], "own": r["tags"]})
    records = _records()
    results = run(vectorized, records)
    records[0]["tags"].append("later")

    assert results[0] == {"all": ["a", "NO"], "own": ["a", "NO", "later"]}


def test_what_is_printed_comes_once_per_row_and_in_order(run, capsys):
    def f(r):
        print(r["n"], end=" ")
        return [r["n"] + 1]

    results = run(_vectorized(f), _records())

    assert results == [[n + 1] for n in range(8)]
    assert capsys.readouterr().out == "0 1 2 3 4 5 6 7 "


def test_effects_of_rows_after_the_failing_one_do_not_happen(run):
    seen = []

    def f(r):
        seen.append(r["n"])
        return [10 // (r["n"] - 3)]

    with pytest.raises(ZeroDivisionError):
        run(_vectorized(f), _records())

    assert seen == [0, 1, 2, 3]


def test_an_iterator_from_outside_is_read_once_per_row(run):
    numbers = iter(range(100))

    def f(r):
        return [next(numbers), r["k"]]

    vectorized = _vectorized(f)
    first, second = run(vectorized, _records(3)), run(vectorized, _records(2))

    assert [*first, *second] == [[0, "NO"], [1, "PL"], [2, "XX"], [3, "NO"], [4, "PL"]]


def test_random_numbers_are_drawn_in_the_order_of_rows(run):
    chance = random.Random(7)

    def f(r):
        return [chance.random(), r["n"]] if r["n"] % 2 else [r["n"]]

    results = run(_vectorized(f), _records())
    again = random.Random(7)

    assert results == [[again.random(), n] if n % 2 else [n] for n in range(8)]


def test_records_that_share_a_list_see_each_others_writes(run):
    shared = []
    vectorized = _vectorized(lambda r: r["tags"].append(r["n"]) or len(r["tags"]))

    assert run(vectorized, [{"n": n, "tags": shared} for n in range(4)]) == [1, 2, 3, 4]
    assert shared == [0, 1, 2, 3]


def test_an_iterator_of_records_is_read_no_further_than_it_must_be(backend):
    read = []

    def records():
        for record in _records(3):
            read.append(record["n"])
            yield record
        raise KeyError("the source")

    with bp.use(backend=backend, threads=1):
        results = _vectorized(lambda r: [tag * r["n"] for tag in r["tags"]])(records())
        assert read == []
        with pytest.raises(KeyError, match="the source"):
            list(results)
