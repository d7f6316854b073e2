"""Columns handed through stay as they lie, whichever rows deviate."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import batchprep as bp

NS = "2024-05-01T00:00:00.123456789"
COLUMNS = {
    "timestamp": pa.array([1, 1_234_567_890_123_456_789], pa.timestamp("ns")),
    "zoned": pa.array([1, 1_234_567_890_123_456_789], pa.timestamp("ns", "Europe/Berlin")),
    "duration": pa.array([1, 2_001], pa.duration("ns")),
    "time": pa.array([1, 2_000], pa.time64("ns")),
    "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
    "run ends": pc.run_end_encode(pa.array([b"x", b"x"])),
    "list": pa.array([[1], [2_000]], pa.list_(pa.timestamp("ns"))),
    "list view": pa.array([[1], [2]], pa.list_view(pa.int8())),
    "struct": pa.array([{"t": 1}, {"t": 2_000}], pa.struct([("t", pa.timestamp("ns"))])),
    "sparse union": pa.UnionArray.from_sparse(
        pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
    ),
    "dense union": pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["b"])]
    ),
    "interval": pa.array([(1, 2, 3), (4, 5, 6)], pa.month_day_nano_interval()),
    "decimal": pa.array([1, 2], pa.decimal256(50, 3)),
    "binary": pa.array([b"ab", b"cd"], pa.binary(2)),
    "days": pa.array([dt.date(2020, 1, 1), None], pa.date64()),
}

FUNCTIONS = {
    "record with a key": lambda r: {**r, "n": r["x"] * 2 > 5},
    "record": lambda r: r,
    "key": lambda r: {"t": r["t"], "n": r["x"] * 2 > 5},
    "interpreted record": lambda r: {**r, "n": hash(r["x"]) > 5},
    "interpreted key": lambda r: {"t": r["t"], "n": hash(r["x"]) > 5},
}


@pytest.fixture(autouse=True)
def one_backend():
    with bp.use(backend="numpy", on_unsupported="ignore"):
        yield


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("form", FUNCTIONS)
@pytest.mark.parametrize("xs", [[2**63 - 1, 1], [1, 2]])
def test_column_of_a_table_result(name, form, xs):
    table = pa.table({"x": xs, "t": COLUMNS[name]})
    result = bp.vectorize(FUNCTIONS[form])(table)

    assert one(result["t"]).equals(COLUMNS[name])


@pytest.mark.parametrize("name", COLUMNS)
def test_column_as_the_result(name):
    table = pa.table({"x": [2**63 - 1, 1], "t": COLUMNS[name]})
    result = bp.vectorize(lambda r: r["t"])(table)
    pairs = bp.vectorize(lambda r: (r["t"], r["x"] * 2 > 0))(table)

    assert one(result).equals(COLUMNS[name])
    assert one(pairs).field(0).equals(COLUMNS[name])


@pytest.mark.parametrize("name", COLUMNS)
def test_one_of_two_columns_in_each_row(name):
    table = pa.table({"x": [1, 2**63 - 1], "t": COLUMNS[name], "u": COLUMNS[name]})
    result = bp.vectorize(lambda r: {"v": r["t"] if r["x"] * 2 > 5 else r["u"]})(table)

    assert one(result["v"]).equals(COLUMNS[name])


@pytest.mark.parametrize(
    "function",
    [
        lambda r: {**r, "a": r["b"], "n": r["x"] * 2 > 5},
        lambda r: {**r, "a": r["b"], "n": hash(r["x"]) > 5},
    ],
)
def test_value_from_another_column_of_the_type(function):
    turned = COLUMNS["map"].take(pa.array([1, 0]))
    table = pa.table({"x": [2**63 - 1, 1], "a": COLUMNS["map"], "b": turned})

    assert one(bp.vectorize(function)(table)["a"]).equals(turned)


def test_list_that_was_written_into_is_no_longer_the_columns():
    table = pa.table({"x": [2**63 - 1, 1], "l": pa.array([[1], [2]], pa.list_view(pa.int64()))})

    def grown(r):
        items = r["l"]
        items.append(r["x"] * 0)
        return {"l": items}

    assert bp.vectorize(grown)(table)["l"].to_pylist() == [[1, 0], [2, 0]]


def test_numpys_answers_to_times_below_a_microsecond():
    stamps = pa.array([np.datetime64(NS), None], pa.timestamp("ns"))
    table = pa.table({"t": stamps})

    assert bp.vectorize(lambda r: r["t"] == r["t"])(table).to_pylist() == [True, True]
    assert one(bp.vectorize(lambda r: r["t"])(table)).equals(stamps)
    with pytest.raises(TypeError, match=r"row 0: np\.datetime64"):
        bp.vectorize(lambda r: r["t"], returns=pa.timestamp("us"))(table)


def test_failed_rows_leave_the_others():
    table = pa.table({"x": [0, 1], "t": COLUMNS["map"]})
    function = bp.vectorize(lambda r: {**r, "n": 1 // r["x"]}, on_error="drop")

    assert one(function(table)["t"]).equals(COLUMNS["map"].slice(1))


def test_wide_table_takes_time_in_proportion():
    names = [f"c{i}" for i in range(3_000)]
    table = pa.table({name: [1, 2**63 - 1] for name in names})
    result = bp.vectorize(lambda r: {**r, "z": r["c7"] * 2 > 3})(table)

    assert result.drop(["z"]).equals(table)
    assert result["z"].to_pylist() == [False, True]


def one(column):
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
