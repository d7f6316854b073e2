"""Library functions that a loop computes itself in exact mode: CPython's bits, in vectors."""

import math
import re

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.backends import get_backend
from batchprep.backends.numba import replicas
from tests.ops.stages import apply, column, run, stage_of

X = column("x", "f")
STAGE = stage_of([apply("log1p", X)])


@pytest.fixture(autouse=True)
def asked_afresh(monkeypatch):
    monkeypatch.setattr(replicas, "_found", {})


@pytest.fixture
def is_replica():
    if "log1p" not in replicas.replicas_of({"log1p"}):
        pytest.skip("another C library computes log1p another way")


def compiled(stage):
    return get_backend("numba").compile(stage, {X: np.dtype(float)}, "exact")


def steps():
    """Both sides of where the function changes its method, and values around powers of two."""
    places = np.array(
        [0.41422, -0.2929, 2.0**-29, 2.0**-54, 2.0**53, -1.0, 2**0.5 - 1, 0.5**0.5 - 1]
    )
    near = places[:, None] * (1.0 + np.arange(-300, 301) * 2.0**-50)
    powers = 2.0 ** np.arange(-1, 200)[:, None] * (1.0 + np.arange(-40, 41) * 2.0**-52) - 1.0
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.7976931348623157e308]
    return np.concatenate([near.ravel(), -near.ravel(), powers.ravel(), special])


def test_every_bit_is_that_of_math_log1p(is_replica):
    draw = np.random.default_rng(11)
    bits = draw.integers(-(2**63), 2**63 - 1, 100_000).view(np.float64)
    x = np.concatenate(
        [steps(), bits, draw.uniform(-1.0, 3.0, 300_000), draw.lognormal(8.0, 4.0, 200_000)]
    )

    found, expected = (run(name, STAGE, {X: x}, len(x))[0] for name in ("numba", "python"))

    is_nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), is_nan)
    np.testing.assert_array_equal(found[~is_nan].view(np.int64), expected[~is_nan].view(np.int64))


def test_a_row_function_gives_what_python_gives():
    x = np.random.default_rng(12).lognormal(3.0, 4.0, 20_000)

    found = bp.vectorize(lambda r: math.log1p(r["x"]), backend="numba")(pa.table({"x": x}))

    assert found.to_pylist() == list(map(math.log1p, x.tolist()))
    with pytest.raises(ValueError, match="math domain error"):
        bp.vectorize(lambda r: math.log1p(r["x"]), backend="numba")(pa.table({"x": [1.0, -1.0]}))


def test_the_loop_vectorises(is_replica):
    kernel = compiled(STAGE)
    (ir,) = kernel.functions[0].inspect_llvm().values()

    assert "log1p_replica" in kernel.sources[0]
    assert max(int(lanes) for lanes in re.findall(r"@llvm\.fma\.v(\d+)f64", ir)) >= 2
    assert "call double @log1p(" not in ir


def test_one_value_in_a_few_thousand_that_differs_is_found(is_replica, monkeypatch):
    wrong = "(k.log1p_replica({0}) if {0} > -0.9996 else k.log1p_replica({0} * 1.0000000000000002))"
    monkeypatch.setattr(replicas, "_found", {})
    monkeypatch.setattr(replicas, "_REPLICAS", {"log1p": wrong})

    assert replicas.replicas_of({"log1p"}) == {}
    assert "k.log1p_f64(x0)" in compiled(STAGE).sources[0]


@pytest.mark.parametrize(
    "unlike",
    [("sys.platform", "darwin"), ("os.confstr", lambda _: "musl 1.2"), ("os.confstr", None)],
)
def test_an_unknown_library_is_called(unlike, monkeypatch):
    name, value = unlike
    monkeypatch.setattr(f"batchprep.backends.numba.replicas.{name}", value or _refuse)

    assert replicas.replicas_of({"log1p"}) == {}


def _refuse(_):
    raise ValueError("no such name")


def test_other_ops_are_not_asked_about(monkeypatch):
    monkeypatch.setattr(replicas, "_is_known_library", lambda: pytest.fail("asked"))

    assert replicas.replicas_of({"log", "fadd"}) == {}
