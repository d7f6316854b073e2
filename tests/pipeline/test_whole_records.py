"""A function that is given the record as a whole gets every column of the file."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import batchprep as bp

TABLE = pa.table({"a": [1, 2], "b": [3, 4], "c": ["x", "y"]})


@pytest.fixture(params=["parquet", "csv"])
def path(request, tmp_path):
    file = tmp_path / f"rows.{request.param}"
    pq.write_table(TABLE, file) if request.param == "parquet" else csv.write_csv(TABLE, file)
    return file


def copied(r):
    return {"n": len(dict(r))}


def dumped(r):
    return {"text": json.dumps(r)}


def named_and_whole(r):
    total = r["b"] * 2
    return {"total": total, "keys": ",".join(k for k, v in r.items() if v)}


@bp.pure
def size(r):
    return len(r)


def through_a_pure_helper(r):
    return {"n": size(r)}


def unpacked(r):
    left, right = (float(part) for part in (r["a"], r["b"]))
    return {"area": left * right * len(r["c"])}


@pytest.mark.parametrize(
    "function", [copied, dumped, named_and_whole, through_a_pure_helper, unpacked]
)
def test_no_column_is_left_out_for_a_function_of_the_whole_record(path, function):
    expected = [function(record) for record in TABLE.to_pylist()]

    assert bp.Pipeline().map(function)(path).to_pylist() == expected
    behind_a_filter = bp.Pipeline().filter(lambda r: r["a"] > 0).map(function)
    assert behind_a_filter(path).to_pylist() == expected


def test_columns_that_no_step_reads_are_still_left_out(tmp_path):
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    pipe = bp.Pipeline().map(lambda r: {"b": r["b"] + 1})

    assert pipe(tmp_path / "rows.parquet").to_pylist() == [{"b": 4}, {"b": 5}]
