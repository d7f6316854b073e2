"""Files for the tests: written by Arrow itself, or byte by byte."""

import datetime as dt
import decimal
import json

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

DAY = dt.date(2024, 2, 29)
TIME = dt.datetime(2024, 2, 29, 12, 30, 1, 250)  # noqa: DTZ001  a column without a zone

# A value column for each type that Arrow files carry; nulls in each.
COLUMNS = {
    "null": pa.array([None, None, None]),
    "bool": pa.array([True, None, False]),
    "int8": pa.array([-128, None, 127], pa.int8()),
    "uint8": pa.array([0, None, 255], pa.uint8()),
    "int16": pa.array([-(2**15), None, 1], pa.int16()),
    "uint16": pa.array([2**16 - 1, None, 1], pa.uint16()),
    "int32": pa.array([-(2**31), None, 1], pa.int32()),
    "uint32": pa.array([2**32 - 1, None, 1], pa.uint32()),
    "int64": pa.array([-(2**63), None, 2**63 - 1], pa.int64()),
    "uint64": pa.array([2**64 - 1, None, 0], pa.uint64()),
    "float": pa.array([1.5, None, float("inf")], pa.float32()),
    "double": pa.array([0.1, None, -0.0], pa.float64()),
    "string": pa.array(["", None, "é\n,\"'"]),
    "large_string": pa.array(["a", None, "b"], pa.large_string()),
    "binary": pa.array([b"", None, b"\xff\x00"], pa.binary()),
    "fixed_binary": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "date": pa.array([DAY, None, dt.date(1, 1, 1)], pa.date32()),
    "timestamp": pa.array([TIME, None, TIME], pa.timestamp("us")),
    "timestamp_ms": pa.array([0, None, 1], pa.timestamp("ms")),
    "timestamp_utc": pa.array([TIME, None, TIME], pa.timestamp("us", "UTC")),
    "time": pa.array([dt.time(1, 2, 3, 4), None, dt.time()], pa.time64("us")),
    "duration": pa.array([dt.timedelta(1, 2, 3), None, dt.timedelta()], pa.duration("us")),
    "decimal": pa.array([decimal.Decimal("1.50"), None, None], pa.decimal128(10, 2)),
    "dictionary": pa.array(["x", None, "y"]).dictionary_encode(),
    "list": pa.array([[1, None], None, []], pa.list_(pa.int64())),
    "large_list": pa.array([["a"], None, []], pa.large_list(pa.string())),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
}


def table_of(*names):
    return pa.table({name: COLUMNS[name] for name in names or COLUMNS})


def write(path, table, **options):
    """The table as the file that the suffix names, by pyarrow."""
    name = path.name
    compression = {"gz": "gzip", "zst": "zstd"}.get(name.rpartition(".")[2])
    stem = name.rpartition(".")[0] if compression else name
    with pa.output_stream(str(path), compression=compression) as sink:
        _WRITERS[stem.rpartition(".")[2]](sink, table, options)
    return path


def write_ndjson(sink, table, options):
    lines = (json.dumps(record, **options) + "\n" for record in table.to_pylist())
    sink.write("".join(lines).encode())


def write_file(sink, table, options):
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, **options)


def write_stream(sink, table, options):
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, **options)


_WRITERS = {
    "parquet": lambda sink, table, options: pq.write_table(table, sink, **options),
    "csv": lambda sink, table, options: pacsv.write_csv(table, sink, **options),
    "tsv": lambda sink, table, options: pacsv.write_csv(
        table, sink, pacsv.WriteOptions(delimiter="\t")
    ),
    "ndjson": write_ndjson,
    "arrow": write_file,
    "ipc": write_stream,
}


def rows_of(source, rows=524_288, **options):
    """All rows, and the place of each batch."""
    batches = list(source.batches(rows, **options))
    return [record for batch in batches for record in batch.records()]
