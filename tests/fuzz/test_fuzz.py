"""Random row functions equal the row loop: value, type, NaN, zero sign, order, exception."""

from __future__ import annotations

import pytest

from tests.conftest import BACKENDS
from tests.fuzz.campaign import run_shard, subject_on
from tests.fuzz.check import Difference, check, pasteable
from tests.fuzz.examples import EXAMPLES
from tests.fuzz.summary import PROPERTY

# 2,000 functions on python and numpy, 250 more on numpy and numba: numpy runs first there,
# so that a fault of the front end shrinks in seconds, without a compile for each attempt.
CORE = [
    *((("python", "numpy"), number, 50) for number in range(40)),
    *((("numpy", "numba"), number, 10) for number in range(40, 65)),
]
# 412 functions of lists, loops, exceptions and dates.
NESTED = [
    *(((BACKENDS[number % 2],), number, 25) for number in range(200, 216)),  # python, then numpy
    *((("numpy", "numba"), number, 4) for number in range(216, 219)),
]


@pytest.mark.parametrize(
    ("backends", "number", "functions"),
    [pytest.param(*shard, id=f"{shard[0][-1]}-{shard[1]}") for shard in CORE],
)
def test_random_functions_equal_the_loop(record_property, backends, number, functions):
    counts = run_shard(backends, number, functions)

    record_property(PROPERTY, {"grammar": "core", "counts": counts, "of": len(CORE)})


@pytest.mark.parametrize(
    ("backends", "number", "functions"),
    [pytest.param(*shard, id=f"{shard[0][-1]}-{shard[1]}") for shard in NESTED],
)
def test_random_nested_functions_equal_the_loop(record_property, backends, number, functions):
    counts = run_shard(backends, number, functions, "nested")

    record_property(PROPERTY, {"grammar": "nested", "counts": counts, "of": len(NESTED)})


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_was_wrong_once_equals_the_loop(name, backend):
    try:
        check(EXAMPLES[name], subject_on(backend))
    except Difference as found:
        pytest.fail(pasteable(found), pytrace=False)
