"""Every operation gives what the slow reference gives, on every backend and over edge values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.columns import col
from tests.columns.reference import BINARY, FAILED, UNARY, expected

NAN, INF, TOP, LOW = math.nan, math.inf, 2**63 - 1, -(2**63)
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, 3.0, 1e308, -1e308, 5e-324, 709.9, NAN, INF, -INF]
INTS = [0, 1, -1, 2, 3, -7, 63, 64, 10**6, 3037000500, 2**53 + 1, TOP, LOW]
BOOLS = [True, False]
TEXTS = ["a", "", "2", "é"]
COLUMNS: dict[str, list[Any]] = {
    "floats": FLOATS,
    "ints": INTS,
    "bools": BOOLS,
    "texts": TEXTS,
    "floats with nulls": [*FLOATS, None],
    "ints with nulls": [*INTS, None],
    "bools with nulls": [*BOOLS, None],
    "texts with nulls": [*TEXTS, None],
    "ints and floats": [*INTS, *FLOATS, None],
    "only nulls": [None, None],
}
# Mixed columns have no Arrow type that keeps each value's own.
ARROW = {name: values for name, values in COLUMNS.items() if name != "ints and floats"}
PAIRS = [
    ("floats", "floats"),
    ("ints", "ints"),
    ("ints with nulls", "floats with nulls"),
    ("floats with nulls", "ints"),
    ("bools with nulls", "bools with nulls"),
    ("bools", "ints with nulls"),
    ("texts with nulls", "texts"),
    ("texts", "ints"),
    ("ints", "texts"),
    ("only nulls", "floats"),
    ("ints and floats", "ints and floats"),
]
# Texts are compared and chosen in compiled code; what computes with them is interpreted.
INTERPRETED = {"to float", "to int", "to bool", "+", "*", "%", "plus", "is_between", "clip"}
INTERPRETED |= {"<", "<=", ">", ">="}


def text(value: Any) -> str:
    """Value, type and zero sign: 1, 1.0 and True differ, nan is nan."""
    return repr(value)


def check(expression: Any, function: Any, data: Any, rows: list[tuple[Any, ...]], **options: Any):
    run = bp.vectorize(expression.row_function(), on_error="null", **options)
    answers = run(data)
    failures = run.report().failures
    failed = dict(zip(failures["row"].to_pylist(), failures["type"].to_pylist(), strict=True))
    got = answers.to_pylist() if isinstance(answers, pa.ChunkedArray) else answers
    for row, values in enumerate(rows):
        want = expected(function, values)
        if isinstance(want, tuple):
            assert (FAILED, failed.pop(row, None)) == want, values
            want = None
        if isinstance(answers, pa.ChunkedArray) and want is not None:
            assert got[row] == want or (got[row] != got[row] and want != want), values
        else:
            assert text(got[row]) == text(want), values
    assert not failed


# A numba kernel takes a second to compile: there one column of each type must do.
NUMBA = ("floats with nulls", "ints with nulls", "bools with nulls", "texts with nulls")
ONE = [(backend, column) for backend in ("python", "numpy") for column in COLUMNS]
ONE += [("numba", column) for column in NUMBA]
TWO = [(backend, pair) for backend in ("python", "numpy") for pair in PAIRS]
TWO += [("numba", pair) for pair in PAIRS[1:5]]


def policy(name: str, *columns: str) -> str:
    over_texts = any("texts" in column for column in columns)
    return "ignore" if over_texts and name in INTERPRETED else "raise"


@pytest.mark.parametrize(("backend", "column"), ONE)
@pytest.mark.parametrize("name", UNARY)
def test_of_one_column_over_records(name, backend, column):
    make, function = UNARY[name]
    records = [{"x": value} for value in COLUMNS[column]]

    check(
        make(col("x")),
        function,
        records,
        [(value,) for value in COLUMNS[column]],
        backend=backend,
        on_unsupported=policy(name, column),
    )


@pytest.mark.parametrize(
    ("name", "column"),
    [
        (name, column)
        for name in UNARY
        for column in ARROW
        # Beside the float bound they are doubles in Arrow, which 2**53 + 1 is not.
        if not (name == "clip low" and column.startswith("ints"))
    ],
)
def test_of_one_column_over_arrow(name, column):
    make, function = UNARY[name]

    check(
        make(col("x")),
        function,
        pa.table({"x": ARROW[column]}),
        [(value,) for value in ARROW[column]],
        backend="numpy",
        on_unsupported=policy(name, column),
    )


@pytest.mark.parametrize(("backend", "columns"), TWO)
@pytest.mark.parametrize("name", BINARY)
def test_of_two_columns_over_records(name, backend, columns):
    make, function = BINARY[name]
    rows = list(itertools.product(*(COLUMNS[column] for column in columns)))

    check(
        make(col("x"), col("y")),
        function,
        [{"x": x, "y": y} for x, y in rows],
        rows,
        backend=backend,
        on_unsupported=policy(name, *columns),
    )


def test_a_column_that_a_record_lacks_is_null(backend):
    run = bp.vectorize((col("x") + 1).row_function(), backend=backend, on_unsupported="raise")

    assert run([{"x": 1}, {}, {"x": None}]) == [2, None, None]


def test_an_int_beyond_64_bits_in_the_data_can_be_compared_and_divided(backend):
    records = [{"x": 2**70}, {"x": 4}]

    def run(expression: Any) -> Any:
        return bp.vectorize(expression.row_function(), backend=backend)(records)

    assert run(col("x") > 5) == [True, False]
    assert run(col("x") / 2) == [2.0**69, 2.0]


def test_a_text_is_cast_as_python_reads_it(backend):
    run = bp.vectorize(
        col("x").cast(float).row_function(), backend=backend, on_unsupported="ignore"
    )

    assert run([{"x": "2.5"}, {"x": " 1e3 "}, {"x": None}]) == [2.5, 1000.0, None]


def test_numbers_become_texts_as_python_writes_them(backend):
    function = col("x").cast(str).row_function()
    run = bp.vectorize(function, backend=backend, on_unsupported="ignore")

    assert run([{"x": 1}, {"x": 2.5}, {"x": True}, {"x": None}]) == ["1", "2.5", "True", None]
