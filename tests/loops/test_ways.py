"""A loop over dicts goes in columns or as it is written, whichever takes less time."""

import copy
import itertools
from collections import defaultdict
from types import SimpleNamespace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.api import loop_runs, loop_ways
from batchprep.api.loop_ways import LoopWays, are_plain, fresh_states
from batchprep.run.runner import FASTER_IN_PYTHON
from batchprep.run.ways import TRIALS
from tests.loops import examples
from tests.loops.test_table import outcome


def roots(records):
    out = []
    for r in records:
        value = r["a"] * r["b"]
        if value > 10:
            out.append(value**0.5)
    return out


def numbered(records):
    out = {}
    for i, r in enumerate(records, 5):
        out[r["b"]] = i
    return out


def by_place(records):
    total = 0
    for i in range(len(records)):
        total += records[i]["a"] * i
    return total


def first_large(records):
    for r in records:
        if r["a"] > 1e9:
            return r["b"]
    return None


def running(records):
    out, last = [], None
    for r in records:
        out.append(None if last is None else r["a"] - last)
        last = r["a"]
    return out


LOOPS = [roots, numbered, by_place, first_large, running]


def records_of(rows):
    return [{"a": float(i % 97), "b": i % 7} for i in range(rows)]


class Clock:
    """A clock that runs while rows run."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.now = 0.0
        self.tried = 0
        self.compiled = 0


@pytest.fixture
def clock_of(monkeypatch):
    tried, batch = LoopWays._tried, loop_runs.LoopRun.batch

    def install(**seconds):
        clock = Clock(seconds)

        def try_(self, whole, rows, *rest):
            found = tried(self, whole, rows, *rest)
            clock.tried += 0 if found is None else len(rows)
            return None if found is None else len(rows) * clock.seconds["written"]

        def run(self, part, *rest):
            clock.now += len(part) * clock.seconds["compiled"]
            clock.compiled += len(part)
            return batch(self, part, *rest)

        monkeypatch.setattr(LoopWays, "_tried", try_)
        monkeypatch.setattr(loop_runs.LoopRun, "batch", run)
        monkeypatch.setattr(loop_ways, "time", SimpleNamespace(thread_time=lambda: clock.now))
        return clock

    return install


# ------------------------------------------------------------------------------- which way is taken


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("rows", [5, 200, 9_000])
def test_the_loop_as_it_is_written_takes_over_where_it_is_faster(clock_of, loop, rows):
    clock_of(compiled=3.0, written=1.0)
    run, records = bp.vectorize_loop(loop), records_of(rows)
    for _ in range(2 + TRIALS):
        assert run(records) == loop(records)

    (stage,) = run.report().stages
    assert (stage.backend, stage.rows_in) == (FASTER_IN_PYTHON, rows)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_columns_keep_the_rows_where_they_are_faster(clock_of, loop):
    clock = clock_of(compiled=1.0, written=3.0)
    run, records = bp.vectorize_loop(loop), records_of(9_000)
    for _ in range(3):
        assert run(records) == loop(records)

    assert clock.compiled == 3 * len(records)
    assert FASTER_IN_PYTHON not in run.report().stages[0].backend


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_the_first_call_goes_on_as_it_is_written(clock_of, loop):
    clock = clock_of(compiled=3.0, written=1.0)
    run, records = bp.vectorize_loop(loop), records_of(9_000)

    assert run(records) == loop(records)
    assert 0 < clock.compiled < len(records)
    assert clock.tried < len(records)
    assert run.report().rows == len(records)
    assert FASTER_IN_PYTHON in run.report().stages[0].backend


def test_an_exception_in_what_is_left_is_the_loops_own(clock_of):
    clock_of(compiled=3.0, written=1.0)
    records = [*records_of(9_000), {"a": "x"}]

    assert outcome(bp.vectorize_loop(roots), records) == outcome(roots, records)


def test_a_backend_that_is_asked_for_is_taken(clock_of):
    clock = clock_of(compiled=3.0, written=1.0)
    run = bp.vectorize_loop(roots, backend="numpy")
    for _ in range(2 + TRIALS):
        run(records_of(50))

    assert clock.tried == 0


@pytest.mark.parametrize("loop", [roots, numbered, first_large, running], ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [pa.Table.from_pylist, pd.DataFrame, pl.DataFrame])
def test_records_are_made_of_columns_where_the_loop_is_faster(clock_of, loop, make):
    clock = clock_of(compiled=3.0, written=1.0)
    run, records = bp.vectorize_loop(loop), records_of(20_000)
    for _ in range(2 + TRIALS):
        assert run(make(records)) == loop(records)

    (stage,) = run.report().stages
    assert (stage.backend, stage.rows_in) == (FASTER_IN_PYTHON, len(records))
    assert 0 < clock.tried < len(records)


def test_columns_keep_their_rows_where_they_are_faster(clock_of):
    clock = clock_of(compiled=1.0, written=3.0)
    run, table = bp.vectorize_loop(roots), pa.Table.from_pylist(records_of(9_000))
    for _ in range(3):
        assert run(table) == roots(table.to_pylist())

    assert clock.compiled == 3 * len(table)


def test_dicts_and_columns_are_measured_apart(clock_of):
    clock = clock_of(compiled=3.0, written=1.0)
    run, records = bp.vectorize_loop(roots), records_of(9_000)
    run(records)
    assert run.report().stages[0].backend.endswith(FASTER_IN_PYTHON)
    clock.seconds = {"compiled": 1.0, "written": 3.0}
    clock.compiled = 0
    run(pa.Table.from_pylist(records))

    assert clock.compiled == len(records)


def test_explain_says_what_was_measured(clock_of):
    clock_of(compiled=3e-7, written=1e-7)
    run, records = bp.vectorize_loop(roots), records_of(9_000)
    assert "pays   over many dicts perhaps" in str(run.explain(records))
    run(records)

    text = "pays   no, rows go to the interpreter, measured: 300 ns a row compiled, 100 in the"
    assert text in str(run.explain(records))
    assert "pays   yes: no dict" in str(run.explain(pa.Table.from_pylist(records)))


# --------------------------------------------------------------------------- nobody sees the trials


@pytest.mark.parametrize(
    ("first", "data"), [(0, examples.clean), (7, examples.dirty)], ids=["clean", "dirty"]
)
def test_calls_one_after_the_other_give_what_the_loop_gives(first, data):
    for function in examples.ALL[first::20]:  # one call for each of the whole table takes a minute
        run, records = bp.vectorize_loop(function, on_unsupported="ignore"), data(40)
        for _ in range(3 + TRIALS):
            given = copy.deepcopy(records)
            assert outcome(run, given) == outcome(function, copy.deepcopy(records))


def test_what_stands_around_the_loop_happens_once(clock_of):
    clock_of(compiled=3.0, written=1.0)
    seen = []

    def told(records):
        seen.append("before")
        total = 0
        for r in records:
            total += r["b"] * 2
        seen.append("after")
        return total

    run = bp.vectorize_loop(told)
    for _ in range(2 + TRIALS):
        run(records_of(30))

    assert seen == ["before", "after"] * (2 + TRIALS)


def test_a_default_factory_of_the_users_is_not_called_for_a_trial():
    numbers = itertools.count()

    assert fresh_states({"d": defaultdict(numbers.__next__)}) is None
    assert fresh_states({"d": defaultdict(list)}) == {"d": {}}


def test_states_that_hold_something_are_left_alone():
    full = ["x"]

    assert fresh_states({"out": full}) is None
    assert fresh_states({"out": [], "n": 0, "best": None}) == {"out": [], "n": 0, "best": None}


def test_a_fresh_state_is_an_object_of_its_own():
    out = []
    fresh = fresh_states({"out": out})
    fresh["out"].append(1)

    assert out == []


class Odd(dict):
    pass


@pytest.mark.parametrize(
    ("record", "plain"),
    [({"a": 1, "b": None}, True), ({"a": [1]}, False), ({"a": object()}, False), (Odd(a=1), False)],
)
def test_only_dicts_of_plain_values_are_tried(record, plain):
    assert are_plain([{"a": 1.5}, record]) is plain


def test_a_loop_over_other_records_is_not_tried(clock_of):
    clock = clock_of(compiled=3.0, written=1.0)

    def pairs(records):
        out = []
        for r in records:
            out.append((r["a"] + 1, r["tags"]))  # noqa: PERF401  the loop is what is tested
        return out

    records = [{**r, "tags": ["x"]} for r in records_of(40)]
    run = bp.vectorize_loop(pairs)
    for _ in range(2 + TRIALS):
        assert run(records) == pairs(records)

    assert clock.tried == 0
    assert clock.compiled == (2 + TRIALS) * len(records)
