"""Kind codes of nullable columns lie in Arrow's bitmap until a slice of them is read."""

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch.batch import from_arrow
from batchprep.batch.null_codes import NullCodes, null_codes
from batchprep.dtypes import KIND_CODE

VALUES = [None if n % 3 == 0 else n for n in range(100)]


def codes_of(values):
    return [KIND_CODE["none" if value is None else "int"] for value in values]


@pytest.mark.parametrize("offset", [0, 1, 7, 8, 13])
@pytest.mark.parametrize(("start", "end"), [(0, 80), (3, 19), (8, 16), (79, 80), (5, 5)])
def test_a_slice_has_the_code_of_each_row(offset, start, end):
    codes = null_codes(pa.array(VALUES).slice(offset, 80), "int")

    assert codes[start:end].tolist() == codes_of(VALUES[offset + start : offset + end])
    assert codes[start:end].dtype == codes.dtype == np.int8


def test_the_bitmap_is_not_copied():
    array = pa.array(VALUES)
    column = from_arrow(pa.table({"n": array})).column("n")

    assert isinstance(column.kind, NullCodes)
    assert column.kind.packed.ctypes.data == array.buffers()[0].address
    assert column.buffers["int"].ctypes.data == array.buffers()[1].address


def test_an_array_without_a_bitmap_has_no_codes():
    assert null_codes(pa.array([1, 2]), "int") is None


def test_it_is_an_array_where_one_is_wanted():
    codes = null_codes(pa.array(VALUES), "int")

    assert np.asarray(codes).tolist() == codes_of(VALUES)
    assert codes[1] == KIND_CODE["int"]
    assert len(codes) == 100
