"""The kernels of math="fast": within a unit of the true value, special values as the C library."""

import math

import mpmath
import numba
import numpy as np
import pytest

from batchprep.kernels import cpu
from batchprep.ops import OPS
from tests.ops.rows import FLOATS

FEW, MANY = 1_500, 400_000
FUNCTIONS = {name: op for name, op in OPS.items() if op.fast}
UNARY = sorted(name for name, op in FUNCTIONS.items() if op.params == "f")
TRUE = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x),
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "log10": mpmath.log10,
    "log1p": mpmath.log1p,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "fpow": mpmath.power,
}
# Where a function changes its method, and where its result is near the ends of float64.
STEPS = {
    "exp": (709.782712893384, -745.1332191019411, -708.3964185322641, 0.34657359027997264),
    "exp2": (1023.9999999999999, -1074.0, -1074.9, -1022.0, 0.5, 1.5),
    "expm1": (709.782712893384, -37.4, -60.0, 0.34657359027997264, 1.0397207708399179),
    "log": (0.7071067811865475, 0.7071067811865476, 1.414213562373095, 2.2250738585072014e-308),
    "log1p": (-0.9999999999999999, -0.29289321881345254, 0.41421356237309515, 4503599627370496.0),
    "tanh": (19.06, 30.0, 1e-9, 1.1e-9),
    "sin": (355.0, 1e-8, 2.0**45, 6381956970095103.0 / 1024, 0.7853981633974483),
}
STEPS |= {"log2": STEPS["log"], "log10": STEPS["log"], "cos": STEPS["sin"]}
EDGES = np.array([*FLOATS, 0.9999999999999999, 1.0000000000000002, 2.0**1023, 3e-310])


def loop_of(name):
    kernel = getattr(cpu, f"{name}_fast")

    @numba.njit(error_model="numpy")
    def over(x, out):
        for i in range(len(out)):
            out[i] = kernel(x[i])

    return over


def found(name, *columns):
    out = np.empty(len(columns[0]))
    LOOPS[name](*columns, out)
    return out


def powers():
    @numba.njit(error_model="numpy")
    def over(x, y, out):
        for i in range(len(out)):
            out[i] = cpu.power_fast(x[i], y[i])

    return over


LOOPS = {name: loop_of(name) for name in UNARY} | {"fpow": powers()}


def arguments(name, count):
    """Values in the function's domain, of every size, and its steps with their neighbours."""
    rng = np.random.default_rng(7)
    share = count // 4
    sizes = np.exp(rng.uniform(-740.0, 709.0, share))
    small = rng.normal(size=share) * 10.0 ** rng.uniform(-18.0, 0.0, share)
    parts = [small, rng.normal(size=share), rng.uniform(-40.0, 40.0, share)]
    if name in {"sin", "cos"}:
        parts.append(rng.uniform(-1.0, 1.0, share) * 2.0 ** rng.uniform(0.0, 45.0, share))
    elif name.startswith("log"):
        parts += [sizes, 1.0 + small]
    else:
        parts.append(rng.uniform(-1080.0, 1024.0, share))
    steps = np.array(STEPS[name])
    near = [np.nextafter(steps, to) for to in (-math.inf, math.inf)]
    x = np.concatenate([EDGES, steps, *near, *parts])
    x = x[np.isfinite(x)]
    if name in {"sin", "cos"}:
        return x[np.abs(x) <= 2.0**45]
    return x[x > (-1.0 if name == "log1p" else 0.0)] if name.startswith("log") else x


def units_off(name, value, *args):
    """How far a result is from the true value, in units of its last place."""
    with mpmath.workprec(200):
        true = TRUE[name](*map(mpmath.mpf, args))
        nearest = float(true)
        if math.isinf(value) and math.isinf(nearest):
            return 0.0
        return float(abs(true - mpmath.mpf(value)) / mpmath.mpf(math.ulp(nearest)))


@pytest.mark.parametrize("name", UNARY)
def test_is_within_a_unit_of_the_true_value(name):
    x = arguments(name, FEW)
    off = [
        units_off(name, value, each)
        for each, value in zip(x.tolist(), found(name, x).tolist(), strict=True)
    ]

    assert max(off) < 1.0, (x[int(np.argmax(off))], max(off))


def bases_and_exponents(count):
    rng = np.random.default_rng(8)
    half = count // 2
    base = np.concatenate([np.exp(rng.uniform(-700, 700, half)), rng.uniform(0.3, 3.0, half)])
    size = 744.0 / np.maximum(np.abs(np.log(base)), 1e-3)
    exponent = size * rng.uniform(-1.0, 0.95, 2 * half)
    whole = rng.random(2 * half) < 0.2
    return base, np.where(whole, np.round(exponent), exponent)


def test_a_power_is_within_a_unit_of_the_true_value():
    base, exponent = bases_and_exponents(FEW)
    values = found("fpow", base, exponent)
    rows = zip(values.tolist(), base.tolist(), exponent.tolist(), strict=True)
    off = [units_off("fpow", *row) for row in rows]

    assert max(off) < 1.0


def test_powers_of_negative_bases_have_the_sign_of_pythons():
    base, exponent = bases_and_exponents(FEW)
    exponent = np.round(exponent)

    odd = np.abs(exponent) % 2.0 == 1.0
    np.testing.assert_array_equal(
        found("fpow", -base, exponent),
        np.where(odd, -1.0, 1.0) * found("fpow", base, exponent),
    )


def is_special(value):
    return math.isnan(value) or math.isinf(value) or value == 0.0


def as_text(values):
    return [repr(value) if is_special(value) else "a number" for value in values]


@pytest.mark.parametrize("name", UNARY)
def test_special_results_are_those_of_the_meaning(name):
    with np.errstate(all="ignore"):
        x = np.concatenate([EDGES, *(np.nextafter(EDGES, to) for to in (-math.inf, math.inf))])
    if name in {"sin", "cos"}:
        x = x[list(map(cpu.is_reduced, x))]

    expected = map(OPS[name].meaning, x.tolist())

    assert as_text(found(name, x).tolist()) == as_text(expected)


def test_special_powers_are_those_of_the_meaning():
    base, exponent = (np.ravel(each) for each in np.meshgrid(EDGES, EDGES))

    expected = map(OPS["fpow"].meaning, base.tolist(), exponent.tolist())

    assert as_text(found("fpow", base, exponent).tolist()) == as_text(expected)


@pytest.mark.parametrize("name", UNARY)
def test_is_within_the_tables_bound_of_extended_precision(name):
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("long double is no wider than float64 here")
    x = arguments(name, MANY)
    with np.errstate(all="ignore"):
        true = getattr(np, name)(x.astype(np.longdouble))
        nearest = true.astype(np.float64)
        off = np.abs(found(name, x) - true) / np.spacing(np.abs(nearest))
    off = off[np.isfinite(nearest)]

    assert float(off.max()) < 1.01  # long doubles are off by up to 0.001 themselves
