"""A column of every Arrow type, with nulls and the values at its edges."""

import datetime as dt
import decimal

import pyarrow as pa

D = decimal.Decimal
UNION = pa.UnionArray.from_sparse(
    pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])], ["int", "str"]
)


def _array(values, dtype):
    return pa.array(values, dtype)


def _ticks(dtype, *ticks):
    return pa.array([*ticks, None], pa.int64()).cast(dtype)


SCALARS = {
    "null": pa.nulls(3),
    "bool": _array([True, None, False], pa.bool_()),
    "int8": _array([-128, None, 127], pa.int8()),
    "int64": _array([-(2**63), None, 2**63 - 1], pa.int64()),
    "uint8": _array([0, None, 255], pa.uint8()),
    "uint64": _array([0, None, 2**64 - 1], pa.uint64()),
    "float16": _array([0.5, None, -0.0], pa.float16()),
    "float32": _array([0.1, None, float("-inf"), 3.0], pa.float32()),
    "float64": _array([0.1, None, 1e300, -0.0, 5e-324, float("inf"), 3.0], pa.float64()),
    "decimal32": _array([D("1.50"), None, D("-0.01")], pa.decimal32(5, 2)),
    "decimal64": _array([D("1.50"), None, D("-0.01")], pa.decimal64(15, 2)),
    "decimal128": _array([D("1" * 30 + ".50"), None], pa.decimal128(38, 2)),
    "decimal256": _array([D("1" * 60 + ".50"), None], pa.decimal256(76, 2)),
    "date32": _array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)], pa.date32()),
    "date64": _array([dt.date(1969, 7, 20), None], pa.date64()),
    "time32[s]": _array([dt.time(23, 59, 59), None], pa.time32("s")),
    "time32[ms]": _array([dt.time(1, 2, 3, 4000), None, dt.time(0)], pa.time32("ms")),
    "time64[us]": _array([dt.time(1, 2, 3, 4), None, dt.time(0)], pa.time64("us")),
    "timestamp[s]": _ticks(pa.timestamp("s"), 0, -1, 4_102_444_800),
    "timestamp[ms]": _ticks(pa.timestamp("ms"), 0, -1, 1_500),
    "timestamp[us]": _ticks(pa.timestamp("us"), 0, -1, 1_500_000, -62_135_596_800_000_000),
    "timestamp[us, zone]": _ticks(pa.timestamp("us", "Europe/Berlin"), 0, -1, -5 * 10**15),
    "timestamp[us, UTC]": _ticks(pa.timestamp("us", "UTC"), 0, 1_603_587_600_000_000),
    "timestamp[ms, offset]": _ticks(pa.timestamp("ms", "-03:30"), 0, 1),
    "duration[s]": _ticks(pa.duration("s"), 5, -5),
    "duration[us]": _ticks(pa.duration("us"), 0, 1, -1, 86_400_000_000),
    "string": _array(["", None, 'a "b", c', "two\nlines\r", "é\u2028☃", "NULL"], pa.string()),
    "large_string": _array(["", None, "x"], pa.large_string()),
    "string_view": _array(["", None, "longer than twelve bytes"], pa.string_view()),
    "dictionary": _array(["", None, "b", "b"], pa.string()).dictionary_encode(),
}
# Python has no value for their last digits, so they are compared apart.
NANOSECONDS = {
    "time64[ns]": _ticks(pa.time64("ns"), 1, 1_000_000_001),
    "timestamp[ns]": _ticks(pa.timestamp("ns"), 1, -1, 1_500_000_000),
    "duration[ns]": _ticks(pa.duration("ns"), 1, -1, 2**62),
}
NESTED = {
    "list": _array([[1, None], None, []], pa.list_(pa.int64())),
    "large_list": _array([["a"], None, []], pa.large_list(pa.string())),
    "fixed_size_list": _array([[1.5, 2.0], None], pa.list_(pa.float64(), 2)),
    "list_view": _array([[1], None, []], pa.list_view(pa.int64())),
    "struct": _array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}], None),
    "deep": _array([[{"a": [{"b": dt.date(2020, 1, 2)}]}], None, [None]], None),
    "map": _array([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())),
    "struct of dictionary": pa.StructArray.from_arrays(
        [_array(["x", None], pa.string()).dictionary_encode()], ["d"]
    ),
    "list of times": _array(
        [[dt.datetime.fromisoformat("2020-01-02T03")], None], pa.list_(pa.timestamp("us"))
    ),
}
ENCODED = {
    "run_end_encoded": pa.RunEndEncodedArray.from_arrays([2, 3], ["a", None]),
    "dictionary of ints": _array([7, None, 7], pa.int64()).dictionary_encode(),
}
EMPTY_STRUCT = {"empty struct": _array([{}, None], pa.struct([]))}
BINARY = {
    "binary": _array([b"\xff\x00", None], pa.binary()),
    "large_binary": _array([b"", None], pa.large_binary()),
    "binary_view": _array([b"\xff", None], pa.binary_view()),
    "fixed_size_binary": _array([b"abc", None], pa.binary(3)),
}
INTERVAL = {"interval": _array([(1, 2, 3), None], pa.month_day_nano_interval())}
EXTENSION = {"uuid": _array([b"0123456789abcdef", None], pa.uuid())}
UNIONS = {"union": UNION}

TEXT = SCALARS | ENCODED
JSON = TEXT | NESTED | EMPTY_STRUCT
PARQUET = (
    SCALARS | NANOSECONDS | NESTED | BINARY | EXTENSION | {"dict": ENCODED["dictionary of ints"]}
)
EVERY = JSON | NANOSECONDS | BINARY | INTERVAL | EXTENSION | UNIONS
# What Parquet has no type for comes back as the next one that holds its values.
PARQUET_TYPES = {
    pa.timestamp("s"): pa.timestamp("ms"),
    pa.time32("s"): pa.time32("ms"),
    pa.date64(): pa.date32(),
    ENCODED["dictionary of ints"].type: pa.int64(),
}


def table_of(array):
    """Two columns, so that no line of a CSV file is empty."""
    return pa.table({"row": pa.array(range(len(array))), "x": array})
