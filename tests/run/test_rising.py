"""Until numba has compiled a kernel: which way rows go, and what explain() says."""

import math

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.batch import from_arrow, from_records
from batchprep.run import either_way
from batchprep.run.either_way import MOST_WHOLE, has_ways
from batchprep.run.inputs import Plans
from batchprep.run.kernels import AUTO_NUMBA_ROWS, Kernels
from batchprep.run.ways import BRIEF_TRIALS, GROWTH, LARGE, TRIAL, WARM_UP, known_ways
from tests.run.clock import AUTO, added, have_risen, records_of
from tests.run.programs import traced_program

AT_ONCE = 8_192  # rows that the interpreter gets at once, in these tests


def test_until_the_kernel_is_there_any_number_of_dicts_may_go_either_way(monkeypatch):
    records = records_of(MOST_WHOLE)
    compiled = traced_program(added, records)
    table = from_arrow(pa.Table.from_pylist(records))

    assert has_ways(compiled, from_records(records), AUTO)
    assert not has_ways(compiled, table, AUTO)
    have_risen(monkeypatch)
    assert not has_ways(compiled, from_records(records), AUTO)
    monkeypatch.setattr(either_way, "is_coming", lambda rows: rows == MOST_WHOLE)  # the reader
    assert has_ways(compiled, from_records(records), AUTO)


@pytest.mark.parametrize("rows", [LARGE, 10_000, 30_000])
def test_before_the_kernel_the_interpreter_gets_what_it_does_faster(clock_of, monkeypatch, rows):
    monkeypatch.setattr(either_way, "MOST", AT_ONCE)
    clock = clock_of(compiled=4.0, interpreter=1.0)
    records = records_of(rows)

    assert bp.vectorize(added)(records) == [added(r) for r in records]
    assert clock.rows["compiled"] <= WARM_UP + BRIEF_TRIALS * TRIAL * GROWTH
    assert max(size for way, size in clock.parts if way == "interpreter") <= AT_ONCE


def test_a_kernel_that_arrives_amid_a_batch_gets_the_rest(clock_of, monkeypatch):
    clock = clock_of(compiled=4.0, interpreter=1.0)
    monkeypatch.setattr(either_way, "MOST", AT_ONCE)
    records = records_of(4 * AT_ONCE)
    asked = []

    def have_compiled(_, rows):
        asked.append(rows)
        have_risen(monkeypatch)

    monkeypatch.setattr(Plans, "await_kernels", have_compiled)
    results = bp.vectorize(added)(records)

    assert results == [added(r) for r in records]
    assert asked[0] == len(records)
    way, size = clock.parts[-1]
    assert (way, size > 2 * AT_ONCE) == ("compiled", True)
    assert clock.parts[-2] == ("interpreter", AT_ONCE)


def test_rows_that_the_interpreter_answered_have_the_kernel_compiled(clock_of, monkeypatch):
    clock_of(compiled=4.0, interpreter=1.0)
    raised = []
    monkeypatch.setattr(Kernels, "_raise", lambda *_: raised.append(1))
    run = bp.vectorize(added)
    run(records_of(AUTO_NUMBA_ROWS - 1))
    assert not raised

    run(records_of(AUTO_NUMBA_ROWS))
    assert raised


@pytest.mark.parametrize("failing", [100, WARM_UP + 3, 20_000])
def test_before_the_kernel_an_exception_is_that_of_its_row(clock_of, failing):
    clock_of(compiled=4.0, interpreter=1.0)
    records = records_of(MOST_WHOLE)
    records[failing]["n"] = "x"
    run = bp.vectorize(added)

    with pytest.raises(TypeError) as raised:
        run(records)

    assert f"row {failing:,}" in "\n".join(raised.value.__notes__)


def waved(r):
    return math.sin(r["a"]) * math.cos(r["b"]) + math.sin(r["b"]) * math.exp(r["a"])


def test_what_numba_alone_makes_faster_pays_once_its_kernel_is_there(monkeypatch):
    schema = {"a": float, "b": float}

    assert bp.vectorize(waved).explain(schema).pays.startswith("yes, once numba's kernel is there")
    assert bp.vectorize(waved, backend="numba").explain(schema).pays.startswith("yes:")
    monkeypatch.setattr(Plans, "has_risen", lambda _: True)
    assert bp.vectorize(waved).explain(schema).pays.startswith("yes:")


@pytest.mark.parametrize(
    ("compiled", "verdict"), [(4.0, "not yet, rows go to the interpreter"), (0.25, "yes, and more")]
)
def test_what_was_measured_of_numpy_is_no_verdict_on_numba(
    clock_of, monkeypatch, compiled, verdict
):
    clock_of(compiled=compiled, interpreter=1.0)
    run = bp.vectorize(waved)
    run([{"a": 1.5, "b": 0.5}] * 5_000)

    assert [ways.brief for ways in known_ways(run._programs.last.program.trace)] == [True]
    assert run.explain().pays.startswith(verdict)
    monkeypatch.setattr(Plans, "has_risen", lambda _: True)
    assert "measured: " not in run.explain().pays
