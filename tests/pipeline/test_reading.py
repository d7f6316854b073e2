"""What a run does not read: columns that no step uses, row groups that a filter empties."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.api.given import source_of
from batchprep.api.routes import Router
from batchprep.rowfn.steps import Filter, Map
from batchprep.run.route import Route
from batchprep.run.skipping import columns_read, skip_of

TABLE = pa.table(
    {
        "n": pa.array([1, 2, 3, 11, 12, 13, 21, 22, 23], pa.int64()),
        "x": pa.array([1.0, 2.0, 3.0, 11.0, 12.0, math.nan, 21.0, 22.0, None], pa.float64()),
        "s": ["a"] * 9,
        "d": pa.array([1, 2, 3, 11, 12, 13, 21, 22, 23], pa.int32()).cast(pa.date32()),
    }
)


@pytest.fixture
def scan(tmp_path):
    """Three row groups: 1..3, 11..13, 21..23."""
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=3)
    return bp.scan(tmp_path / "t.parquet")


def route_of(source, *steps) -> Route:
    return Router(steps).route(source_of(source), "exact")[0]


def groups_read(scan, *steps) -> list[int]:
    """First rows of the row groups that a chain reads."""
    source = scan.source(skip=skip_of(route_of(scan, *steps)))
    kept = [batch.start + row for batch in source.batches(3) for row in range(len(batch))]
    return sorted({row // 3 for row in kept})


def test_columns_that_no_step_uses_are_not_read(scan):
    route = route_of(scan, Filter(lambda r: r["x"] is not None), Map(lambda r: {"m": r["n"] * 2}))

    assert columns_read(route, source_of(scan)) == ("n", "x")


def test_all_columns_are_read_where_the_record_is_handed_on(scan):
    route = route_of(scan, Filter(lambda r: r["n"] > 2))

    assert columns_read(route, source_of(scan)) is None


def test_a_column_is_read_where_no_step_uses_any(scan):
    assert columns_read(route_of(scan, Map(lambda r: 1)), source_of(scan)) == ("n",)


FILTERS = {
    "above": (lambda r: r["n"] > 20, [2]),
    "below": (lambda r: r["n"] <= 3, [0]),
    "between": (lambda r: 10 < r["n"] < 20, [1]),
    "two conditions": (lambda r: r["n"] > 5 and r["n"] < 20, [1]),
    "either": (lambda r: r["n"] < 5 or r["n"] > 20, [0, 2]),
    "equal": (lambda r: r["n"] == 12, [1]),
    "of a sum": (lambda r: r["n"] + 1 > 20, [2]),
    "date": (lambda r: r["d"] > date(1970, 1, 20), [2]),
    "date after days": (lambda r: r["d"] - timedelta(days=5) < date(1970, 1, 1), [0]),
    "nothing": (lambda r: r["n"] > 100, []),
}


@pytest.mark.parametrize("name", FILTERS)
def test_row_groups_that_a_filter_empties_are_not_read(scan, name):
    function, groups = FILTERS[name]

    assert groups_read(scan, Filter(function)) == groups


def test_a_row_group_with_nulls_is_read_where_null_would_fail(scan):
    # None > 100 raises TypeError: those rows must be met. The first group has no null.
    assert 0 not in groups_read(scan, Filter(lambda r: r["x"] > 100))
    assert 2 in groups_read(scan, Filter(lambda r: r["x"] > 100))


def test_nan_is_kept_by_a_filter_that_it_passes(scan):
    # Statistics leave NaN out: the second group is 11 to 12 and NaN.
    assert 1 in groups_read(scan, Filter(lambda r: not r["x"] < 100))
    assert 1 not in groups_read(scan, Filter(lambda r: r["x"] > 100))


def test_a_row_group_is_read_where_a_row_would_fail(scan):
    assert groups_read(scan, Filter(lambda r: 1 // (r["n"] - 12) < 9 and r["n"] > 100)) == [1]


def test_failing_rows_have_the_numbers_of_the_file(scan):
    pipe = (
        bp.Pipeline(on_error="drop").filter(lambda r: r["n"] > 10).map(lambda r: 1 // (r["n"] - 22))
    )

    assert pipe(scan).to_pylist() == [-1, -1, -1, -1, 1]
    assert pipe.report().failures["row"].to_pylist() == [7]


NUMBERS = st.one_of(st.integers(-5, 5), st.floats(-5, 5, width=16), st.just(math.nan), st.none())
CONDITIONS = (
    lambda r, a, b: r["i"] > a,
    lambda r, a, b: a <= r["i"] < b,
    lambda r, a, b: r["f"] is not None and r["f"] > a,
    lambda r, a, b: r["f"] is not None and not r["f"] > a,
    lambda r, a, b: r["i"] * 2 - 1 == b or (r["f"] or 0.0) >= a,
    lambda r, a, b: r["f"] != a and r["i"] != b,
    lambda r, a, b: 6 // (r["i"] - a) > b,
    lambda r, a, b: r["f"] > a or r["i"] < b,
)


@given(st.data())
def test_skipping_changes_neither_results_nor_failures(tmp_path_factory, data):
    ints = data.draw(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
    floats = data.draw(st.lists(NUMBERS, min_size=len(ints), max_size=len(ints)))
    condition = data.draw(st.sampled_from(CONDITIONS))
    a, b = data.draw(st.integers(-6, 6)), data.draw(st.integers(-6, 6))
    table = pa.table(
        {
            "i": pa.array(sorted(ints), pa.int64()),
            "f": pa.array([None if v is None else float(v) for v in floats], pa.float64()),
        }
    )
    path = tmp_path_factory.mktemp("skip") / "t.parquet"
    pq.write_table(table, path, row_group_size=2)
    pipe = bp.Pipeline(on_error="drop", backend="numpy").filter(lambda r: condition(r, a, b))

    found = pipe(bp.scan(path)), pipe.report().failures
    expected = pipe(table), pipe.report().failures

    assert repr(found[0].to_pylist()) == repr(expected[0].to_pylist())
    assert found[1].select(["row", "type"]) == expected[1].select(["row", "type"])
