"""Stages of numbers run a table in few large batches; what keeps arrays beside them does not."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch import threads
from batchprep.batch.batch import Batch
from batchprep.batch.fresh_arrays import empty_array
from batchprep.batch.threads import CHUNK_ROWS, chunk_bounds
from batchprep.run import batch_rows, runner

TABLE = pa.table(
    {
        "x": pa.array([None if n % 5 == 0 else n / 2 for n in range(1_000)]),
        "n": range(1_000),
        "word": ["a", "b"] * 500,
    }
)


def one_number(r):
    return r["n"] * 2 if r["n"] > 3 else None


def record(r):
    return {
        "double": r["n"] * 2,
        "half": None if r["x"] is None else r["x"] / 2,
        "odd": r["n"] == 1,
    }


def two_kinds(r):
    return r["n"] if r["n"] > 3 else 0.5


def sometimes_a_key(r):
    return {"n": r["n"]} if r["n"] > 3 else {"n": r["n"], "small": True}


def text(r):
    return "large" if r["n"] > 3 else "small"


def reads_text(r):
    return r["word"] == "a"


def handed_through(r):
    return r["x"]


@pytest.fixture
def sizes(monkeypatch):
    """Rows of the batches that were run."""
    found = []
    execute = runner.execute

    def spy(plan, batch, *others):
        found.append(len(batch))
        return execute(plan, batch, *others)

    monkeypatch.setattr(runner, "execute", spy)
    monkeypatch.setattr("batchprep.records.arrow.TABLE_ROWS", 300)
    monkeypatch.setattr(batch_rows, "NUMBER_ROWS", 600)
    return found


@pytest.mark.parametrize("function", [one_number, record])
def test_numbers_are_run_in_large_batches(function, sizes):
    found = bp.vectorize(function, backend="numba")(TABLE)

    assert sizes == [600, 400]
    assert found.to_pylist() == [function(r) for r in TABLE.to_pylist()]


@pytest.mark.parametrize("function", [two_kinds, sometimes_a_key, text, reads_text, handed_through])
def test_other_results_are_run_in_batches_that_the_cache_holds(function, sizes):
    found = bp.vectorize(function, backend="numpy", returns=None)(TABLE)

    assert sizes == [300, 300, 300, 100]
    expected = [function(r) for r in TABLE.to_pylist()]
    if function is sometimes_a_key:
        expected = [{"small": None, **row} for row in expected]
    assert found.to_pylist() == expected


def test_a_stream_comes_in_its_own_batches(sizes):
    bp.vectorize(one_number, backend="numpy")(TABLE.to_reader(max_chunksize=250))

    assert sizes == [250] * 4


def test_the_first_failing_row_of_a_large_batch_raises(sizes):
    with pytest.raises(ZeroDivisionError) as caught:
        bp.vectorize(lambda r: 1 / (r["n"] % 700 - 650), backend="numba")(TABLE)

    assert "row 650" in "".join(caught.value.__notes__)


@pytest.mark.parametrize(
    ("rows", "used", "sizes"),
    [
        (3, 1, [3]),
        (20, 1, [4] * 5),
        (4, 2, [1, 1, 1, 1]),
        (16, 2, [4, 3, 3, 2, 1, 1, 1, 1]),
        (40, 2, [4, 4, 4, 4, 4, 4, 4, 3, 3, 2, 1, 1, 1, 1]),
        (16, 8, [1] * 16),
    ],
)
def test_spans_are_large_at_first_and_even_out_the_threads_at_last(rows, used, sizes):
    last = rows * CHUNK_ROWS - 17
    spans = threads._spans(chunk_bounds(last), used)

    assert [-(-(end - start) // CHUNK_ROWS) for start, end in spans] == sizes
    assert [spans[0][0], spans[-1][1]] == [0, last]
    assert all(start == end for (_, end), (start, _) in itertools.pairwise(spans))


@pytest.mark.parametrize("used", [2, 3, 16, 64])
@pytest.mark.parametrize("rows", [1, 7, 33, 500])
def test_no_thread_waits_long_for_the_last_span(rows, used):
    sizes = [-(-(end - start) // CHUNK_ROWS) for start, end in
             threads._spans(chunk_bounds(rows * CHUNK_ROWS), used)]  # fmt: skip

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert all(size <= -(-sum(sizes[at:]) // used) for at, size in enumerate(sizes))


def test_large_arrays_begin_at_a_cache_line():
    for dtype in (np.float64, np.int8):
        assert empty_array(100_000, dtype).ctypes.data % 64 == 0


def beyond(r):
    return r["a"] + r["b"] - r["b"]


@pytest.mark.parametrize("failing", [None, 3, 41])
@pytest.mark.parametrize("on_error", ["raise", "null", "drop"])
def test_rows_that_leave_the_kernel_are_answered_a_part_at_a_time(monkeypatch, failing, on_error):
    monkeypatch.setattr(runner, "MOST_ANSWERED", 7)
    asked, records = [], Batch.records
    monkeypatch.setattr(
        Batch, "records", lambda self, rows: asked.append(rows) or records(self, rows)
    )
    values = [2**62 if row % 2 else row for row in range(50)]
    others = [None if row == failing else 2**62 for row in range(50)]
    table = pa.table({"a": values, "b": pa.array(others, pa.int64())})
    run = bp.vectorize(beyond, backend="numpy", on_error=on_error)

    if failing is not None and on_error == "raise":
        with pytest.raises(TypeError) as raised:
            run(table)
        assert f"row {failing}" in "\n".join(raised.value.__notes__)
        return
    expected = [None if row == failing else value for row, value in enumerate(values)]
    if on_error == "drop":
        expected = [value for value in expected if value is not None]
    assert run(table).to_pylist() == expected
    assert [len(rows) for rows in asked] == [7, 7, 7, len(asked[-1])]
    assert failing is None or run.report().failures["row"].to_pylist() == [failing]
