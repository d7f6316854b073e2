"""Arrays of Python values without PyArrow's import of pandas are those that PyArrow makes."""

import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.batch import arrow_buffers
from batchprep.batch.arrow_buffers import spared_array

VALUES = {
    pa.float64(): st.floats(allow_nan=False),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.string(): st.text(st.characters(exclude_categories=["Cs"])),
    pa.large_string(): st.text(st.characters(exclude_categories=["Cs"])),
}


@bp.vectorize
def halved(r):
    return None if r["n"] is None else r["n"] / 2


@pytest.fixture
def sparing(monkeypatch):
    monkeypatch.setattr(arrow_buffers, "spares_pandas", lambda _: True)


@pytest.mark.usefixtures("sparing")
@pytest.mark.parametrize("dtype", VALUES, ids=str)
def test_an_array_is_the_one_that_pyarrow_makes(dtype):
    @given(st.lists(st.none() | VALUES[dtype], max_size=20))
    def agrees(values):
        found = spared_array(values, dtype)
        found.validate(full=True)

        assert found.equals(pa.array(values, dtype))
        assert found.null_count == values.count(None)

    agrees()


@pytest.mark.usefixtures("sparing")
@pytest.mark.parametrize(
    ("values", "dtype", "error"),
    [([2**63], pa.int64(), OverflowError), (["\ud800"], pa.string(), UnicodeEncodeError)],
)
def test_what_does_not_fit_is_refused(values, dtype, error):
    with pytest.raises(error):
        spared_array(values, dtype)


def test_other_types_are_left_to_pyarrow():
    assert spared_array([True], pa.bool_()) is None


CALLS = """
import sys
import pyarrow as pa
import batchprep as bp
from tests.run.test_spared_arrays import halved
bits, numbers = pa.py_buffer(bytes([0b101])), pa.py_buffer(bytes(24))
n = pa.Array.from_buffers(pa.float64(), 3, [bits, numbers])  # PyArrow imports it for a list
table = pa.Table.from_arrays([n], names=["n"])
ways = set()
for _ in range(12):
    halved(table)
    ways.add(halved.report().stages[0].backend)
print(sorted(ways), "pandas" in sys.modules)
"""


def test_calls_of_small_tables_import_no_pandas_whichever_way_they_go():
    command = [sys.executable, "-c", CALLS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)

    assert done.stdout == "['interpreter (faster here)', 'numpy'] False\n"
