"""The generated NumPy function: blocks that fit the cache, temporaries freed, no wasted pass."""

import numpy as np
import pytest

from batchprep.backends import BACKENDS, get_backend
from batchprep.backends.elementwise import evaluate
from tests.ops.stages import apply, column, layout_of, run, stage_of

X = column("x", "f")


def source(stage):
    return get_backend("numpy").compile(stage, layout_of({X: np.zeros(1)}), "exact").source


def test_a_temporary_is_freed_after_its_last_use():
    square = apply("fmul", X, X)
    text = source(stage_of([apply("fabs", apply("fadd", square, X))]))

    assert text.count("del ") == 2


def test_an_output_is_written_by_its_op():
    assert "np.multiply(a0, a0, o0)" in source(stage_of([apply("fmul", X, X)]))


def test_an_op_that_numpy_rounds_differently_is_evaluated_by_its_meaning():
    stage = stage_of([apply("exp", X)])
    exact = get_backend("numpy").compile(stage, layout_of({X: np.zeros(1)}), "exact").source
    fast = get_backend("numpy").compile(stage, layout_of({X: np.zeros(1)}), "fast").source

    assert "h.evaluate" in exact
    assert "np.exp(" in fast


def test_a_repetitive_column_is_evaluated_once_per_distinct_value():
    calls = []

    def negate(value):
        calls.append(value)
        return -value

    column = np.tile([0.0, -0.0, 1.5, np.nan], 2000)
    result = evaluate(negate, "f", column)

    assert len(calls) == 4
    assert (np.signbit(result[:2]) == [True, False]).all()
    np.testing.assert_array_equal(result, -column)


def test_a_varied_column_is_evaluated_row_by_row():
    values = np.arange(5000, dtype=np.int64)

    np.testing.assert_array_equal(evaluate(lambda v: v + 1, "i", values), values + 1)


def test_numpy_warns_of_nothing():
    stage = stage_of([apply("fdiv", X, X), apply("f2i", X), apply("log", X)])

    run("numpy", stage, {X: np.array([0.0, np.inf, np.nan, 1e300])}, 4)


def test_an_unknown_backend_is_named_with_those_there_are():
    assert list(BACKENDS) == ["python", "numpy", "numba"]
    with pytest.raises(ValueError, match="'fortran' is not one of 'python', 'numpy', 'numba'"):
        get_backend("fortran")
