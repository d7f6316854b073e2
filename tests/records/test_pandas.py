"""pandas frames as sources."""

# ruff: noqa: DTZ001  naive datetimes are data here

import datetime as dt
import decimal
import http
import subprocess
import sys

import numpy as np
import pytest

from batchprep.records import open_source
from tests.batch.test_from_records import same

pd = pytest.importorskip("pandas")

COLUMNS = {
    "int8": np.array([1, -128], np.int8),
    "uint64": np.array([1, 2**64 - 1], np.uint64),
    "float16": np.array([1, 0.5], np.float16),
    "float32": np.array([0.1, np.nan], np.float32),
    "float64": [0.1, np.nan],
    "bool": [True, False],
    "complex": [1j, 2j],
    "str": ["x", None],
    "surrogate": pd.Series(["\ud800", "x"], dtype=pd.StringDtype("python", na_value=np.nan)),
    "string": pd.array(["x", None], "string"),
    "object": pd.Series([np.int64(3), None], dtype=object),
    "mixed": pd.Series([dt.datetime(2020, 1, 1), dt.date(2020, 1, 1)], dtype=object),
    "numpy": pd.Series([np.float32(2), np.datetime64("2020-01-01")], dtype=object),
    "missing": pd.Series([pd.NA, "x"], dtype=object),
    "numpy bool": pd.Series([np.bool_(True), True], dtype=object),
    "own int": pd.Series([http.HTTPStatus.OK, 200], dtype=object),
    "decimal": pd.Series([decimal.Decimal("1.50"), None], dtype=object),
    "stamps": pd.Series([pd.Timestamp("2020-01-01"), pd.NaT], dtype=object),
    "Int64": pd.array([1, None], "Int64"),
    "Float32": pd.array([1.5, None], "Float32"),
    "boolean": pd.array([True, None], "boolean"),
    "arrow int": pd.array([1, None], "int64[pyarrow]"),
    "arrow time": pd.array([dt.datetime(2020, 1, 1), None], "timestamp[us][pyarrow]"),
    "time": pd.to_datetime(["2020-01-01", None]),
    "zoned": pd.to_datetime(["2020-01-01", None]).tz_localize("UTC"),
    "duration": pd.to_timedelta([1, 2]),
    "period": pd.period_range("2020", periods=2),
    "category": pd.Categorical(["x", None]),
    "numbers": pd.Categorical([1, 2]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_records_are_those_of_to_dict(name):
    frame = pd.DataFrame({"v": COLUMNS[name], "i": [1, 2], "s": ["a", "b"]})
    (batch,) = open_source(frame).batches()

    ours, theirs = batch.to_records(), frame.to_dict("records")

    assert [list(map(type, r.values())) for r in ours] == [
        list(map(type, r.values())) for r in theirs
    ]
    assert repr(ours) == repr(theirs)
    assert repr(batch.records(np.array([1]))) == repr(theirs[1:])


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_hold_the_same_values_as_records(name):
    source = open_source(pd.DataFrame({"v": COLUMNS[name]}))
    (batch,) = source.batches()
    column = batch.column("v", source.field("v"))

    for row, value in enumerate(batch.values("v")):
        if column.irregular is not None and column.irregular[row]:
            assert value in (2**64 - 1, "\ud800")
        elif type(value) in (bool, int, float, str):
            found = column.buffers[type(value).__name__][row].item()
            assert same(column.words[found].as_py() if type(value) is str else found, value)
        else:
            kind = "none" if value is None else "other"
            assert kind in column.field.kinds or type(value) in (dt.date, dt.datetime)


def test_plain_numbers_are_viewed_not_copied():
    numbers = np.arange(10.0)
    source = open_source(pd.DataFrame({"v": numbers}, copy=False))
    second = list(source.batches(4))[1]

    buffer = second.column("v", source.field("v")).buffers["float"]

    assert buffer.__array_interface__["data"][0] == numbers.__array_interface__["data"][0] + 32


def test_a_missing_string_is_a_nan():
    source = open_source(pd.DataFrame({"v": ["x", None]}))

    assert set(source.field("v").kinds) == {"str", "float"}


def test_integers_are_never_null():
    source = open_source(pd.DataFrame({"v": np.array([1], np.int8)}))

    assert (set(source.field("v").kinds), source.field("v").high) == ({"int"}, 127)
    assert next(source.batches()).null_free("v")


def test_names_need_not_be_strings():
    source = open_source(pd.DataFrame({3: [1], ("a", "b"): [2]}))

    assert source.names() == (3, ("a", "b"))
    assert next(source.batches()).to_records() == [{3: 1, ("a", "b"): 2}]
    assert set(source.field(3).kinds) == {"int"}


def test_columns_of_the_same_name_are_refused():
    with pytest.raises(ValueError, match="the column names a occur more than once"):
        open_source(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_the_frame_is_kept_with_its_index():
    frame = pd.DataFrame({"v": [1]}, index=["k"])
    source = open_source(frame)

    assert (source.kind, source.data is frame, source.length) == ("pandas", True, 1)


def test_an_unknown_name_is_absent():
    source = open_source(pd.DataFrame({"v": [1]}))

    assert set(source.field("w").kinds) == {"absent"}


def test_lists_need_no_pandas():
    code = (
        "import sys, batchprep.records; "
        "sys.exit(any(name in sys.modules for name in ('pandas', 'polars', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
