"""Result columns from kind codes and payloads."""

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch import arrow_column, changed_as_double
from batchprep.batch.arrow_types import arrow_type_of_kinds
from batchprep.dtypes import KIND_CODE


def codes(*kinds):
    return np.array([KIND_CODE[kind] for kind in kinds], np.int8)


INTS = np.array([1, 2, 3])
FLOATS = np.array([0.5, np.nan, 2.5])
WORDS = pa.array(["x", "y", "z"])

COLUMNS = [
    ("int", {"int": INTS}, pa.int64(), [1, 2, 3]),
    ("none", {}, pa.null(), [None] * 3),
    ("none", {"int": INTS}, pa.int64(), [None] * 3),
    (codes("int", "none", "absent"), {"int": INTS}, pa.int64(), [1, None, None]),
    (codes("int", "float", "int"), {"int": INTS, "float": FLOATS}, pa.float64(), [1.0, None, 3.0]),
    (codes("none", "str", "str"), {"str": WORDS}, pa.string(), [None, "y", "z"]),
    (codes("bool", "bool", "none"), {"bool": INTS > 1}, pa.bool_(), [False, True, None]),
    ("int", {"int": INTS.astype(np.int8)}, pa.int64(), [1, 2, 3]),
]


@pytest.mark.parametrize(("code", "payloads", "dtype", "values"), COLUMNS)
def test_a_column_of_one_type_is_nullable(code, payloads, dtype, values):
    column = arrow_column(code, payloads, 3)

    assert column.type == dtype
    assert [None if v != v else v for v in column.to_pylist()] == values


def test_nan_is_not_null():
    column = arrow_column(codes("float", "float", "none"), {"float": FLOATS}, 3)

    assert column.null_count == 1
    assert np.isnan(column[1].as_py())


def test_other_mixes_are_a_union():
    column = arrow_column(codes("int", "str", "none"), {"int": INTS, "str": WORDS}, 3)

    assert column.type == arrow_type_of_kinds({"int", "str", "none"})
    assert column.to_pylist() == [1, "y", None]


def test_the_type_follows_from_the_kinds_not_from_the_rows():
    kinds = frozenset({"int", "str", "none"})
    present = arrow_column(codes("int", "str", "none"), {"int": INTS, "str": WORDS}, 3, kinds)
    missing = arrow_column("int", {"int": INTS}, 3, kinds)

    assert present.type == missing.type
    assert missing.to_pylist() == [1, 2, 3]


def test_a_whole_number_column_is_not_copied():
    column = arrow_column("int", {"int": INTS}, 3)

    assert column.buffers()[1].address == INTS.__array_interface__["data"][0]


def test_which_ints_change_as_a_double():
    numbers = [0, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), -(2**53) - 1]

    changed = changed_as_double(np.array(numbers))

    assert changed.tolist() == [int(float(n)) != n for n in numbers]


def test_an_int_that_would_change_is_named():
    payloads = {"int": np.array([2**53 + 1, 2]), "float": np.zeros(2)}

    with pytest.raises(ValueError, match="row 0: 9007199254740993 would change as a double"):
        arrow_column(codes("int", "float"), payloads, 2)
    assert arrow_column(codes("float", "int"), payloads, 2).to_pylist() == [0.0, 2.0]
