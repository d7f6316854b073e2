"""A few random functions: what `python -m tests.mutants` runs first, in seconds."""

from __future__ import annotations

import pytest

from tests.fuzz.campaign import Shard, subject_on
from tests.fuzz.check import check
from tests.fuzz.examples import EXAMPLES

FAST = [(("numpy",), number, 20) for number in range(100, 110)]
FAST += [(("numba",), number, 3) for number in range(110, 114)]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_was_wrong_once_equals_the_loop(name, backend):
    check(EXAMPLES[name], subject_on(backend))


@pytest.mark.parametrize(
    ("backends", "number", "functions"), [pytest.param(*f, id=f"{f[0][0]}-{f[1]}") for f in FAST]
)
def test_a_few_random_functions_equal_the_loop(backends, number, functions):
    Shard(backends, shrinking=False).run(number, functions)
