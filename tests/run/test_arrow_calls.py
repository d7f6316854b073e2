"""Arrow arrays over NumPy memory."""

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch.fresh_arrays import POOLED_BYTES, empty_array
from batchprep.run.arrow_calls import number_array
from tests.run.programs import root_value, traced

FILLED = np.array([True, False, True] * 5)
NUMBERS = [
    (np.arange(15), pa.int64()),
    (np.arange(15, dtype=np.uint8), pa.uint8()),
    (np.arange(30)[::2], pa.int64()),
    (np.linspace(0, 1, 15), pa.float64()),
    (np.linspace(0, 1, 15, dtype=np.float16), pa.float16()),
    (np.arange(15) % 3 == 0, pa.bool_()),
    (np.broadcast_to(np.float64(2.5), 15), pa.float64()),
]


@pytest.mark.parametrize(("values", "dtype"), NUMBERS, ids=lambda v: str(getattr(v, "dtype", v)))
@pytest.mark.parametrize("filled", [None, FILLED, ~FILLED, FILLED | True, FILLED & False])
def test_an_array_of_numbers_is_what_arrow_makes_of_them(values, dtype, filled):
    array = number_array(values, dtype, filled)
    array.validate(full=True)

    missing = None if filled is None else ~filled
    assert array.equals(pa.array(np.ascontiguousarray(values), dtype, mask=missing))
    assert array.null_count == (0 if filled is None else 15 - np.count_nonzero(filled))


def test_numbers_are_not_copied():
    values = np.arange(10.0)

    assert number_array(values, pa.float64()).buffers()[1].address == values.ctypes.data


@pytest.mark.parametrize("length", [0, 10, POOLED_BYTES, 3 * POOLED_BYTES + 1])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.float64])
def test_empty_arrays_have_memory_of_their_own(length, dtype):
    one, other = empty_array(length, dtype), empty_array(length, dtype)
    one.fill(1)
    other.fill(0)

    assert (len(one), one.dtype) == (length, dtype)
    assert one.all()


def test_a_result_stays_what_it_is_when_the_function_runs_again():
    def table(price):
        return pa.table({"price": np.full(100_000, price), "volume": np.arange(100_000)})

    results = [traced(root_value, table(price), threads=2).results for price in (1.0, 2.0, 3.0)]

    for price, found in zip((1.0, 2.0, 3.0), results, strict=True):
        expected = map(root_value, table(price).to_pylist())
        assert found.equals(pa.array(expected, pa.float64()))
