"""polars columns that Arrow cannot carry are read by polars itself, never as raw memory."""

from __future__ import annotations

import functools

import polars as pl
import pytest

import batchprep as bp

vectorize = functools.partial(bp.vectorize, backend="numpy", on_unsupported="ignore")


class Point:
    def __init__(self, x):
        self.x = x


FRAME = pl.DataFrame(
    {"n": [1, 2, 3], "p": [Point(1), None, Point(3)], "big": [1, 2**100, None]},
    schema={"n": pl.Int64, "p": pl.Object, "big": pl.Int128},
)


def test_unused_column_does_no_harm():
    assert vectorize(lambda r: r["n"] * 2)(FRAME).to_list() == [2, 4, 6]
    assert vectorize(lambda r: {"m": r["n"]})(FRAME).to_dict(as_series=False) == {"m": [1, 2, 3]}


@pytest.mark.parametrize("read", [lambda r: r["p"].x if r["p"] else 0, lambda r: hash(r["n"])])
def test_objects_are_the_frames_own(read):
    assert vectorize(read)(FRAME).to_list() == list(map(read, FRAME.to_dicts()))


def test_int128_is_read_exactly():
    def digits(r):
        return 0 if r["big"] is None else len(str(r["big"]))

    assert vectorize(digits)(FRAME).to_list() == [1, 31, 0]
    assert vectorize(lambda r: r["big"] is None)(FRAME).to_list() == [False, False, True]


@pytest.mark.parametrize(
    "function", [lambda r: r["p"], lambda r: {"p": r["p"]}, lambda r: {**r, "z": 1}]
)
def test_object_result_is_refused(function):
    with pytest.raises(TypeError, match=r"Point object .*does not fit"):
        vectorize(function)(FRAME.select("n", "p"))


def test_int128_past_64_bits_is_refused_as_a_result():
    with pytest.raises(OverflowError, match=r"row 1: 12676.* does not fit"):
        vectorize(lambda r: {"big": r["big"]})(FRAME)
    assert vectorize(lambda r: {"big": r["big"]})(FRAME[:1]).to_dicts() == [{"big": 1}]


def test_frame_of_such_columns_alone():
    assert vectorize(lambda r: r["p"] is None)(FRAME.select("p")).to_list() == [False, True, False]
    assert vectorize(lambda r: r["big"])(FRAME.select("big")[:0]).to_list() == []
