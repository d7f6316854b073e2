"""Results handed back as pandas: exact values, and the dtypes that pandas' users expect."""

from __future__ import annotations

import datetime as dt
import functools

import numpy as np
import pandas as pd
import pytest

import batchprep as bp
from batchprep.batch.sameness import same_value

vectorize = functools.partial(bp.vectorize, backend="numpy", on_unsupported="ignore")


@pytest.mark.parametrize(
    ("column", "function"),
    [
        (pd.Series([2**62, 1]), lambda r: r["x"] * 2),
        (pd.Series([2**64 - 1, 0, 5], dtype="uint64"), lambda r: r["x"]),
        (pd.Series([2**70, 1], dtype=object), lambda r: r["x"]),
        (pd.Series([-(2**63), 7]), lambda r: r["x"] - 1),
        (pd.Series([2**63, 1], dtype=object), lambda r: r["x"] + 1),
    ],
)
def test_int_past_64_bits_makes_an_object_column(column, function):
    frame = pd.DataFrame({"x": column})
    wanted = [function({"x": value}) for value in column.tolist()]

    single = vectorize(function)(frame)
    table = vectorize(lambda r: {"y": function(r)})(frame)

    assert single.dtype == object
    assert single.tolist() == wanted
    assert table["y"].dtype == object
    assert table["y"].tolist() == wanted


OBJECTS = {
    "none": [None, "a"],
    "none beside bool": [None, True],
    "date": [dt.date(2024, 5, 1), None],
    "datetime": [dt.datetime(2024, 5, 1, tzinfo=dt.UTC), None],
    "interval": [pd.Interval(1, 2), pd.Interval(3, 4)],
    "timestamp": [pd.Timestamp("2024-05-01"), None],
    "NaN": [float("nan"), None],
    "lists": [[1, 2], [3, 4]],
    "tuples": [(1, 2), (3, 4)],
    "NumPy int": [np.int32(3), 4],
}


@pytest.mark.parametrize("values", OBJECTS.values(), ids=OBJECTS)
def test_object_results_are_not_inferred_again(values):
    frame = pd.DataFrame({"i": [0, 1]})

    single = vectorize(lambda r: values[r["i"]])(frame)
    table = vectorize(lambda r: {"y": values[r["i"]]})(frame)

    for column in (single, table["y"]):
        assert column.dtype == object
        assert same_value(column.tolist(), values)


def test_none_stays_none_beside_strings():
    frame = pd.DataFrame({"s": ["a", "b"], "i": [1, 2]})

    assert vectorize(lambda r: r["s"] if r["i"] > 1 else None)(frame).tolist() == [None, "b"]


COLUMNS = pd.DataFrame(
    {
        "small": np.array([1, 2], "int8"),
        "unsigned": np.array([2**64 - 1, 0], "uint64"),
        "single": np.array([0.5, np.nan], "float32"),
        "text": ["a", None],
        "object": pd.Series([1, None], dtype=object),
        "when": pd.to_datetime(["2024-01-01", None]),
        "zoned": pd.to_datetime(["2024-01-01", "2024-07-01"]).tz_localize("Europe/Berlin"),
        "category": pd.Categorical(["u", "v"]),
        "nullable": pd.array([1, None], dtype="Int16"),
        "span": pd.to_timedelta([1, 2], unit="s"),
        "interval": pd.arrays.IntervalArray.from_breaks([0, 1, 2]),
    },
    index=[7, 3],
)


@pytest.mark.parametrize("rows", [2, 1, 0])
@pytest.mark.parametrize("function", [lambda r: {**r, "z": 1}, lambda r: {**r, "z": hash(1)}])
def test_columns_handed_through_keep_their_dtypes(rows, function):
    frame = COLUMNS.iloc[:rows]
    result = vectorize(function)(frame)

    if rows or "hash" not in function.__code__.co_names:  # no rows of the interpreter: no columns
        pd.testing.assert_frame_equal(result, frame.assign(z=np.ones(rows, np.int64)))


@pytest.mark.parametrize("rows", [2, 0])
def test_frame_returned_as_it_is(rows):
    frame = COLUMNS.iloc[:rows]

    pd.testing.assert_frame_equal(vectorize(lambda r: r)(frame), frame)


def test_dropped_rows_leave_the_dtypes():
    frame = pd.DataFrame({"when": pd.to_datetime(["2024-01-01"] * 3), "n": [1, 0, 2]})
    result = vectorize(lambda r: {**r, "q": 4 // r["n"]}, on_error="drop")(frame)

    pd.testing.assert_frame_equal(result, frame.iloc[[0, 2]].assign(q=[4, 2]))


def test_column_written_to_has_the_type_of_its_values():
    frame = pd.DataFrame({"a": np.array([1, 2], "int8")})

    assert vectorize(lambda r: {**r, "a": r["a"] + 300})(frame)["a"].tolist() == [301, 302]
