"""Where column expressions mean what polars means: every row of the table below, value by value.

They differ, as the docstrings say: int overflow fails the row (polars wraps), `//` and `%` of ints
by zero fail it (null there), `//` of floats floors the exact quotient (1.0 // 0.1 is 9.0, 10.0
there) and of infinity is nan, NaN equals nothing (polars: itself, and it is the largest number), a
text in then() and otherwise() is the text (a column there), a bool as text is "True".
"""

from __future__ import annotations

import math

import polars as pl
import pytest

import batchprep as bp
from batchprep.columns import col, lit, when

NAN, INF = math.nan, math.inf
TABLE = pl.DataFrame(
    {
        "x": [1.5, -2.5, 0.0, -0.0, None, NAN, INF, -INF, 0.5, 3.0],
        "y": [0.0, 2.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.0, None, -3.0],
        "n": [1, -2, 0, 7, None, 3, -9, 4, 5, None],
        "m": [2, 3, -4, 5, 6, 0, 2, None, 1, None],
        "p": [True, True, True, False, False, False, None, None, None, True],
        "q": [True, False, None, True, False, None, True, False, None, None],
        "s": ["a", "b", "", None, "a", "é", "b", "c", "a", None],
    }
)
FINITE = TABLE.with_columns(x=pl.when(pl.col("x").is_nan()).then(None).otherwise(pl.col("x")))

SAME = {
    "x + y": lambda c: c("x") + c("y"),
    "x - n": lambda c: c("x") - c("n"),
    "n * m": lambda c: c("n") * c("m"),
    "x / y": lambda c: c("x") / c("y"),
    "n / m": lambda c: c("n") / c("m"),
    "1 / x": lambda c: 1 / c("x"),
    "n // 2": lambda c: c("n") // 2,
    "n % 3": lambda c: c("n") % 3,
    "n % -3": lambda c: c("n") % -3,
    "-x": lambda c: -c("x"),
    "x ** 2": lambda c: c("x") ** 2,
    "x ** 0.5": lambda c: c("x").abs() ** 0.5,
    "n ** 2": lambda c: c("n") ** 2,
    "n == m": lambda c: c("n") == c("m"),
    "n < m": lambda c: c("n") < c("m"),
    "s == 'a'": lambda c: c("s") == "a",
    "s != 'a'": lambda c: c("s") != "a",
    "p & q": lambda c: c("p") & c("q"),
    "p | q": lambda c: c("p") | c("q"),
    "p ^ q": lambda c: c("p") ^ c("q"),
    "~p": lambda c: ~c("p"),
    "is_null": lambda c: c("x").is_null(),
    "is_not_null": lambda c: c("s").is_not_null(),
    "is_nan": lambda c: c("x").is_nan(),
    "fill_null": lambda c: c("n").fill_null(-1),
    "fill_null column": lambda c: c("n").fill_null(c("m")),
    "fill_nan": lambda c: c("x").fill_nan(0.5),
    "fill_nan null": lambda c: c("x").fill_nan(None),
    "is_in": lambda c: c("n").is_in([1, 7, 9]),
    "is_in texts": lambda c: c("s").is_in(["a", "é"]),
    "is_between": lambda c: c("n").is_between(-2, 4),
    "clip": lambda c: c("n").clip(-1, 4),
    "clip floats": lambda c: c("x").clip(-1.0, 1.0),
    "abs": lambda c: c("x").abs(),
    "round": lambda c: c("x").round(),
    "floor": lambda c: c("x").floor(),
    "ceil": lambda c: c("x").ceil(),
    "sqrt": lambda c: c("x").sqrt(),
    "log": lambda c: c("x").log(),
    "log1p": lambda c: c("x").log1p(),
    "exp": lambda c: c("x").exp(),
    "cast": lambda c: c("n").cast(float),
    "cast bool": lambda c: c("n").cast(bool),
}
# Libraries of mathematics differ in the last bit.
NEARLY = {"log", "log1p", "exp", "x ** 0.5"}


@pytest.mark.parametrize("name", SAME)
def test_the_same_expression_means_the_same(name):
    records = TABLE.to_dicts()
    theirs = TABLE.select(SAME[name](pl.col).alias("v"))["v"].to_list()

    ours = bp.vectorize(SAME[name](col).row_function(), backend="numpy")(records)

    for got, want in zip(ours, theirs, strict=True):
        if name in NEARLY and want is not None and math.isfinite(want):
            assert got == pytest.approx(want, rel=1e-15, abs=0)
        else:
            assert repr(got) == repr(want)


def test_choices_mean_the_same():
    def choice(start, c, text):
        chosen = start(c("n") > 2).then(text("big")).when(c("p")).then(c("s"))
        return chosen.otherwise(text("none"))

    theirs = TABLE.select(choice(pl.when, pl.col, pl.lit).alias("v"))["v"].to_list()

    assert bp.vectorize(choice(when, col, lit).row_function())(TABLE.to_dicts()) == theirs


@pytest.mark.parametrize(
    "make",
    [
        lambda c: (c("x") / c("y")).alias("ratio"),
        lambda c: c("x") / c("y"),
        lambda c: 1 + c("y"),
        lambda c: c("y").round().abs(),
    ],
)
def test_the_names_of_results_are_the_same(make):
    assert make(col).name == make(pl.col).meta.output_name()
