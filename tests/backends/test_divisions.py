"""Divisions by constants, and the calendar: exact where they vectorise, and then only."""

import datetime as dt
import re

import numba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.backends import get_backend
from batchprep.backends.numba.divisions import EXACT, INT64, division, largest
from batchprep.dtypes import INT64_MAX, INT64_MIN
from batchprep.kernels import cpu as k
from batchprep.plan.build import build
from batchprep.plan.node import const, intern
from tests.ops.stages import apply, column, stage_of

DAY, HOUR = 86_400_000_000, 3_600_000_000
TICKS = intern("buffer", (), ("at", "datetime"), "i")
FIRST = np.datetime64("0001-01-01")
DAYS = np.arange(FIRST, np.datetime64("9999-12-31") + 1)

divisors = st.tuples(st.integers(0, 40), st.integers(0, 2**21).map(lambda n: 2 * n + 1))


@given(
    value=st.one_of(st.integers(-EXACT, EXACT), st.integers(-(2**20), 2**20)),
    by=divisors,
    low=st.integers(0, 2**40),
)
@example(value=-EXACT, by=(11, 3), low=0)
@example(value=EXACT, by=(11, 2**22 + 1), low=0)
def test_a_quotient_is_the_floor(value, by, low):
    shift, odd = by
    for near in (value, value - value % odd, value - value % odd - 1, value - value % odd + odd):
        whole = (near << shift) + low % (1 << shift)
        if abs(near) <= EXACT and INT64_MIN <= whole <= INT64_MAX:
            assert k.floor_divide_by(whole, shift, odd) == whole // (odd << shift)


@pytest.mark.parametrize("value", [INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX])
@pytest.mark.parametrize("around", [-1, 0, 1])
def test_days_of_any_ticks(value, around):
    near = min(max(value // DAY * DAY + around, INT64_MIN), INT64_MAX)

    for ticks in (value, near):
        assert k.floor_divide_by(ticks, 13, DAY >> 13) == ticks // DAY


@pytest.mark.parametrize(
    ("node", "bound"),
    [
        (TICKS, INT64),
        (const(-7), 7),
        (build("imod", TICKS, const(DAY)), DAY),
        (build("ifloordiv", TICKS, const(DAY)), INT64 // DAY + 1),
        (build("iadd", build("imod", TICKS, const(DAY)), const(3)), DAY + 3),
        (build("iadd", TICKS, const(DAY)), INT64),
        (build("imul", TICKS, TICKS), INT64),
        (build("imod", TICKS, const(-5)), INT64),
    ],
)  # fmt: skip
def test_bounds(node, bound):
    assert largest(node) == bound


DEEP = TICKS
for _ in range(5_000):
    DEEP = build("iadd", DEEP, const(1))


@pytest.mark.parametrize(
    "node",
    [
        build("ifloordiv", TICKS, const(10)),  # of any int, by an odd number and few bits
        build("ifloordiv", TICKS, const(-DAY)),
        build("ifloordiv", TICKS, TICKS),
        build("imod", TICKS, const(1 << 20)),  # which are shifts
        build("iadd", TICKS, const(DAY)),
        build("imod", DEEP, const(7)),
    ],
)
def test_other_divisions_are_left_to_llvm(node):
    assert division(node) is None


def test_the_calendar_is_that_of_numpy():
    @numba.njit
    def calendar(days):
        found = np.empty((len(days), 3), np.int64)
        for place, day in enumerate(days):
            found[place] = k.year_of_day(day), k.month_of_day(day), k.day_of_month(day)
        return found

    years, months = DAYS.astype("M8[Y]").astype(int) + 1970, DAYS.astype("M8[M]")
    of_month = (DAYS - months.astype("M8[D]")).astype(int) + 1
    expected = np.stack([years, months.astype(int) % 12 + 1, of_month], axis=1)

    assert np.array_equal(calendar(DAYS.astype(np.int64)), expected)


def dated(r):
    at = r["at"]
    ahead = at - dt.datetime(2020, 1, 1)  # noqa: DTZ001  the times are naive
    return at.hour, at.minute, at.second, at.weekday(), ahead.days, at.month, at.day, at.year


def test_fields_of_times_are_those_of_python():
    edges = [dt.datetime.min, dt.datetime.max, dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)]  # noqa: DTZ001, DTZ901
    draw = np.random.default_rng(7)
    low, high = (
        int((np.datetime64(t) - np.datetime64(0, "us")) // np.timedelta64(1, "us"))
        for t in edges[:2]
    )
    ticks = np.concatenate(
        [draw.integers(low, high, 2_000), draw.integers(-(10**7), 10**7, 500) * 1_000_000]
    )
    table = pa.table({"at": pa.array([*edges, *pa.array(ticks, pa.timestamp("us")).to_pylist()])})
    found = bp.vectorize(dated, backend="numba")(table).to_pylist()

    assert [tuple(row.values()) for row in found] == [dated(r) for r in table.to_pylist()]


def test_a_loop_over_times_is_vectorised():
    at = column("at", "i")
    day = apply("ifloordiv", at, const(DAY))
    hour = apply("ifloordiv", apply("imod", at, const(DAY)), const(HOUR))
    weekday = apply("imod", apply("iadd", day, const(3)), const(7))
    stage = stage_of([hour, weekday, apply("month_of_day", day)], [])
    kernel = get_backend("numba").compile(stage, {at: np.dtype(np.int64)}, "exact")
    (function,) = kernel.functions
    (ir,) = function.inspect_llvm().values()
    widths = [int(width) for width in re.findall(r"fdiv <(\d+) x double>", ir)]

    assert min(widths) >= 2
    assert not re.findall(r"[su](?:div|rem) i64", ir)
