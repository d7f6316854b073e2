"""Numbers of dicts that machine code puts into Arrow: the arrays of the ordinary way."""

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.batch import record_rows
from batchprep.batch.arrow_build import array_of_values
from batchprep.batch.batch import from_records
from batchprep.batch.record_reader import READ_ROWS, loaded_reader

loaded_reader()
FLOATS = [1.5, -0.0, math.nan, math.inf, None]
INTS = [0, -1, 2**63 - 1, -(2**63), None]
BOOLS = [True, False, None]
gaps = st.sampled_from(["none", "absent", "both", "no"])


def records_of(pool, gap, seed):
    values = [pool[(row * row + seed) % len(pool)] for row in range(READ_ROWS + 100)]
    if gap in {"no", "absent"}:
        values = [pool[0] if value is None else value for value in values]
    rs = [{"b": "x", "a": value} for value in values]
    if gap in {"absent", "both"}:
        for record in rs[seed % 7 :: 7]:
            del record["a"]
    return rs


def ordinary(rs):
    return array_of_values([record.get("a") for record in rs], "a", None)


def outcome(make):
    try:
        made = make()
    except (ValueError, pa.ArrowException) as error:
        return type(error), str(error)
    return made.type, made.to_pylist()


@given(st.sampled_from([FLOATS, INTS, BOOLS]), gaps, st.integers(0, 99))
def test_arrays_are_those_of_the_values(pool, gap, seed):
    rs = records_of(pool, gap, seed)
    found = from_records(rs).rows.arrow("a")
    expected = ordinary(rs)
    found.validate(full=True)

    assert found.type == expected.type
    assert found.null_count == expected.null_count
    assert repr(found.to_pylist()) == repr(expected.to_pylist())  # tells -0.0 and nan


def test_numbers_are_read_without_a_list_of_them(monkeypatch):
    rs = records_of(FLOATS, "both", 3)
    monkeypatch.delattr(record_rows, "read_field")

    assert len(from_records(rs).rows.arrow("a")) == len(rs)


@pytest.mark.parametrize("stranger", [2, "x", True, [1.5], 1j])
def test_values_of_other_kinds_are_looked_at_one_by_one(stranger):
    rs = [{"a": 1.5} for _ in range(READ_ROWS)]
    rs[-1]["a"] = stranger

    assert outcome(lambda: from_records(rs).rows.arrow("a")) == outcome(lambda: ordinary(rs))


def test_an_int_beyond_int64_is_named():
    rs = [{"a": row} for row in range(READ_ROWS)]
    rs[400]["a"] = 2**63

    with pytest.raises(ValueError, match=r"9223372036854775808"):
        from_records(rs).to_arrow()


@pytest.mark.parametrize("late", [{"b": 1, "c": 2}, {"c": 2, "a": 1}, {}])
def test_names_come_in_the_order_in_which_they_first_occur(late):
    rs = [{"a": 1, "b": 2} for _ in range(READ_ROWS)] + [late]

    assert from_records(rs).names() == (("a", "b", "c") if late else ("a", "b"))
    assert from_records([{}, late]).names() == tuple(late)


def test_arrays_outlive_their_records():
    table = from_records([{"a": float(row)} for row in range(70_000)]).to_arrow()
    other = from_records([{"a": -1.0} for _ in range(70_000)]).to_arrow()

    assert table.column("a").to_pylist() == [float(row) for row in range(70_000)]
    assert pa.compute.sum(other.column("a")).as_py() == -70_000
