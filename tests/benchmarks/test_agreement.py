import math

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from benchmarks.agreement import Rounding, WrongAnswerError, answer_of, rounding

EXPECTED = [1.5, None, -2.0, 0.0, None, 3.0]


def compare(got, expected=EXPECTED):
    return rounding(answer_of(expected), answer_of(got), "someone")


@pytest.mark.parametrize(
    "container",
    [
        list,
        lambda values: pa.array(values, pa.float64()),
        lambda values: pa.chunked_array([values[:2], values[2:]], pa.float64()),
        lambda values: pa.table({"value": pa.array(values, pa.float64())}),
        lambda values: np.array(values, float),
        pl.Series,
        lambda values: pytest.importorskip("pandas").Series(values, dtype=float),
    ],
)
def test_every_container_holds_the_same_answer(container):
    assert compare(container(EXPECTED)) == Rounding(0, 0)


@pytest.mark.parametrize(
    ("got", "words"),
    [
        ([1.5, None, -2.0, 0.0, None], "5 rows instead of 6"),
        ([1.5, 0.0, -2.0, 0.0, None, 3.0], "1 rows differ, first row 1: 0.0 instead of None"),
        ([1.5, None, None, 0.0, None, 3.0], "first row 2: None instead of -2.0"),
        ([1.5, None, -2.0, 0.0, None, 3.1], "first row 5: 3.1 instead of 3.0"),
        ([1.5, None, 2.0, 0.0, None, 3.0], "first row 2: 2.0 instead of -2.0"),
        ([1.5, None, -2.0, -0.0, None, 3.0], "first row 3: -0.0 instead of 0.0"),
        ([3.0, None, -2.0, 0.0, None, 1.5], "2 rows differ"),
        ([1.5, None, -2.0, 0, None, 3.0], "int"),
        (pa.array([1, None, -2, 0, None, 3]), "int64"),
        (pa.array([1.5, None, -2.0, 0.0, math.nan, 3.0]), "first row 4: nan instead of None"),
    ],
)
def test_a_wrong_answer_is_caught(got, words):
    with pytest.raises(WrongAnswerError, match=words):
        compare(got)


def test_a_nan_is_no_value():
    with pytest.raises(WrongAnswerError, match="nan instead of"):
        compare(pa.array([math.nan]), [2.0])


@pytest.mark.parametrize("value", [2.0, -2.0, 1e-300, 5e-324])
def test_last_bits_are_counted(value):
    next_one = math.nextafter(value, math.inf)

    assert compare([next_one], [value]) == Rounding(1, 1)
    assert compare([math.nextafter(next_one, math.inf), 7.0], [value, 7.0]) == Rounding(1, 2)


def test_three_bits_apart_is_wrong():
    far = 2.0
    for _ in range(3):
        far = math.nextafter(far, math.inf)

    with pytest.raises(WrongAnswerError, match="1 rows differ"):
        compare([far], [2.0])
