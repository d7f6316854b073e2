"""Where a result is of one kind or None, its codes are packed chunk by chunk, and nothing else."""

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.threads import CHUNK_ROWS
from batchprep.run import chunk_arrays
from batchprep.run.arrow_calls import set_bits
from batchprep.run.packed_codes import PACKED_ROWS, packed_codes
from tests.run.programs import traced

ROWS = 2 * CHUNK_ROWS + 1_003  # not a multiple of 8


def some(r):
    return r["n"] if r["n"] % 3 == 0 else None


def none(r):
    return r["n"] + 1 if r["n"] < 0 else None


def every(r):
    return r["n"] + 1 if r["n"] >= 0 else None


def both_kinds(r):
    return r["n"] if r["n"] % 3 == 0 else 0.5 if r["n"] % 3 == 1 else None


def nested(r):
    return {"a": r["n"] if r["n"] % 5 else None, "b": r["n"] / 2, "c": None if r["n"] % 7 else True}


def failing(r):
    return 10 // (r["n"] % 1_000) if r["n"] % 3 else None


def table(rows=ROWS):
    return pa.table({"n": range(rows)})


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [some, none, every, both_kinds, nested])
def test_results_are_those_of_the_loop(backend, function):
    expected = [function({"n": n}) for n in range(ROWS)]
    arrow = bp.vectorize(function, backend=backend)(table())
    listed = bp.vectorize(function, backend=backend)([{"n": n} for n in range(ROWS)])

    assert arrow.to_pylist() == expected
    assert listed == expected


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_rows_that_deviate_are_spliced_in(backend):
    run = bp.vectorize(failing, backend=backend, on_error="null")

    expected = [None if not n % 3 or not n % 1_000 else failing({"n": n}) for n in range(ROWS)]
    assert run(table()).to_pylist() == expected


@pytest.mark.parametrize("slice_of", [(0, ROWS), (5, ROWS - 5), (13, CHUNK_ROWS)])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_nulls_are_read_from_the_bitmap_of_a_slice(backend, slice_of):
    values = [None if n % 4 == 0 else n / 2 for n in range(ROWS)]
    sliced = pa.table({"x": pa.array(values)}).slice(*slice_of)
    run = bp.vectorize(lambda r: r["x"] if r["x"] is None else r["x"] + 1, backend=backend)

    expected = [None if x is None else x + 1 for x in sliced["x"].to_pylist()]
    assert run(sliced).to_pylist() == expected


@pytest.mark.parametrize(("function", "count"), [(some, 1), (nested, 2), (both_kinds, 0)])
def test_only_one_kind_or_none_is_packed(function, count, monkeypatch):
    found = []

    def spy(stage, rows):
        found.append(packed_codes(stage, rows))
        return found[-1]

    monkeypatch.setattr("batchprep.run.execute.packed_codes", spy)
    traced(function, table(PACKED_ROWS))
    traced(function, table(PACKED_ROWS - 1))

    assert [len(packed) for packed in found] == [count, 0]


def test_deviation_bytes_are_kept_of_chunks_with_some(monkeypatch):
    kept = []
    whole = chunk_arrays.Marks.whole

    def spy(marks, length):
        kept.append(sorted(marks._chunks))
        return whole(marks, length)

    monkeypatch.setattr(chunk_arrays.Marks, "whole", spy)
    for zeros in ([], [CHUNK_ROWS + 5]):
        d = [1] * ROWS
        for row in zeros:
            d[row] = 0
        bp.vectorize(lambda r: 1 // r["d"], backend="numba", on_error="null")(pa.table({"d": d}))

    assert kept == [[], [CHUNK_ROWS]]


def test_a_stage_that_cannot_deviate_has_no_deviation_bytes(monkeypatch):
    monkeypatch.setattr(chunk_arrays.Marks, "__init__", None)

    assert bp.vectorize(some, backend="numba")(table(10)).to_pylist()[:4] == [0, None, None, 3]


def test_set_bits_counts_no_further_than_asked():
    assert set_bits(np.array([0b1111_0101, 0b1111_1111], np.uint8), 9) == 7
