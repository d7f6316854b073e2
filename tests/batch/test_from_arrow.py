"""Batches over Arrow data."""

# ruff: noqa: DTZ001  naive datetimes are data here

import datetime as dt

# ruff: noqa: DTZ001  naive datetimes are data here
import decimal
import math
import sys
import zoneinfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import batchprep as bp
from batchprep.batch import from_arrow
from batchprep.batch.times import time_of
from batchprep.dtypes import INT64_MAX, KIND_CODE, KINDS, TIME_BOUNDS
from batchprep.schema import Field
from tests.batch.test_from_records import same

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
DAY = dt.datetime(2024, 2, 29, 12, 0, 0, 7)
INT_TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
UINT_TYPES = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]

# An array with a null in the middle, and the Python values of its rows.
ARRAYS = [
    *[(pa.array([1, None, -128], dtype), [1, None, -128]) for dtype in INT_TYPES],
    *[(pa.array([1, None, 255], dtype), [1, None, 255]) for dtype in UINT_TYPES],
    (pa.array([2**64 - 1, None], pa.uint64()), [2**64 - 1, None]),
    (pa.array([0.1, None, math.nan], pa.float32()), [float(np.float32(0.1)), None, math.nan]),
    (pa.array([0.1, None, -0.0], pa.float64()), [0.1, None, -0.0]),
    (pa.array(np.array([0.5, 2], np.float16)), [0.5, 2.0]),
    (pa.array([True, None, False]), [True, None, False]),
    *[
        (pa.array(["x", None, "ü"]).cast(dtype), ["x", None, "ü"])
        for dtype in (pa.string(), pa.large_string(), pa.string_view())
    ],
    (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
    (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), ["x", None, "x"]),
        ["x", None, "x", None],
    ),
    (pa.array([7, None, 7]).dictionary_encode(), [7, None, 7]),
    (pc.run_end_encode(pa.array([7, 7, None])), [7, 7, None]),
    (pa.array([DAY.date(), None]), [DAY.date(), None]),
    (pa.array([DAY.date(), None], pa.date64()), [DAY.date(), None]),
    (pa.array([DAY, None], pa.timestamp("us")), [DAY, None]),
    (pa.array([DAY, None], pa.timestamp("ns")), [DAY, None]),
    (pa.array([0, None], pa.timestamp("s", "UTC")), [dt.datetime(1970, 1, 1, tzinfo=BERLIN), None]),
    (pa.array([10**9], pa.duration("ms")), [dt.timedelta(seconds=10**6)]),
    (pa.array([-1000, None], pa.duration("ns")), [dt.timedelta(microseconds=-1), None]),
    (pa.array([[1, None], None, []]), [[1, None], None, []]),
    (pa.array([[1], None, []], pa.large_list(pa.int8())), [[1], None, []]),
    (pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), [[1, 2], None]),
    (pa.array([[1], None, []], pa.list_view(pa.int8())), [[1], None, []]),
    (pa.array([{"a": 1, "b": None}, None]), [{"a": 1, "b": None}, None]),
    (pa.array([[{"t": DAY}]]), [[{"t": DAY}]]),
    (pa.nulls(2), [None, None]),
    (pa.array([b"\0", None]), [b"\0", None]),
    (pa.array([decimal.Decimal("1.50"), None]), [decimal.Decimal("1.50"), None]),
    (pa.array([dt.time(1, 2, 3, 4), None]), [dt.time(1, 2, 3, 4), None]),
    (
        pa.array([[("k", DAY)], None, [("l", None)]], pa.map_(pa.string(), pa.timestamp("ns"))),
        [[("k", DAY)], None, [("l", None)]],
    ),
]
ARRAYS = [
    (array, [v if v is None or type(v) is not dt.datetime or v.tzinfo is None else
             dt.datetime(1970, 1, 1, tzinfo=zoneinfo.ZoneInfo("UTC")) for v in values])
    for array, values in ARRAYS
]  # fmt: skip


def ids(value):
    return str(value.type) if isinstance(value, pa.Array) else ""


@pytest.mark.parametrize(("array", "values"), ARRAYS, ids=ids)
def test_records_hold_the_values_of_every_type(array, values):
    batch = from_arrow(pa.table({"v": array}))

    assert same([record["v"] for record in batch.to_records()], values)
    assert same(batch.values("v"), values)
    assert batch.to_arrow()["v"].type == array.type


@pytest.mark.parametrize(("array", "values"), ARRAYS, ids=ids)
def test_a_slice_holds_the_values_of_its_rows(array, values):
    padded = pa.concat_arrays([array, array, array]) if sliceable(array) else array
    expected = values * 3 if sliceable(array) else values
    batch = from_arrow(pa.record_batch({"v": padded}).slice(1, len(expected) - 1))

    assert same(batch.values("v"), expected[1:])
    assert same(batch.values("v", np.array([0], np.intp)), expected[1:2])


def sliceable(array):
    return not isinstance(array, (pa.RunEndEncodedArray, pa.DictionaryArray))


@pytest.mark.parametrize(("array", "values"), ARRAYS, ids=ids)
def test_columns_hold_the_values_of_every_type(array, values):
    column = from_arrow(pa.table({"v": array})).column("v")

    for row, value in enumerate(values):
        kind = next(iter(column.field.kinds)) if column.kind is None else KINDS[column.kind[row]]
        if column.irregular is not None and column.irregular[row]:
            assert value == 2**64 - 1
        elif kind in column.buffers:
            assert same(payload_of(column, kind, row), value)
        else:
            assert (kind == "none") == (value is None)


def payload_of(column, kind, row):
    found = column.buffers[kind][row].item()
    if kind == "str":
        return column.words[found].as_py()
    return time_of(kind, found) if kind in TIME_BOUNDS else found


def test_kinds_and_bounds_follow_from_the_type():
    schema = pa.schema([pa.field("n", pa.uint8(), nullable=False), ("u", pa.uint64())])
    batch = from_arrow(schema.empty_table())

    assert batch.field("n") == Field("n", frozenset({"int"}), 0, 255)
    assert batch.field("u") == Field("u", frozenset({"int", "none"}), 0, INT64_MAX)
    assert batch.field("x") == Field("x", frozenset({"absent"}))


@pytest.mark.parametrize("dtype", [pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()])
def test_numbers_are_viewed_not_copied(dtype):
    array = pa.array([1, None, 3, 4], dtype).slice(1)
    kind = "float" if pa.types.is_floating(dtype) else "int"

    buffer = from_arrow(pa.record_batch({"v": array})).column("v").buffers[kind]

    address = buffer.__array_interface__["data"][0]
    assert address == array.buffers()[1].address + buffer.itemsize


def test_codes_of_a_dictionary_are_viewed_not_copied():
    array = pa.array(["x", "y", "x"]).dictionary_encode()

    codes = from_arrow(pa.record_batch({"v": array})).column("v").buffers["str"]

    assert codes.__array_interface__["data"][0] == array.indices.buffers()[1].address


def test_what_a_datetime_cannot_hold_is_irregular_and_kept():
    ticks = [1_000, 1_001, None]
    batch = from_arrow(pa.table({"t": pa.array(ticks, pa.timestamp("ns"))}))

    assert batch.column("t").irregular.tolist() == [False, True, False]
    assert batch.values("t")[0] == dt.datetime(1970, 1, 1, 0, 0, 0, 1)
    assert batch.values("t")[1] == np.datetime64(1_001, "ns")


EXTREMES = [
    (pa.timestamp("s"), 253_402_300_799, True),
    (pa.timestamp("s"), 253_402_300_800, False),
    (pa.timestamp("s"), -62_135_596_800, True),
    (pa.timestamp("s"), -62_135_596_801, False),
    (pa.timestamp("us"), -(2**63) + 1, False),
    (pa.duration("s"), (2**63 - 1) // 10**6, True),
    (pa.duration("ms"), -((2**63 - 1) // 10**3), True),
    (pa.duration("s"), 86_400_000_000_000, False),
    (pa.duration("us"), 2**63 - 1, True),
    (pa.duration("us"), -(2**63) + 1, True),
    (pa.date32(), 2_932_896, True),
    (pa.date32(), 2_932_897, False),
    (pa.date32(), -719_162, True),
    (pa.date32(), -719_163, False),
]


@pytest.mark.parametrize(("dtype", "ticks", "fits"), EXTREMES, ids=str)
def test_times_at_the_edge_of_what_python_holds(dtype, ticks, fits):
    width = pa.int32() if dtype == pa.date32() else pa.int64()
    batch = from_arrow(pa.table({"t": pa.array([ticks], width).cast(dtype)}))
    (value,) = batch.values("t")

    assert isinstance(value, (dt.date, dt.timedelta)) is fits
    assert (batch.column("t").irregular is None) is fits
    assert fits or value.astype(np.int64) == ticks


LONG = [
    (pa.duration("s"), 86_399_999_999_999, dt.timedelta(seconds=86_399_999_999_999)),
    (pa.duration("s"), (2**63 - 1) // 10**6 + 1, dt.timedelta(seconds=(2**63 - 1) // 10**6 + 1)),
    (pa.duration("us"), -(2**63), dt.timedelta(microseconds=-(2**63))),
]


@pytest.mark.parametrize(("dtype", "ticks", "value"), LONG, ids=str)
def test_timedeltas_past_64_bits_of_microseconds_are_irregular(dtype, ticks, value):
    batch = from_arrow(pa.table({"t": pa.array([ticks, 0, None], pa.int64()).cast(dtype)}))

    assert batch.values("t") == [value, dt.timedelta(0), None]
    assert batch.column("t").irregular.tolist() == [True, False, False]


def test_zoned_times_are_of_kind_other_and_kept():
    stamps = pa.array([0, None], pa.timestamp("us", "UTC"))
    batch = from_arrow(pa.table({"t": stamps}))

    assert batch.field("t").kinds == {"other", "none"}
    assert batch.column("t").irregular is None
    assert batch.column("t").kind[:].tolist() == [KIND_CODE["other"], KIND_CODE["none"]]


def test_zoned_times_carry_their_zone():
    summer = dt.datetime(2024, 7, 1, 12, tzinfo=BERLIN)
    batch = from_arrow(pa.table({"t": pa.array([summer], pa.timestamp("ms", "Europe/Berlin"))}))
    (value,) = batch.values("t")

    assert (value, value.utcoffset(), value.tzinfo) == (summer, dt.timedelta(hours=2), BERLIN)


@pytest.mark.parametrize(("zone", "minutes"), [("+05:30", 330), ("-01:15", -75)])
def test_zones_may_be_offsets(zone, minutes):
    (value,) = from_arrow(pa.table({"t": pa.array([0], pa.timestamp("s", zone))})).values("t")

    assert value.utcoffset() == dt.timedelta(minutes=minutes)
    assert value == dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def test_a_time_below_a_microsecond_is_kept():
    batch = from_arrow(pa.table({"t": pa.array([1_001, 2_000, None], pa.time64("ns"))}))

    assert batch.values("t") == [np.timedelta64(1_001, "ns"), dt.time(0, 0, 0, 2), None]


def test_null_free_sees_through_encodings():
    table = pa.table(
        {
            "full": [1, 2],
            "null": [1, None],
            "words": pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["x", None]),
        }
    )

    batch = from_arrow(table)

    assert [batch.null_free(name) for name in batch.names()] == [True, False, False]


def test_a_null_under_a_field_without_none_is_irregular():
    column = from_arrow(pa.table({"n": [1, None]})).column("n", Field("n", frozenset({"int"})))

    assert column.irregular.tolist() == [False, True]


def test_a_field_may_have_kinds_that_the_batch_lacks():
    kinds = frozenset({"int", "float", "str", "absent"})
    column = from_arrow(pa.table({"n": [1, 2]})).column("n", Field("n", kinds))

    assert column.kind[:].tolist() == [KINDS.index("int")] * 2
    assert column.buffers["float"].tolist() == [0.0, 0.0]
    assert column.words.to_pylist() == [""]


def test_bytes_outside_narrower_bounds_are_irregular():
    column = from_arrow(pa.table({"n": [1, 200]})).column(
        "n", Field("n", frozenset({"int"}), -128, 127)
    )

    assert column.irregular.tolist() == [False, True]


def test_columns_of_the_same_name_are_refused():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])

    with pytest.raises(ValueError, match="the column names a occur more than once"):
        from_arrow(table)


def test_what_is_not_arrow_is_refused():
    with pytest.raises(TypeError, match="list is not Arrow data"):
        from_arrow([{"a": 1}])


def test_several_chunks_are_one_batch():
    table = pa.concat_tables([pa.table({"a": [1]}), pa.table({"a": [None, 3]})])

    assert from_arrow(table).values("a") == [1, None, 3]


def test_records_are_rebuilt_at_the_given_rows():
    batch = from_arrow(pa.table({"a": [1, 2, 3], "s": ["x", None, "z"]}))

    assert batch.records(np.array([2, 1])) == [{"a": 3, "s": "z"}, {"a": 2, "s": None}]


def test_an_unknown_column_is_none():
    assert from_arrow(pa.table({"a": [1]})).arrow("b") is None


@pytest.mark.parametrize("name", ["duckdb", "polars"])
def test_other_libraries_hand_over_their_tables(name):
    library = pytest.importorskip(name)
    table = pa.table({"n": [1, None], "s": ["x", None]})
    theirs = library.from_arrow(table)

    assert from_arrow(theirs).to_records() == [{"n": 1, "s": "x"}, {"n": None, "s": None}]
    assert sys.modules[name] is library


@pytest.mark.parametrize("offset", [0, 1, 7, 8, 13])
def test_nulls_of_a_slice_are_found(offset):
    column = pa.array([None if i % 3 else float(i) for i in range(40)]).slice(offset, 20)
    batch = from_arrow(pa.table({"a": column}))

    kinds = batch.column("a").kind[:]

    assert [code == KIND_CODE["none"] for code in kinds] == [v is None for v in column.to_pylist()]
    assert set(kinds.tolist()) == {KIND_CODE["none"], KIND_CODE["float"]}


class Unhashable(pa.ExtensionType):
    """As the extension types of PyArrow's own guide: it has no hash."""

    def __init__(self):
        super().__init__(pa.int64(), "tests.unhashable")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


@pytest.mark.parametrize(
    "function",
    [
        lambda r: r["value"],
        lambda r: (r["value"] or 0) + r["n"],
        lambda r: {"value": r["value"], "n": -r["n"]},
        lambda r: r["value"] if r["n"] > 1 else None,
        lambda r: {**r, "k": r["value"]},
    ],
)
def test_columns_of_an_extension_type_without_a_hash_are_read(function):
    values = pa.ExtensionArray.from_storage(Unhashable(), pa.array([1, None, 3]))
    table = pa.table({"value": values, "n": [1, 2, 3]})
    found = bp.vectorize(function, on_unsupported="ignore")(table)
    assert found.to_pylist() == [function(r) for r in table.to_pylist()]
