"""Dates and times against the row loop, value by value."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.batch import from_arrow
from tests.rowfn.constructs import check, outcome
from tests.rowfn.dates import FORMULAS, FUNCTIONS, NOON, PURE, rows

# Each kernel of numba takes half a second to compile: one function in three is enough.
COMPILED = [name for place, name in enumerate(FORMULAS) if place % 3 == 0]


def records_for(name, seed, count):
    """Rows; a date that may be of any class has operators of its own, and would not compile."""
    found = rows(seed, count)
    return found if name in FORMULAS or name in PURE else found[:count]


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_dates_equal_the_row_loop(name: str, backend: str) -> None:
    check(FUNCTIONS[name], records_for(name, 1, 150), backend)


@pytest.mark.parametrize("name", COMPILED)
def test_formulas_of_numba_equal_the_row_loop(name: str) -> None:
    check(FORMULAS[name], rows(2, 150), "numba")


@given(st.sampled_from(sorted(FUNCTIONS)), st.integers(0, 10**6))
def test_any_rows_equal_the_row_loop(name: str, seed: int) -> None:
    check(FUNCTIONS[name], records_for(name, seed, 20), "numpy")


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_leave_no_good_row_to_the_interpreter(name: str) -> None:
    plain = {"t": NOON, "u": NOON - dt.timedelta(days=1.5), "d": dt.date(2021, 3, 2), "n": 2}
    records = [plain | {"x": dt.timedelta(hours=5), "y": dt.timedelta(days=-1)}]
    failing = isinstance(outcome(FORMULAS[name], records[0]), tuple)

    check(FORMULAS[name], records, "numpy", share=float(failing))


def arrow_rows() -> pa.Table:
    return pa.table(
        {
            "d": pa.array([0, -719_162, 2_932_896, None], pa.int32()).cast(pa.date32()),
            "ms": pa.array([0, -62_135_596_800_000, 253_402_300_799_999, None]).cast(
                pa.timestamp("ms")
            ),
            "ns": pa.array([0, 1_000, 1, None]).cast(pa.timestamp("ns")),
            "x": pa.array([0, -1, 2**62, None]).cast(pa.duration("us")),
            "z": pa.array([0, 1, 2, None]).cast(pa.timestamp("us", "Europe/Berlin")),
        }
    )


COLUMNS = {
    "next day": (lambda r: r["d"] and r["d"].replace(day=1), pa.date32()),
    "instant": (lambda r: r["ms"] and r["ms"] + dt.timedelta(microseconds=1), pa.timestamp("us")),
    "span": (lambda r: r["x"] and -r["x"], pa.duration("us")),
    "handed on": (lambda r: r["ns"] if r["d"] else None, pa.timestamp("ns")),
    "zoned": (lambda r: r["z"], pa.timestamp("us", "Europe/Berlin")),
    "year": (lambda r: r["ms"] and r["ms"].year, pa.int64()),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_dates_have_their_type(name: str, backend: str) -> None:
    function, dtype = COLUMNS[name]
    table = arrow_rows()
    records = from_arrow(table).to_records()
    result = bp.vectorize(function, backend=backend, on_unsupported="raise")(table)

    assert result.type == dtype
    if name != "handed on":
        assert result.to_pylist() == [function(r) for r in records]
    else:
        assert result.combine_chunks().equals(table["ns"].combine_chunks())


FINE = NOON + dt.timedelta(microseconds=1)
LATE = NOON.replace(year=2400)
REFUSED = {"s": FINE, "ms": FINE, "us": None, "ns": LATE}


@pytest.mark.parametrize("unit", REFUSED)
def test_a_unit_that_is_asked_for_holds_an_instant_or_refuses_it(unit: str) -> None:
    day = dt.timedelta(days=1)
    asked = bp.vectorize(lambda r: r["t"] + day, backend="numpy", returns=pa.timestamp(unit))
    given = {moment: pa.table({"t": [moment]}) for moment in (NOON, FINE, LATE)}

    for moment, table in given.items():
        if moment is REFUSED[unit]:
            with pytest.raises(TypeError, match="does not fit"):
                asked(table)
        else:
            assert asked(table).to_pylist() == [moment + day]
