"""States that several steps write, and sums that begin with a value as it is."""

import pytest

import batchprep as bp
from tests.loops.test_table import outcome


def last_of_two_steps(records):
    last = None
    for r in records:
        if r["a"] > 2:
            last = r["s"]
        if r["a"] < 2:
            last = r["k"]
    return last


def sums_as_they_are(records):
    sums = {}
    for r in records:
        if r["k"] in sums:
            sums[r["k"]] += r["ok"]
        else:
            sums[r["k"]] = r["ok"]
    return sums


RECORDS = [
    {"a": a, "s": f"s{row}", "k": f"k{row % 7}", "ok": row % 2 == 0}
    for row, a in enumerate([1, 3, 2, 3, 1, 1, 3, 2, 5])
]


@pytest.mark.parametrize("rows", range(len(RECORDS) + 1))
@pytest.mark.parametrize(
    "function", [last_of_two_steps, sums_as_they_are], ids=lambda f: f.__name__
)
def test_a_state_is_the_loops_after_any_number_of_rows(function, rows):
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")
    records = RECORDS[:rows]

    assert repr(outcome(run, records)) == repr(outcome(function, records))
