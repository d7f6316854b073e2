"""An iterator gives each good result before the row that fails."""

from __future__ import annotations

import pytest

import batchprep as bp


def compiled(r):
    return 10 // (r["x"] - 3)


def whole(r):
    return 10 // (r["x"] - 3 + 0 * hash("a"))


def kinds(r):
    return 10 // (r["x"] - 3) if r["x"] != "text" else r["x"]


ROWS = [{"x": i} for i in range(10)]


@pytest.fixture(autouse=True)
def one_backend():
    with bp.use(backend="numpy", on_unsupported="ignore"):
        yield


def drained(results):
    """What an iterator gave, and the exception that ended it."""
    got = []
    try:
        got.extend(results)  # which keeps those before an exception
    except Exception as error:  # noqa: BLE001  whatever the row function raises
        return got, error
    return got, None


@pytest.mark.parametrize("function", [compiled, whole, kinds])
@pytest.mark.parametrize("before", [0, 70_000])
def test_results_before_the_failing_row_come_first(function, before):
    rows = [{"x": 5}] * before + [{"x": 2}, {"x": "text"}, *ROWS] * (function is kinds) + ROWS
    got, error = drained(bp.vectorize(function)(iter(rows)))
    wanted, own_error = drained(map(function, rows))

    assert got == wanted
    assert (type(error), error.args) == (type(own_error), own_error.args)
    assert f"row {len(wanted):,}," in error.__notes__[0]


@pytest.mark.parametrize("backend", ["numpy", "python"])
def test_each_row_runs_once_and_none_after_the_failing_one(backend):
    seen = []

    def noting(r):
        seen.append(r["x"])
        return 10 // (r["x"] - 3)

    got, error = drained(bp.vectorize(noting, backend=backend)(iter(ROWS)))

    assert (len(got), type(error)) == (3, ZeroDivisionError)
    assert seen == [0, 1, 2, 3]


def test_failing_iterable_comes_after_its_rows_too():
    def source():
        yield from ROWS[:3]
        raise OSError

    got, error = drained(bp.vectorize(compiled)(source()))
    assert (got, type(error)) == (list(map(compiled, ROWS[:3])), OSError)


def next_of(r):
    return next(iter(r["items"]))


EMPTY = [{"items": [1]}, {"items": []}]


def test_stop_iteration_stays_what_it_is_for_a_list():
    with pytest.raises(StopIteration) as raised:
        bp.vectorize(next_of)(EMPTY)
    assert "row 1" in raised.value.__notes__[0]
    with bp.use(on_error="null"):
        assert bp.vectorize(next_of)(EMPTY) == [1, None]


def test_stop_iteration_is_the_runtime_error_of_generators_for_an_iterator():
    got, error = drained(bp.vectorize(next_of)(iter(EMPTY)))

    assert (got, type(error), type(error.__cause__)) == ([1], RuntimeError, StopIteration)
