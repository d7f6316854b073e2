"""What a warning tells to do instead: each piece of advice is true of the function at hand."""

import dataclasses
import enum
import linecache
import os.path
import random
import typing
import warnings

import pandas as pd
import pyarrow as pa
import pytest

import batchprep as bp

TIMES = pd.DataFrame({"when": pd.to_datetime(["2024-01-31 07:30", None]), "n": [1, 2]})
SEEN: set[int] = set()
CUT = pd.Timestamp("2024-01-01")


class Grade(enum.Enum):
    GOOD = "good"


@dataclasses.dataclass
class Point:
    x: int


class Pair(typing.NamedTuple):
    a: int
    b: int


def is_missing(r):
    return r["when"] is pd.NaT


def is_cut(r):
    return r["when"] is CUT


def is_late(r):
    return r["when"] > CUT


def is_late_by_call(r):
    return r["when"] > pd.Timestamp("2024-01-01")


def is_new(r):
    found = r["n"] not in SEEN
    SEEN.add(r["n"])
    return found


def is_at_noon(r):
    return r["when"].hour == 12


@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        (is_missing, "Write pd.isna(...)."),
        (is_cut, "Write ==."),
        (is_late, "times of a pandas frame compile from pa.Table.from_pandas(frame)."),
        (is_new, "belongs into a loop: write def process(records) with bp.vectorize_loop."),
        (is_late_by_call, "Make a constant of it above the function, or a helper with @bp.pure"),
    ],
)
def test_a_warning_says_what_to_write(function, remedy):
    with pytest.warns(bp.FallbackWarning) as caught:
        bp.vectorize(function)(TIMES)

    assert remedy in str(caught[0].message)


def test_times_of_a_frame_compile_from_arrow():
    table = pa.Table.from_pandas(TIMES[:1])

    assert bp.vectorize(is_at_noon, on_unsupported="raise", backend="numpy")(table).to_pylist() == [
        False
    ]


def test_isna_says_what_is_not_there():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bp.vectorize(lambda r: pd.isna(r["when"]))(TIMES)

    assert found.tolist() == [False, True]


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        (lambda r: Grade.GOOD, "Give its .value or .name"),
        (lambda r: Point(r["n"]), "Give a dict of its fields"),
        (lambda r: Pair(r["n"], 2), "Give a dict of its fields"),
    ],
)
def test_an_object_that_no_column_holds_is_told_what_to_give(given, remedy):
    with pytest.raises(TypeError, match=remedy):
        bp.vectorize(given)(pa.table({"n": [1]}))


def level(rows):
    out, before = [], {}
    for r in rows:
        last = before.get(r["n"], 0)
        before[r["n"]] = r["n"]
        out.append(r["n"] - last)
    return out


def test_a_loop_with_steps_in_python_promises_nothing():
    explained = bp.vectorize_loop(level).explain(pa.table({"n": [1, 2]}))

    assert explained.rows is not None
    assert explained.rows.pays.startswith("perhaps: Python runs steps row after row")


def test_completion_shows_public_names():
    assert {"vectorize", "scan", "Pipeline"} < set(dir(bp))
    assert not {"adapters", "rowfn", "run", "kernels"} & set(dir(bp))


def drawn(n):
    return random.choice([1, 2, n])


def is_there(r):
    return os.path.exists(r["path"])  # noqa: PTH110  it is written in Python


def drawn_at_last(r):
    return drawn(r["n"]) + 1


@pytest.mark.parametrize(
    ("function", "line", "name"),
    [
        (is_there, 'return os.path.exists(r["path"])', "genericpath.exists"),
        (drawn_at_last, "return random.choice([1, 2, n])", "random.Random.choice"),
    ],
)
def test_what_a_library_does_is_said_at_the_line_that_calls_it(function, line, name):
    compiled = bp.vectorize(function, backend="numpy", on_unsupported="raise")

    with pytest.raises(bp.Unsupported, match=f"{name} comes from another package: ") as raised:
        compiled([{"n": 1, "path": "."}] * 3)

    span = raised.value.span
    assert span is not None
    assert span.file == __file__
    assert linecache.getline(span.file, span.line).strip().startswith(line)
