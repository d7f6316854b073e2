"""How much repeats among the values that Python computes with, as a few rows show it."""

import math

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch.batch import from_arrow, from_records
from batchprep.run.repeats import LOOKED_AT, distinct_values, expected_share, some_rows
from tests.run.programs import traced_program

ROWS = 100_000


def titled(r):
    return r["s"].title()


def joined(r):
    return f"{r['s']}/{r['n']}"


def listed(r):
    return [x + 1 for x in r["xs"]]


def share_of(function, table, rows=1_024):
    stage = traced_program(function, table.slice(0, 100)).trace.stage
    return expected_share(from_arrow(table), stage, rows)


def texts(kinds):
    return pa.table({"s": [f"t{i % kinds}" for i in range(ROWS)], "n": pa.array(range(ROWS))})


@pytest.mark.parametrize(
    ("kinds", "low", "high"), [(ROWS, 0.9, 1.0), (20_000, 0.12, 0.35), (1_000, 0.01, 0.02)]
)
def test_texts_that_take_turns_repeat(kinds, low, high):
    assert low <= share_of(titled, texts(kinds)) <= high


def test_a_function_of_several_values_repeats_where_all_do():
    assert share_of(joined, texts(10)) == 1.0


def test_what_runs_for_each_row_does_not_repeat():
    table = pa.table({"xs": [[1, 2]] * 200})

    assert share_of(listed, table, 50) == 1.0


def test_records_are_looked_at_where_they_are_plain_dicts():
    class Odd(dict):
        pass

    records = [{"s": f"t{i % 5}"} for i in range(5_000)]
    stage = traced_program(titled, records).trace.stage

    assert expected_share(from_records(records), stage, 1_024) < 0.5
    assert expected_share(from_records([Odd(r) for r in records]), stage, 1_024) == 1.0
    assert expected_share(from_records([{} for _ in records]), stage, 1_024) < 0.5


def test_a_column_that_is_not_there_has_one_value():
    stage = traced_program(titled, texts(10).slice(0, 100)).trace.stage

    assert expected_share(from_arrow(pa.table({"n": range(5_000)})), stage, 1_024) < 0.5


def test_values_of_other_types_are_not_compared():
    class Strange:
        def __eq__(self, other):
            raise AssertionError

        __hash__ = None

    records = [{"s": Strange()} for _ in range(3_000)]
    stage = traced_program(titled, [{"s": "x"}]).trace.stage

    assert expected_share(from_records(records), stage, 1_024) == 1.0


def test_some_rows_are_distinct_in_order_and_the_same_each_time():
    rows = some_rows(ROWS)

    assert np.all(np.diff(rows) > 0)
    assert 0 <= rows[0] and rows[-1] < ROWS  # noqa: PT018
    assert LOOKED_AT * 0.9 < len(rows) <= LOOKED_AT
    assert rows.tolist() == some_rows(ROWS).tolist()
    assert some_rows(1).tolist() == [0]


def test_values_that_were_never_seen_twice_may_be_any_number():
    assert math.isinf(distinct_values(range(50), 50))
    assert distinct_values([1] * 50, 50) < 1.5
