"""Batches over the caller's own records."""

# ruff: noqa: DTZ001  naive datetimes are data here

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import math
import typing
import zoneinfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from batchprep.batch import from_arrow, from_records
from batchprep.batch.times import time_of
from batchprep.dtypes import KINDS, TIME_BOUNDS
from batchprep.schema import Field

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


def same(left, right):
    """Equal in value, type, zero sign and key order; NaN equals NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        pairs = zip(left.values(), right.values(), strict=True)
        return list(left) == list(right) and all(same(a, b) for a, b in pairs)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, float):
        signs = math.copysign(1, left) == math.copysign(1, right)
        return (math.isnan(left) and math.isnan(right)) or (left == right and signs)
    return left == right


def kinds_in(column):
    return [KINDS[code] for code in column.kind.tolist()]


numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1]),
    st.floats(),
    st.booleans(),
)
leaves = st.one_of(st.none(), numbers, st.text(), st.dates(), st.datetimes(), st.timedeltas())
values = st.one_of(
    leaves, st.lists(leaves, max_size=3), st.dictionaries(st.text(), leaves, max_size=2)
)
records = st.lists(st.dictionaries(st.sampled_from("abcd"), values))


@given(records)
@example([{"a": None}, {"a": 1}, {}])
@example([{"a": -0.0}, {"a": math.nan}])
def test_records_come_back_as_they_were(rs):
    assert same(from_records(rs).to_records(), rs)


def payload_of(column, kind, row):
    value = column.buffers[kind][row].item()
    if kind == "str":
        return column.words[value].as_py()
    return time_of(kind, value) if kind in TIME_BOUNDS else value


@given(records, st.sampled_from("abcd"))
def test_a_column_holds_each_value_or_calls_it_irregular(rs, name):
    batch = from_records(rs)
    column = batch.column(name)

    for row, record in enumerate(rs):
        if column.irregular is not None and column.irregular[row]:
            # Beyond int64, a lone surrogate, or a second 2 o'clock.
            assert type(record[name]) in (int, str, dt.timedelta, dt.datetime)
            continue
        kind = next(iter(column.field.kinds)) if column.kind is None else kinds_in(column)[row]
        if kind in column.buffers:
            assert same(payload_of(column, kind, row), record[name])
        else:
            assert (kind == "absent") == (name not in record)
            assert (kind == "none") == (record.get(name, 0) is None)


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))))
def test_ints_survive_the_way_through_arrow(numbers):
    rs = [{"n": number} for number in numbers]
    assert same(from_arrow(from_records(rs)).to_records(), rs)


ROUND_TRIP = [
    [True, None, False],
    [1, None, -(2**63)],
    [1.5, None, math.nan, -0.0],
    ["", None, "ü\0x"],
    [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)],
    [dt.datetime(1, 1, 1), None, dt.datetime(9999, 12, 31, 23, 59, 59, 999999)],
    [dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=fold) for fold in (0, 1)],
    [dt.timedelta(microseconds=-1), None, dt.timedelta(days=9)],
    [[1, None], None, []],
    [[[{"a": 1}], None], []],
    [{"a": 1, "b": "x"}, None, {"a": None, "b": None}],
    [b"\0", None],
    [decimal.Decimal("1.5"), None],
    [dt.time(1, 2, 3, 4), None],
    [None, None],
    [1, "x", None],
    [True, 1, 1.5],
    [1, [1, 2], {"a": 1}],
]


@pytest.mark.parametrize("column", ROUND_TRIP, ids=str)
def test_values_survive_the_way_through_arrow(column):
    rs = [{"v": value} for value in column]
    assert same(from_arrow(from_records(rs).to_arrow()).to_records(), rs)


TYPES = [
    ([True], pa.bool_()),
    ([1], pa.int64()),
    ([1, 1.5], pa.float64()),
    ([1, None], pa.int64()),
    (["x"], pa.string()),
    ([dt.date(2024, 1, 1)], pa.date32()),
    ([dt.datetime(2024, 1, 1)], pa.timestamp("us")),
    ([dt.datetime(2024, 1, 1, tzinfo=BERLIN)], pa.timestamp("us", "Europe/Berlin")),
    ([dt.timedelta(1)], pa.duration("us")),
    ([[1, 1.5]], pa.list_(pa.float64())),
    ([{"a": 1}, {"b": "x"}], pa.struct({"a": pa.int64(), "b": pa.string()})),
    ([None], pa.null()),
    ([1, "x"], pa.sparse_union([pa.field("int", pa.int64()), pa.field("str", pa.string())])),
]


@pytest.mark.parametrize(("column", "dtype"), TYPES, ids=str)
def test_the_arrow_type_follows_from_the_kinds(column, dtype):
    assert from_records([{"v": value} for value in column]).to_arrow()["v"].type == dtype


MISFITS = [
    ([1, 2**64], "row 1, column 'v': 18446744073709551616 does not fit int64"),
    ([1.5, 2**53 + 1], "row 1, column 'v': 9007199254740993 would change as a double"),
    (["x", "\ud800"], "row 1, column 'v': '\\ud800' does not fit the Arrow type string"),
    ([1j], "row 0, column 'v': 1j has no Arrow type of its own"),
    ([[1], [1, 2**64]], "row 1, column 'v[]': 18446744073709551616 does not fit int64"),
    ([{"a": [1]}, {"a": [2**64]}], "row 1, column 'v.a[]': 18446744073709551616"),
    ([{"a": 1}, {2: 1}], "row 1, column 'v': {2: 1} has the key 2, which is not a string"),
    (
        [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
        "row 1, column 'v': datetime.datetime(2024, 1, 1, 0, 0, tzinfo=datetime.timezon… has",
    ),
]


@pytest.mark.parametrize(("column", "message"), MISFITS, ids=str)
def test_a_value_without_a_place_in_arrow_is_named(column, message):
    batch = from_records([{"v": value} for value in column])

    with pytest.raises(ValueError, match=r"or pass schema= with a type that holds it$") as error:
        batch.to_arrow()

    assert str(error.value).startswith(message)


class Colour(enum.IntEnum):
    RED = 1


STRANGERS = [Colour.RED, np.int64(1), np.float64(1), np.str_("x"), decimal.Decimal(1), 1j, b"x"]


@pytest.mark.parametrize("value", STRANGERS, ids=repr)
def test_a_value_of_a_subclass_is_irregular_among_plain_ones(value):
    batch = from_records([{"v": 1}, {"v": value}, {"v": 1.5}, {"v": "x"}])
    field = Field("v", frozenset({"int", "float", "str"}))

    assert batch.column("v", field).irregular.tolist() == [False, True, False, False]
    assert batch.values("v")[1] is value
    assert "other" in batch.field("v").kinds


def test_a_schema_fixes_the_kinds_and_the_type():
    batch = from_records([{"n": 1}, {"n": "x"}], pa.schema({"n": pa.int8()}))

    assert batch.field("n") == Field("n", frozenset({"int", "none"}), -128, 127)
    assert batch.column("n").irregular.tolist() == [False, True]
    assert batch.to_records() == [{"n": 1}, {"n": "x"}]
    with pytest.raises(ValueError, match="row 1, column 'n': 'x' does not fit the Arrow type int8"):
        batch.to_arrow()


def test_an_int_outside_the_declared_type_is_irregular():
    batch = from_records([{"n": 127}, {"n": 128}, {"n": None}], pa.schema({"n": pa.int8()}))

    assert batch.column("n").irregular.tolist() == [False, True, False]


SCHEMAS = [
    ([1, None], pa.int8()),
    ([1, 1.5], pa.float64()),
    (["x", None], pa.dictionary(pa.int32(), pa.string())),
    ([[1], (2,), None], pa.large_list(pa.int16())),
    ([[1, 2]], pa.list_(pa.int64(), 2)),
    ([{"a": 1}, None, {}], pa.struct({"a": pa.int8()})),
    ([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], pa.timestamp("ms", "UTC")),
]


@pytest.mark.parametrize(("column", "dtype"), SCHEMAS, ids=str)
def test_a_declared_type_is_the_type_of_the_table(column, dtype):
    rs = [{"v": value} for value in column]
    assert from_records(rs, pa.schema({"v": dtype})).to_arrow()["v"].type == dtype


LOSSES = [
    (dt.datetime(2024, 1, 1), pa.timestamp("us", "UTC")),
    (dt.datetime(2024, 1, 1), pa.date32()),
    (dt.datetime(2024, 1, 1, 0, 0, 0, 1), pa.timestamp("s")),
    (dt.timedelta(microseconds=1), pa.duration("s")),
    ({"a": 1, "b": 2}, pa.struct({"a": pa.int8()})),
    (True, pa.int64()),
    (dt.time(1, 2, 3, 4), pa.time32("s")),
    ([1, 2, 3], pa.list_(pa.int8(), 2)),
    ("x", pa.binary()),
    (2**53 + 1, pa.float64()),
]


@pytest.mark.parametrize(("value", "dtype"), LOSSES, ids=str)
def test_a_declared_type_never_cuts_a_value(value, dtype):
    with pytest.raises(ValueError, match="row 0, column 'v'"):
        from_records([{"v": value}], pa.schema({"v": dtype})).to_arrow()


@dataclasses.dataclass
class Trade:
    price: float
    volume: int = 0

    @property
    def value(self):
        raise AssertionError("read too early")


class Point(typing.NamedTuple):
    x: int
    y: str = ""


def test_dataclasses_and_named_tuples_are_records():
    trades, points = [Trade(1.5, 2)], [Point(1, "a")]

    assert from_records(trades).to_records() == [{"price": 1.5, "volume": 2}]
    assert from_records(points).to_records() == [{"x": 1, "y": "a"}]
    assert from_records(trades).form == "attributes"
    assert from_records(points).column("x").buffers["int"].tolist() == [1]
    assert from_records(trades).records()[0] is trades[0]


def test_a_property_is_not_run_to_learn_its_kind():
    assert from_records([Trade(1.5)]).column("value").irregular.all()


class Shouting(dict):
    def __getitem__(self, key):
        return super().__getitem__(key).upper()


INVENTED = [
    (collections.defaultdict(int), True),
    (collections.defaultdict(int, v=1), False),
    (collections.OrderedDict(v=1), False),
    (collections.Counter(), True),
    (collections.ChainMap({"v": 1}), False),
    (collections.ChainMap({}), True),
    (Shouting(v="x"), True),
]


@pytest.mark.parametrize(("record", "irregular"), INVENTED, ids=str)
def test_a_key_that_a_dict_may_invent_is_irregular(record, irregular):
    size = len(record)
    column = from_records([record, {"v": 1}]).column("v", Field("v", frozenset({"int"})))

    assert (column.irregular is not None and bool(column.irregular[0])) is irregular
    assert len(record) == size


def test_absent_is_not_none():
    column = from_records([{"a": 1}, {"a": None}, {}]).column("a")

    assert kinds_in(column) == ["int", "none", "absent"]


def test_a_column_of_one_kind_needs_no_kind_codes():
    column = from_records([{"a": 1}, {"a": 2}]).column("a")

    assert column.kind is None
    assert column.irregular is None


def test_strings_share_their_words():
    column = from_records([{"s": "x"}, {"s": None}, {"s": "y"}, {"s": "x"}]).column("s")

    assert column.words.to_pylist() == ["x", "y"]
    assert column.buffers["str"].dtype == np.int32
    assert column.buffers["str"][[0, 2, 3]].tolist() == [0, 1, 0]


@pytest.mark.parametrize("rs", [[], [{"s": None}], [{"s": 1}]], ids=str)
def test_words_are_never_empty(rs):
    column = from_records(rs).column("s", Field("s", frozenset({"str", "none"})))

    assert len(column.words) == 1
    assert column.buffers["str"].tolist() == [0] * len(rs)


def test_a_column_is_converted_once():
    batch = from_records([{"a": 1}])

    assert batch.column("a") is batch.column("a")


class Mine(dict):
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise AssertionError("touched")


def test_only_the_fields_asked_for_are_touched():
    batch = from_records([{"a": 1, "b": Mine()}, {"a": 2, "b": Mine()}])

    assert batch.column("a").buffers["int"].tolist() == [1, 2]


def test_a_row_that_is_no_record_is_named():
    with pytest.raises(TypeError, match="row 1: None is not a record; pass dicts"):
        from_records([{"a": 1}, None])


def test_records_without_keys_keep_their_number():
    assert from_records([{}, {}]).to_arrow().num_rows == 2


def test_a_batch_prints_its_first_rows():
    text = repr(from_records([{"a": 1}, {"b": "x" * 50}]))

    assert text.split("\n") == [
        "Batch of 2 rows",
        "  a  b",
        "  1",
        "     'xxxxxxxxxxxxxxxxxx…",
    ]


def test_a_batch_speaks_arrow():
    table = pa.table(from_records([{"a": 1}, {"a": None}]))

    assert table["a"].to_pylist() == [1, None]


NOON = dt.datetime(2024, 5, 1, 12)
ZONED = NOON.replace(tzinfo=BERLIN)
SECOND = NOON.replace(fold=1)
LONG = dt.timedelta(microseconds=2**63)
TIMES = {  # values, kinds of the field, irregular rows
    "naive": ([NOON, None], {"datetime", "none"}, None),
    "zoned": ([ZONED, ZONED], {"other"}, None),
    "zoned or none": ([ZONED, None], {"other", "none"}, None),
    "zoned beside naive": ([ZONED, NOON, SECOND], {"datetime"}, [True, False, True]),
    "zoned beside bytes": ([ZONED, NOON, b""], {"datetime", "other"}, None),
    "long": ([LONG, dt.timedelta(1)], {"timedelta"}, [True, False]),
    "only long": ([LONG], {"other"}, [True]),
    "subclass": ([type("Day", (dt.date,), {})(1, 1, 1), dt.date.max], {"date", "other"}, None),
}


@pytest.mark.parametrize("name", TIMES)
def test_only_what_an_int_says_is_a_date_or_time(name):
    values, kinds, irregular = TIMES[name]
    column = from_records([{"v": value} for value in values]).column("v")

    assert column.field.kinds == kinds
    assert (None if column.irregular is None else column.irregular.tolist()) == irregular
