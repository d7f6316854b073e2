"""Accuracy on a million values: what the table states is what is measured."""

import numpy as np
import pytest

from batchprep.backends import get_backend
from batchprep.backends.numba.spelling import is_host
from batchprep.ops import OPS, Gap
from batchprep.ops.mathematics import MATHEMATICS
from tests.ops.rows import random_floats, ulps_apart
from tests.ops.stages import apply, column, layout_of, run_kernel, stage_of

ROWS = 1_000_000
FUNCTIONS = [op.name for op in (*MATHEMATICS, OPS["fpow"], OPS["ffloordiv"], OPS["fmod"])]


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(2024)
    return [random_floats(ROWS, rng) for _ in range(2)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_differs_from_the_meaning_by_at_most_what_the_table_states(name, columns):
    op = OPS[name]
    args = columns[: len(op.params)]
    expected = np.fromiter(map(op.meaning, *(a.tolist() for a in args)), np.float64, ROWS)

    inputs = {column(f"x{place}", "f"): array for place, array in enumerate(args)}
    node = apply(name, *inputs)
    stage = stage_of([node])
    for backend, cell, absent in (
        ("numpy", "numpy", isinstance(op.array, Gap)),
        ("numba", "numba fast" if op.fast else "numba", is_host("fast")(node)),
    ):
        if absent:
            continue
        kernel = get_backend(backend).compile(stage, layout_of(inputs), "fast")
        result, _ = run_kernel(kernel, stage, inputs, ROWS)
        assert ulps_apart(result, expected) <= op.ulp.get(cell, 0), cell
