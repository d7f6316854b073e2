"""math="fast": loops with transcendental functions vectorise, and deviate where Python raises."""

import math
import re

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.backends import get_backend
from batchprep.backends.numba import compiler, guesses
from batchprep.ops import OPS
from batchprep.plan.node import const
from tests.ops.stages import apply, column, layout_of, run, stage_of

X, Y = column("x", "f"), column("y", "f")
VECTORS = [op.name for op in OPS.values() if op.fast]
HUGE = [1e14, -3.6e13, 1e22, 1.7976931348623157e308, -1e300]


@pytest.fixture(autouse=True)
def fresh_caches(tmp_path, monkeypatch):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler, "_kernels", {})


def llvm_of(stage, *nodes):
    layout = dict.fromkeys(nodes, np.dtype(float))
    (function,) = get_backend("numba").compile(stage, layout, "fast").functions
    (ir,) = function.inspect_llvm().values()
    return ir


@pytest.mark.skipif(not guesses.has_multiply_add(), reason="no fused multiply-add")
@pytest.mark.parametrize("name", VECTORS)
def test_a_loop_with_the_function_vectorises(name):
    arguments = [X, Y][: len(OPS[name].params)]
    ir = llvm_of(stage_of([apply(name, *arguments)]), *arguments)

    lanes = [int(width) for width in re.findall(r"@llvm\.fma\.v(\d+)f64", ir)]
    assert lanes
    assert min(lanes) >= 2
    if name not in {"sin", "cos"}:  # their second loop calls the C library's
        assert not re.findall(rf"call double @{name.removeprefix('f')}\(", ir)


@pytest.mark.skipif(not guesses.has_multiply_add(), reason="no fused multiply-add")
def test_features_of_many_columns_are_one_vectorised_loop():
    columns = [column(f"c{place}", "f") for place in range(8)]
    logs = [apply("log1p", each) for each in columns[:2]]
    ratio = apply("fdiv", columns[2], columns[3])
    clipped = apply("select", apply("flt", columns[4], const(2.0)), columns[4], const(2.0))
    outputs = [*logs, ratio, clipped, apply("sqrt", columns[5]), apply("flt", *columns[6:])]
    ir = llvm_of(stage_of(outputs, [apply("fle", columns[0], const(-1.0))]), *columns)

    assert "@llvm.fma.v" in ir
    assert "@llvm.sqrt.v" in ir
    assert not re.findall(r"call double @\w*log1p\w*\(", ir)


def test_without_fused_multiply_add_the_c_library_is_called(monkeypatch):
    monkeypatch.setattr(guesses, "has_multiply_add", lambda: False)
    stage = stage_of([apply("log1p", X), apply("sin", X), apply("fpow", X, const(0.5))])
    (source,) = get_backend("numba").compile(stage, {X: np.dtype(float)}, "fast").sources

    assert "k.log1p_f64(x0)" in source
    assert "math.sin(x0)" in source
    assert "k.root_fast(x0)" in source


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_angles_beyond_the_kernels_reach_are_the_c_librarys(name):
    x = np.array([*HUGE, 0.5, math.nan, math.inf, 3.0, 2.0**45] * 3)
    stage = stage_of([apply(name, X)], [apply("fisnan", apply(name, X))])
    inputs = {X: x}

    (found, marks), (expected, same_marks) = (
        run(*each, stage, inputs, len(x), math=mode)
        for *each, mode in (("numba", "fast"), ("python", "exact"))
    )

    huge = np.abs(x) > 2.0**45
    np.testing.assert_array_equal(found[huge], expected[huge])
    np.testing.assert_allclose(found, expected, rtol=3e-16)
    np.testing.assert_array_equal(marks, same_marks)


def test_a_stage_with_an_angle_is_redone_only_in_rows_beyond_reach():
    (source,) = (
        get_backend("numba")
        .compile(stage_of([apply("sin", X)]), {X: np.dtype(float)}, "fast")
        .sources
    )

    first, second = source.split("found = 0")
    assert "k.sin_fast" in first
    assert "k.is_reduced" in first
    assert "math.sin" in second


ROWS = {
    "log": [1.0, 0.5, 0.0], "log1p": [0.5, -1.0], "exp": [1.0, 709.782712893384, 710.0],
    "expm1": [1.0, 1e-300, 709.7827128933841], "sin": [1.0, math.inf], "cos": [1.0, -math.inf],
    "tanh": [0.5, -1e300, 1e-300], "log2": [8.0, -1.0], "log10": [1000.0, -0.0],
    "exp2": [3.0, 1024.0], "sqrt": [2.0, -1.0],
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_rows_outside_the_domain_raise_what_the_loop_raises(name):
    function = getattr(math, name)
    fast = bp.vectorize(lambda r: function(r["x"]), backend="numba", math="fast")
    inside = [x for x in ROWS[name] if not raises(function, x)]

    found = fast(pa.table({"x": inside})).to_pylist()

    assert found == pytest.approx([function(x) for x in inside], rel=3e-16, abs=0.0)
    for x in set(ROWS[name]) - set(inside):
        with pytest.raises(raises(function, x)):
            fast(pa.table({"x": [1.0, x]}))


def raises(function, x):
    try:
        function(x)
    except (ValueError, OverflowError) as error:
        return type(error)
    return None


def test_roots_and_squares_by_powers_have_pythons_special_values():
    x = [0.0, -0.0, math.inf, -math.inf, 4.0, 1e-320, -0.25 * 0]
    exponents = [0.5, 2.0, 2]
    for exponent in exponents:
        fast = bp.vectorize(lambda r, e=exponent: r["x"] ** e, backend="numba", math="fast")
        found = fast(pa.table({"x": x})).to_pylist()
        assert [repr(value) for value in found] == [repr(value**exponent) for value in x]


def test_a_root_of_a_negative_number_is_complex_in_fast_mode_too():
    fast = bp.vectorize(lambda r: r["x"] ** 0.5, backend="numba", math="fast")

    assert fast([{"x": 4.0}, {"x": -4.0}]) == [2.0, (-4.0) ** 0.5]


def test_a_fast_power_that_overflows_raises():
    fast = bp.vectorize(lambda r: r["x"] ** r["y"], backend="numba", math="fast")

    assert fast(pa.table({"x": [2.0, 9.0], "y": [-3.0, 1.5]})).to_pylist() == [0.125, 27.0]
    with pytest.raises(OverflowError):
        fast(pa.table({"x": [2.0, 10.0], "y": [1.0, 309.0]}))
    with pytest.raises(ZeroDivisionError):
        fast(pa.table({"x": [2.0, 0.0], "y": [1.0, -1.0]}))


def test_exact_mode_has_none_of_it():
    nodes = [apply(name, *[X, Y][: len(OPS[name].params)]) for name in VECTORS]
    layout = layout_of({X: np.zeros(1), Y: np.zeros(1)})
    sources = get_backend("numba").compile(stage_of(nodes), layout, "exact").sources

    assert not re.findall(r"\w+_fast", "".join(sources))
