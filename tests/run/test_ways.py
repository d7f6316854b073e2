"""Batches of records go the way that takes less time; whichever it is, nothing else tells."""

import dataclasses
import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.batch import from_arrow, from_records
from batchprep.run import runner
from batchprep.run.program import Options
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import run_batch
from batchprep.run.ways import (
    AGAIN_CALLS,
    AGAIN_ROWS,
    LARGE,
    TRIAL,
    TRIALS,
    WARM_UP,
    Ways,
    WaysBySize,
    has_ways,
    part_of_batch,
    ways_of,
)
from tests.run.programs import traced_program

AUTO = Options(backend="auto")


def counted(r):
    return {"words": [w.upper() for w in r["s"].split()], "n": 10 // r["n"]}


def records_of(rows, zero_at=()):
    return [{"s": f"a b{i % 7}", "n": 0 if i in zero_at else i % 5 + 1} for i in range(rows)]


class Clock:
    """A clock that runs while rows run; `rows` counts those of each way."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.now = 0.0
        self.rows = {"compiled": 0, "interpreter": 0}
        self.parts = []

    def ran(self, way, rows):
        self.now += rows * self.seconds[way]
        self.rows[way] += rows
        self.parts.append((way, rows))


@pytest.fixture
def clock_of(monkeypatch):
    run_whole = runner._run_whole

    def install(**seconds):
        clock = Clock(seconds)

        def run(program, batch, *rest):
            clock.ran("interpreter" if program.trace is None else "compiled", len(batch))
            return run_whole(program, batch, *rest)

        monkeypatch.setattr(runner, "_run_whole", run)
        monkeypatch.setattr(runner, "time", SimpleNamespace(perf_counter=lambda: clock.now))
        return clock

    return install


# -------------------------------------------------------------------------------------- the trials


def taken(ways, seconds, parts):
    """The ways that so many parts are given."""
    found = []
    for _ in range(parts):
        way, _ = ways.next()
        ways.took(way, TRIAL, TRIAL * seconds[way], again=AGAIN_ROWS, counted=TRIAL)
        found.append(way)
    return found


def test_the_ways_are_tried_in_turn_behind_a_warm_up():
    ways = Ways()

    assert ways.next() == ("compiled", WARM_UP)
    found = taken(ways, {"compiled": 1.0, "interpreter": 1.0}, 1 + 2 * TRIALS)

    assert found == ["compiled", *["interpreter", "compiled"] * TRIALS]


@pytest.mark.parametrize(
    ("compiled", "interpreter", "best"),
    [
        (1.0, 0.5, "interpreter"),
        (1.0, 0.95, "compiled"),
        (1.0, 1.0, "compiled"),
        (1.0, 9.0, "compiled"),
    ],
)
def test_a_way_takes_over_where_it_is_clearly_faster(compiled, interpreter, best):
    ways = Ways()
    taken(ways, {"compiled": compiled, "interpreter": interpreter}, 1 + 2 * TRIALS)

    assert ways.next() == (best, None)


def test_one_slow_trial_does_not_decide():
    ways = Ways()
    taken(ways, {"compiled": 1.0, "interpreter": 2.0}, 1 + 2 * TRIALS - 1)
    ways.took("compiled", TRIAL, TRIAL * 50.0, again=AGAIN_ROWS, counted=TRIAL)

    assert ways.best == "compiled"


def test_the_warm_up_does_not_count():
    ways = Ways()
    ways.took("compiled", WARM_UP, 1e9, again=AGAIN_ROWS, counted=WARM_UP)
    taken(ways, {"compiled": 1.0, "interpreter": 2.0}, 2 * TRIALS)

    assert ways.next() == ("compiled", None)


def test_both_are_tried_again_after_many_rows():
    ways = Ways()
    taken(ways, {"compiled": 1.0, "interpreter": 0.5}, 1 + 2 * TRIALS)
    ways.took("interpreter", AGAIN_ROWS, 1.0, again=AGAIN_ROWS, counted=AGAIN_ROWS - 1)
    assert ways.next() == ("interpreter", None)

    ways.took("interpreter", 1, 1.0, again=AGAIN_ROWS, counted=1)
    assert ways.next() == ("interpreter", TRIAL)

    taken(ways, {"compiled": 0.1, "interpreter": 0.5}, 2 * TRIALS)
    assert ways.next() == ("compiled", None)


def test_batches_of_about_one_size_share_their_ways():
    sizes = WaysBySize()

    assert sizes.of(1) is sizes.of(15)
    assert sizes.of(16) is not sizes.of(15)
    assert sizes.of(LARGE) is sizes.of(10**9)
    assert sizes.of(LARGE) is not sizes.of(LARGE - 1)


def test_ways_live_as_long_as_their_trace():
    class Trace:
        pass

    trace = Trace()
    ways = weakref.ref(ways_of(trace))

    assert ways_of(trace) is ways()
    assert ways_of(Trace()) is not ways()
    del trace
    gc.collect()
    assert ways() is None


# ---------------------------------------------------------------------------------- which batches


def test_only_records_under_auto_have_ways():
    records = records_of(2 * LARGE)
    compiled = traced_program(counted, records)
    whole = dataclasses.replace(compiled, trace=None)
    table = from_arrow(pa.Table.from_pylist(records))

    assert has_ways(compiled, from_records(records), AUTO)
    assert not has_ways(compiled, from_records(records), Options(backend="numpy"))
    assert not has_ways(compiled, table, AUTO)
    assert not has_ways(whole, from_records(records), AUTO)


def test_many_rows_without_pieces_have_one_way():
    def add(r):
        return r["n"] + 1

    records = records_of(2 * LARGE)
    compiled = traced_program(add, records)

    assert not has_ways(compiled, from_records(records), AUTO)
    assert has_ways(compiled, from_records(records[:5]), AUTO)


def test_a_part_of_a_batch_knows_its_rows():
    records = records_of(10)
    batch = from_records(records)
    part = part_of_batch(batch, 3, 5)

    assert part_of_batch(batch, 0, 10) is batch
    assert [record is own for record, own in zip(part.records(None), records[3:5], strict=True)]
    assert (len(part), part.start) == (2, batch.start + 3)


# --------------------------------------------------------------------------- one call, either way


@pytest.mark.parametrize(
    ("compiled", "interpreter", "most"), [(2.0, 1.0, "interpreter"), (1.0, 2.0, "compiled")]
)
def test_the_faster_way_gets_the_rest(clock_of, compiled, interpreter, most):
    clock = clock_of(compiled=compiled, interpreter=interpreter)
    records = records_of(10_000)

    results = bp.vectorize(counted, backend="auto")(records)

    assert results == [counted(r) for r in records]
    trials = WARM_UP + 2 * TRIALS * TRIAL
    assert clock.rows[most] >= len(records) - trials
    assert clock.parts[-1] == (most, len(records) - trials)
    assert min(clock.rows.values()) > 0


def test_calls_of_few_rows_take_turns_and_settle(clock_of):
    clock = clock_of(compiled=3.0, interpreter=1.0)
    run = bp.vectorize(counted, backend="auto")
    for call in range(20):
        records = records_of(3 + call % 3)
        assert run(records) == [counted(r) for r in records]

    assert all(rows < 16 for _, rows in clock.parts)
    assert {way for way, _ in clock.parts[1 + 2 * TRIALS :]} == {"interpreter"}
    assert len(clock.parts) == 20 < AGAIN_CALLS


def answer(program, records, options, first_row=0):
    """(results, results before the failing row, rows that they stand for, report, error)."""
    report, before, places = ReportBuilder(program), [], []
    results = error = None
    try:
        results = run_batch(
            program, from_records(records), options, report, first_row=first_row, form="python",
            before=before, places=places,
        )  # fmt: skip
    except ZeroDivisionError as raised:
        error = raised
    rows = [part.tolist() for part in places]
    return results, before, rows, report.build(), error


@pytest.mark.parametrize("on_error", ["null", "drop"])
def test_results_places_and_report_are_those_of_one_call(clock_of, on_error):
    clock_of(compiled=2.0, interpreter=1.0)
    records = records_of(4_000, zero_at={5, 300, 700, 2_000, 3_999})
    program = traced_program(counted, records)
    options = Options(backend="auto", on_error=on_error)
    found = answer(program, records, options, first_row=50)
    expected = answer(program, records, dataclasses.replace(options, backend="numpy"), first_row=50)

    assert found[:2] == expected[:2]
    assert [np.concatenate(found[2]).tolist()] == expected[2]
    mine, theirs = found[3], expected[3]
    assert mine.failures.to_pylist() == theirs.failures.to_pylist()
    assert mine.rows == theirs.rows == len(records)
    for stage, other in zip(mine.stages, theirs.stages, strict=True):
        assert (stage.rows_in, stage.rows_out) == (other.rows_in, other.rows_out)


@pytest.mark.parametrize("failing", [0, 100, WARM_UP, WARM_UP + TRIAL + 3, 2_500, 3_999])
@pytest.mark.parametrize("faster", ["compiled", "interpreter"])
def test_an_exception_of_any_part_is_that_of_its_row(clock_of, failing, faster):
    clock_of(**{"compiled": 2.0, "interpreter": 2.0, faster: 1.0})
    records = records_of(4_000, zero_at={failing, 3_999})
    program = traced_program(counted, records)
    results, before, rows, _, error = answer(program, records, AUTO)

    assert results is None
    assert before == [counted(r) for r in records[:failing]]
    assert [row for part in rows for row in part] == list(range(failing))
    assert f"row {failing:,}" in "\n".join(error.__notes__)


def test_rows_behind_the_failing_one_do_not_run(clock_of):
    clock = clock_of(compiled=1.0, interpreter=1.0)
    records = records_of(4_000, zero_at={10})
    answer(traced_program(counted, records), records, AUTO)

    assert sum(clock.rows.values()) == WARM_UP


def test_a_failing_part_is_no_trial(clock_of):
    clock_of(compiled=1.0, interpreter=0.1)
    records = records_of(4_000)
    program = traced_program(counted, records)
    ways = ways_of(program.trace).of(len(records))
    for _ in range(5):
        answer(program, records_of(4_000, zero_at={1}), AUTO)

    assert ways.next() == ("compiled", WARM_UP)


def test_an_input_that_is_written_is_not_changed_either_way(clock_of):
    clock_of(compiled=2.0, interpreter=1.0)

    def titled(r):
        r["s"] = " ".join(w.title() for w in r["s"].split())
        return r

    records = records_of(3_000)
    results = bp.vectorize(titled, backend="auto")(records)

    assert records == records_of(3_000)
    assert results == [titled(r) for r in records_of(3_000)]
