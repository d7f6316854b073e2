"""A column made at once is the one made value by value, or none is made."""

import datetime as dt
import enum
import http
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.sameness import same_value, same_values
from batchprep.run.exact_arrays import exact_array
from batchprep.run.misfits import Misfit, check_fits
from batchprep.run.typed_arrays import typed_array

INT_PAIR = pa.struct([("0", pa.int64()), ("1", pa.float64())])
ITEM = pa.struct([("a", pa.int64()), ("b", pa.string())])
BERLIN = dt.timezone(dt.timedelta(hours=1))
NOON = dt.datetime.fromisoformat("2024-05-01T12:00")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Colour(enum.StrEnum):
    RED = "red"


class Plain(enum.Enum):
    ONE = 1


class Odd(enum.IntEnum):
    ONE = 1

    def __eq__(self, other):
        return False

    __hash__ = enum.IntEnum.__hash__


class Label(int, enum.Enum):
    """An int whose value is a text."""

    ONE = 1, "one"

    def __new__(cls, number, label):
        made = int.__new__(cls, number)
        made._value_ = label
        return made


# values, type, whether the column is made at once
CASES = {
    "nulls": ([None, None], pa.sparse_union([pa.field("int", pa.int64())]), True),
    "nothing": ([], pa.int64(), True),
    "ints": ([1, None, -(2**63)], pa.int64(), True),
    "int out of range": ([1, 2**63], pa.int64(), False),
    "narrow ints": ([1, 127], pa.int8(), True),
    "narrow int out of range": ([1, 128], pa.int8(), False),
    "negative in unsigned": ([1, -1], pa.uint8(), False),
    "bool among ints": ([1, True], pa.int64(), False),
    "int among bools": ([1, True], pa.bool_(), False),
    "bools": ([True, None], pa.bool_(), True),
    "floats": ([0.0, -0.0, math.nan, None, math.inf], pa.float64(), True),
    "ints beside floats": ([1, 2.5], pa.float64(), True),
    "int that doubles lack": ([2**53 + 1, 2.5], pa.float64(), False),
    "float among ints": ([1, 2.0], pa.int64(), False),
    "bool among floats": ([True, 2.0], pa.float64(), False),
    "rounded floats": ([0.1, None, math.nan, math.inf], pa.float32(), True),
    "float out of range": ([0.1, 1e300], pa.float32(), False),
    "members of ints": ([Level.LOW, None, Level.HIGH], pa.int64(), True),
    "members of two enums": ([Level.LOW, http.HTTPStatus.OK], pa.int16(), True),
    "member out of range": ([http.HTTPStatus.NOT_FOUND], pa.int8(), False),
    "member beside an int": ([Level.LOW, 1], pa.int64(), False),
    "member among floats": ([Level.LOW], pa.float64(), False),
    "members of texts": ([Colour.RED, None], pa.string(), True),
    "member of no kind": ([Plain.ONE], pa.int64(), False),
    "member equal to nothing": ([Odd.ONE], pa.int64(), False),
    "member whose value is another": ([Label.ONE], pa.int64(), True),
    "texts": (["a", None, ""], pa.large_string(), True),
    "lone surrogate": (["a", "\ud800"], pa.string(), False),
    "int among texts": (["a", 1], pa.string(), False),
    "bytes for text": ([b"a"], pa.string(), False),
    "subclass of float": ([np.float64(1.0)], pa.float64(), False),
    "dates": ([dt.date(2024, 1, 1), None], pa.date32(), True),
    "time among dates": ([NOON], pa.date32(), False),
    "times": ([NOON, None], pa.timestamp("us"), True),
    "time with a zone": ([NOON.replace(tzinfo=BERLIN)], pa.timestamp("us"), False),
    "spans": ([dt.timedelta(seconds=1)], pa.duration("us"), True),
    "decimals": ([Decimal("1.50"), None], pa.decimal128(5, 2), True),
    "decimal with more digits": ([Decimal("1.505")], pa.decimal128(5, 2), False),
    "lists": ([[1, None], None, []], pa.list_(pa.int64()), True),
    "list with a misfit": ([[1, None], [True]], pa.list_(pa.int64()), False),
    "dicts": ([{"a": 1}, None, {"b": "x", "a": 2}, {}], ITEM, True),
    "other key": ([{"a": 1, "c": 2}], ITEM, False),
    "key that is no text": ([{"a": 1, 2: 2}], ITEM, False),
    "tuples": ([(1, 2.0), None], INT_PAIR, True),
    "longer tuple": ([(1, 2.0, 3)], INT_PAIR, False),
    "dict beside tuple": ([(1, 2.0), {"0": 1}], INT_PAIR, False),
    "no null wanted": ([{"a": 1}, {}], pa.struct([pa.field("a", pa.int64(), False)]), False),
}


def value_by_value(values, dtype):
    for value in values:
        check_fits(value, dtype)
    return typed_array(values, dtype)


@pytest.mark.parametrize(("values", "dtype", "at_once"), CASES.values(), ids=CASES)
def test_column_is_the_one_made_value_by_value(values, dtype, at_once):
    array = exact_array(values, dtype)

    assert (array is not None) == at_once
    if array is not None:
        array.validate(full=True)
        expected = value_by_value(values, dtype)
        assert array.type == expected.type == dtype
        assert same_value(array.to_pylist(), expected.to_pylist())


@pytest.mark.parametrize(
    "case", ["int out of range", "int that doubles lack", "float out of range", "other key"]
)
def test_value_that_does_not_fit_is_left_to_the_slow_way(case):
    values, dtype, _ = CASES[case]
    with pytest.raises(Misfit):
        value_by_value(values, dtype)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1, None, "a"], [1, None, "a"], True),
        ([1], [True], False),
        ([0.0], [-0.0], False),
        ([math.nan], [float("nan")], True),
        ([NOON], [NOON.date()], False),
    ],
)
def test_same_columns(one, other, same):
    assert same_values(one, other) == same


def test_row_that_the_inferred_type_lacks_is_named():
    def handed(r):
        return "%s" % r["a"] if r["a"] == 0 else (2**63 if r["a"] == 2 else r["a"])  # noqa: UP031

    f = bp.vectorize(handed, on_unsupported="ignore")
    with pytest.raises(OverflowError, match="row 1: 9223372036854775808 does not fit"):
        f(pa.table({"a": [1, 2, 3]}))
