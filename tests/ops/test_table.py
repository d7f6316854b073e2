"""The op table: every cell spelled or explained, and every spelling equal to the meaning."""

import math

import numpy as np
import pytest
from numba.core import config

from batchprep.backends.kernel import NUMPY_DTYPE
from batchprep.backends.numba.spelling import is_host
from batchprep.backends.numpy.render import is_by_meaning
from batchprep.ops import OPS, Gap
from tests.ops.rows import edge_rows, random_rows, same
from tests.ops.stages import apply, column, run, stage_of

PYTHON_TYPE = {"b": bool, "i": int, "f": float}
CELLS = [(op.name, cell) for op in OPS.values() for cell in ("scalar", "array", "c")]


def variants(op):
    """Parameter dtypes of the op: one row each for a choice between any two of a dtype."""
    return [op.params.replace("?", dtype) for dtype in "bifs"] if "?" in op.params else [op.params]


def is_equal(left, right):
    if isinstance(right, float) and math.isnan(right):
        return isinstance(left, float) and math.isnan(left)
    return type(left) is type(right) and repr(left) == repr(right)


@pytest.mark.parametrize("name", OPS)
def test_cases_are_what_the_meaning_gives(name):
    op = OPS[name]

    assert len(op.cases) >= 2 or op.name == "inot"
    for args, result in op.cases:
        assert is_equal(op.meaning(*args), result), args


@pytest.mark.parametrize(("name", "cell"), CELLS)
def test_every_cell_is_spelled_or_explained(name, cell):
    text = getattr(OPS[name], cell)

    if isinstance(text, Gap):
        assert text.reason
        assert (cell, text.word) != ("scalar", "notimpl")
    else:
        places = range(len(OPS[name].params))
        assert all(f"{{{place}}}" in text for place in places)


@pytest.mark.parametrize("name", OPS)
def test_meaning_is_total_and_of_one_type(name):
    op = OPS[name]
    for params in variants(op):
        result = params[-1] if op.result == "?" else op.result
        rows = [array.tolist() for array in edge_rows(params)]
        values = [op.meaning(*args) for args in zip(*rows, strict=True)]

        assert {type(value) for value in values} == {PYTHON_TYPE.get(result, int)}
        np.array(values, NUMPY_DTYPE[result])  # fits


@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
@pytest.mark.parametrize("params", sorted({v for op in OPS.values() for v in variants(op)}))
def test_spellings_give_the_meanings_bits(params, backend):
    rng = np.random.default_rng(20)
    edges = edge_rows(params)
    columns = [
        np.concatenate((edge, random_rows(dtype, 5000, rng).astype(edge.dtype)))
        for edge, dtype in zip(edges, params, strict=True)
    ]
    nodes = [column(f"{place}{dtype}", dtype) for place, dtype in enumerate(params)]
    names = [op.name for op in OPS.values() if params in variants(op)]
    stage = stage_of([apply(name, *nodes) for name in names])
    results = run(backend, stage, dict(zip(nodes, columns, strict=True)), len(columns[0]))

    lists = [c.tolist() for c in columns]
    for name, result in zip(names, results[:-1], strict=True):
        expected = np.array(list(map(OPS[name].meaning, *lists)), result.dtype)
        differ = np.flatnonzero(~same(result, expected))
        examples = [
            ([values[row] for values in lists], result[row], expected[row]) for row in differ[:3]
        ]
        assert not len(differ), (name, len(differ), examples)


def test_ops_that_are_inexact_take_another_way_in_exact_mode():
    nodes = [apply("log", column("x", "f")), apply("gamma", column("x", "f"))]

    assert [is_host("exact")(node) for node in nodes] == [False, True]
    assert [is_host("fast")(node) for node in nodes] == [False, False]
    assert [is_by_meaning(OPS[node.op], "exact") for node in nodes] == [True, True]
    assert [is_by_meaning(OPS[node.op], "fast") for node in nodes] == [False, True]


def test_with_intels_vector_library_its_functions_are_host_ops(monkeypatch):
    monkeypatch.setattr(config, "USING_SVML", True)
    nodes = [apply(name, column("x", "f")) for name in ("log", "sqrt", "fabs")]

    assert [is_host("exact")(node) for node in nodes] == [True, False, False]
