"""x ** 0.5 and x ** 2 are pow's own bits in exact mode, though few rows call it."""

import math

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.backends import get_backend
from batchprep.backends.numba import compiler, guesses
from batchprep.backends.numba.guesses import bounds_pow, guess, only_use
from batchprep.kernels import cpu
from batchprep.plan.node import const, kind_const
from batchprep.plan.stage import Output
from tests.ops.stages import apply, column, run, stage_of

X = column("x", "f")
ROWS = 200_000
POWERS = [2.0 ** np.arange(-1000, 1000, 7), 2.0 ** np.arange(-1001, 1000, 7)]
EDGES = np.array(
    [0.0, -0.0, 5e-324, 2.2e-308, 1e-250, 1e300, 1.7976931348623157e308, math.inf, -math.inf]
    + [math.nan, 1.0, -1.0, 4.0, 0.25, 3.0, 1e154, 1.5e154]
)


def bases():
    rng = np.random.default_rng(3)
    bits = rng.integers(-(2**63), 2**63 - 1, ROWS).view(np.float64)
    near = [np.nextafter(each, to) for each in POWERS for to in (0.0, math.inf)]
    return np.concatenate([EDGES, *POWERS, *near, rng.lognormal(4, 3, ROWS), bits])


def same(found, expected):
    """Whether the bits are, but for those of nan."""
    number = ~np.isnan(expected)
    bits = (array.view(np.int64)[number] for array in (found, expected))
    return np.array_equal(number, ~np.isnan(found)) and np.array_equal(*bits)


@pytest.mark.parametrize("exponent", [0.5, 2.0])
def test_every_bit_is_that_of_pow(exponent):
    stage, x = stage_of([apply("fpow", X, const(exponent))]), bases()

    found, expected = (run(name, stage, {X: x}, len(x))[0] for name in ("numba", "python"))

    assert same(found, expected)


@pytest.mark.parametrize("exponent", [0.5, 2.0])
def test_what_follows_from_a_power_is_exact_too(exponent):
    power = apply("fpow", X, const(exponent))
    outputs = [apply("fadd", power, X), apply("flt", power, const(3.0))]
    stage, x = stage_of(outputs, [apply("fisinf", power)]), bases()

    found, expected = (run(name, stage, {X: x}, len(x)) for name in ("numba", "python"))

    assert same(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])
    assert np.array_equal(found[2], expected[2])


def test_a_row_function_gives_what_python_gives():
    x = bases()
    x = x[np.isfinite(x) & (np.abs(x) < 1e150)]

    def function(r):
        return {"root": r["x"] ** 0.5 if r["x"] > 0.01 else None, "square": r["x"] ** 2}

    found = bp.vectorize(function, backend="numba")(pa.table({"x": x})).to_pylist()

    assert found == [function({"x": value}) for value in x.tolist()]


def test_a_square_that_overflows_raises():
    with pytest.raises(OverflowError):
        bp.vectorize(lambda r: r["x"] ** 2, backend="numba")(pa.table({"x": [1.0, 1e200]}))


def test_some_roots_and_squares_are_not_sure_and_most_are():
    for size, least, most in ((4.0, 0.955, 0.985), (300.0, 0.88, 0.93)):
        x = np.random.default_rng(4).lognormal(size, 3, 4_000).tolist()
        roots = [cpu.root_is_sure(value, math.sqrt(value)) for value in x]
        squares = [cpu.square_is_sure(value, value * value) for value in x]

        assert least < np.mean(roots) < most
        assert least < np.mean(squares) < most


def test_a_root_next_to_the_middle_of_two_floats_is_not_sure():
    next_to_one = float(np.nextafter(1.0, 2.0))  # its root: 1 and nearly half a unit

    assert not cpu.root_is_sure(next_to_one, math.sqrt(next_to_one))
    assert cpu.root_is_sure(9.0, 3.0)
    assert cpu.square_is_sure(3.0, 9.0)


def test_loops_with_guesses_vectorise_and_call_pow_for_few(monkeypatch, tmp_path):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_kernels", {})
    stage = stage_of([apply("fpow", X, const(0.5))])
    (kernel,) = get_backend("numba").compile(stage, {X: np.dtype(float)}, "exact").functions
    (ir,) = kernel.inspect_llvm().values()

    assert "llvm.fma.v" in ir
    assert "llvm.sqrt.v" in ir


def test_fast_squares_are_products():
    stage = stage_of([apply("fpow", X, const(2.0))])
    (source,) = get_backend("numba").compile(stage, {X: np.dtype(float)}, "fast").sources

    assert "(x0 * x0)" in source
    assert "power" not in source


def test_other_exponents_are_not_guessed():
    assert guess(apply("fpow", X, const(3.0)), "exact") is None
    assert guess(apply("fpow", X, X), "exact") is None
    assert guess(apply("fmul", X, const(2.0)), "exact") is None
    assert guess(apply("fpow", X, const(-0.0)), "exact") is None


def test_only_rows_whose_result_it_is_are_redone():
    power = apply("fpow", X, const(0.5))
    code = apply("select", apply("flt", X, const(3.0)), kind_const("float"), kind_const("none"))
    alone = stage_of([power, code])
    template = Output(code, ("float", "none"), (("float", power),))
    shown = alone.__class__(**{**vars(alone), "template": template})
    read = stage_of([power, code, apply("fneg", power)])

    assert only_use(shown, power).code is code
    assert only_use(alone, power) is None
    assert only_use(read.__class__(**{**vars(read), "template": template}), power) is None


def test_without_a_bound_pow_is_called_for_every_row(monkeypatch):
    monkeypatch.setattr(guesses.os, "confstr", lambda name: None)
    bounds_pow.cache_clear()
    try:
        stage = stage_of([apply("fpow", X, const(0.5))])
        (source,) = get_backend("numba").compile(stage, {X: np.dtype(float)}, "exact").sources
    finally:
        bounds_pow.cache_clear()

    assert "power_f64" in source
    assert "sqrt" not in source
