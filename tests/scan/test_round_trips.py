"""Every type through every format that carries it."""

import datetime as dt
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batchprep.batch import from_arrow
from batchprep.records.scan import scan
from tests.scan.files import COLUMNS, DAY, TIME, table_of, write

TEXT_NAMES = ("bool", "int64", "double", "date", "timestamp", "timestamp_utc")
PARQUET = [name for name in COLUMNS if name != "duration"]


def read(path, **options):
    return pa.table(scan(path, **options))


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("suffix", ["arrow", "ipc", "ipc.gz", "ipc.zst"])
def test_arrow_files_and_streams_keep_every_type(tmp_path, name, suffix):
    table = table_of(name)

    assert read(write(tmp_path / f"t.{suffix}", table)).equals(table)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4"])
def test_parquet_keeps_every_type(tmp_path, name, compression):
    path = write(tmp_path / "t.parquet", table_of(name), compression=compression)

    assert read(path).equals(pq.read_table(path))
    assert read(path).equals(table_of(name))


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "csv.zst", "tsv", "tsv.gz"])
def test_csv_finds_the_types_that_text_shows(tmp_path, suffix):
    table = table_of(*TEXT_NAMES)

    assert read(write(tmp_path / f"t.{suffix}", table)).equals(table)


@pytest.mark.parametrize(
    "name",
    ["bool", "int8", "uint64", "float", "double", "string", "large_string", "date", "timestamp",
     "timestamp_ms", "timestamp_utc", "time", "decimal", "dictionary"],
)  # fmt: skip
def test_csv_reads_declared_types(tmp_path, name):
    table = table_of(name).append_column("row", pa.array([0, 1, 2]))

    found = read(write(tmp_path / "t.csv", table), schema=table.schema)

    assert found.schema == table.schema
    assert found[name].to_pylist() == [None if v == "" else v for v in table[name].to_pylist()]


@pytest.mark.parametrize("suffix", ["ndjson", "jsonl", "ndjson.gz", "ndjson.zst"])
def test_ndjson_gives_records(tmp_path, suffix):
    names = ("bool", "int64", "uint64", "double", "string", "list", "struct")
    path = write(tmp_path / f"t.{suffix.replace('jsonl', 'ndjson')}", table_of(*names))
    path = path.rename(tmp_path / f"t.{suffix}")

    assert list(scan(path)) == table_of(*names).to_pylist()


@pytest.mark.parametrize(
    ("dtype", "written", "values"),
    [
        (pa.int32(), [1, None], [1, None]),
        (pa.float64(), [1, 0.5], [1.0, 0.5]),
        (pa.string(), ["é", None], ["é", None]),
        (pa.date32(), ["2024-02-29", None], [DAY, None]),
        (pa.timestamp("us"), ["2024-02-29T12:30:01.000250"], [TIME]),
        (pa.decimal128(10, 2), ["1.50", 2], [1.5, 2]),
        (pa.list_(pa.int64()), [[1, 2], []], [[1, 2], []]),
        (pa.dictionary(pa.int32(), pa.string()), ["a", "a"], ["a", "a"]),
        (pa.time64("us"), ["01:02:03"], [dt.time(1, 2, 3)]),
    ],
)
def test_ndjson_reads_declared_types(tmp_path, dtype, written, values):
    path = tmp_path / "t.ndjson"
    path.write_text("".join(json.dumps({"v": v, "other": 1}) + "\n" for v in written))

    found = read(path, schema=pa.schema([("v", dtype)]))

    assert found.schema.field("v").type == dtype
    assert found["v"].to_pylist() == values


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_rows_are_dicts_and_stream_to_arrow_and_other_libraries(tmp_path, suffix):
    polars = pytest.importorskip("polars")
    table = table_of("int64", "bool")
    found = scan(write(tmp_path / f"t.{suffix}", table))

    assert list(found) == table.to_pylist() == from_arrow(found).to_records()
    assert polars.from_arrow(pa.table(found)).to_dicts() == table.to_pylist()


def test_a_file_that_is_written_anew_is_read_anew(tmp_path):
    found = scan(write(tmp_path / "t.parquet", pa.table({"n": [1]})))
    assert list(found) == [{"n": 1}]

    write(tmp_path / "t.parquet", pa.table({"n": [2, 3]}))

    assert list(found) == [{"n": 2}, {"n": 3}]
