"""Random graphs give the same bits on every backend."""

import numpy as np
import pytest

from batchprep.backends import get_backend
from batchprep.backends.numba.kernel import NumbaKernel
from batchprep.backends.numba.spelling import is_host
from batchprep.plan.segments import cut
from tests.backends.graphs import random_inputs, random_stage
from tests.ops.rows import same
from tests.ops.stages import layout_of, run, run_kernel

ROWS = 700


def assert_equal(results, expected, stage):
    for node, result, wanted in zip((*stage.outputs, "deviation"), results, expected, strict=True):
        differ = np.flatnonzero(~same(result, wanted))
        assert not len(differ), (node, result[differ[:3]], wanted[differ[:3]])


@pytest.mark.parametrize("seed", range(60))
def test_numpy_agrees_with_the_meanings(seed):
    stage = random_stage(seed, size=40)
    inputs = random_inputs(stage, ROWS, seed)

    expected = run("python", stage, inputs, ROWS)

    assert_equal(run("numpy", stage, inputs, ROWS), expected, stage)


@pytest.mark.parametrize("seed", range(12))
def test_numba_agrees_with_the_meanings(seed):
    stage = random_stage(seed, size=60)
    inputs = random_inputs(stage, ROWS, seed)

    expected = run("python", stage, inputs, ROWS)

    assert_equal(run("numba", stage, inputs, ROWS), expected, stage)


@pytest.mark.parametrize("seed", range(100, 104))
def test_a_stage_cut_into_small_kernels_gives_the_same(seed):
    stage = random_stage(seed, size=40)
    inputs = random_inputs(stage, ROWS, seed)
    segments = cut(stage, is_host("exact"), largest=12)
    kernel = NumbaKernel(stage, segments, layout_of(inputs), "exact")

    results = run_kernel(kernel, stage, inputs, ROWS)

    assert len(segments) > 2
    assert_equal(results, run("python", stage, inputs, ROWS), stage)


@pytest.mark.parametrize("rows", [0, 1, 8191, 8192, 8193, 20_000])
def test_chunks_of_every_length_are_filled(rows, backend):
    stage = random_stage(7, size=10, allowed=("fadd", "iadd", "flt", "select", "fround_digits"))
    inputs = random_inputs(stage, rows, 7)

    assert_equal(run(backend, stage, inputs, rows), run("python", stage, inputs, rows), stage)


@pytest.mark.parametrize("width", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"])
def test_ints_of_every_width_are_int64_inside(width, backend):
    stage = random_stage(11, size=20, allowed=("iadd", "imul", "isub", "ilt", "ifloordiv", "i2f"))
    wide = random_inputs(stage, ROWS, 11)
    wide |= {node: wide[node] & 0x7F for node in stage.inputs if node.dtype == "i"}
    narrow = wide | {n: wide[n].astype(width) for n in stage.inputs if n.dtype == "i"}

    results = run(backend, stage, narrow, ROWS)

    assert_equal(results, run("python", stage, wide, ROWS), stage)


def test_float32_is_float64_inside(backend):
    stage = random_stage(12, size=20, allowed=("fadd", "fmul", "fdiv", "flt", "sqrt"))
    narrow = random_inputs(stage, ROWS, 12)
    floats = [node for node in stage.inputs if node.dtype == "f"]
    with np.errstate(all="ignore"):
        narrow |= {node: narrow[node].astype(np.float32) for node in floats}
        wide = narrow | {node: narrow[node].astype(np.float64) for node in floats}

    assert_equal(run(backend, stage, narrow, ROWS), run("python", stage, wide, ROWS), stage)


def test_strided_and_read_only_inputs_are_taken(backend):
    stage = random_stage(13, size=20, allowed=("fadd", "iadd", "fmul", "flt"))
    inputs = random_inputs(stage, 2 * ROWS, 13)
    strided = {n: a[::2] if np.ndim(a) and n in stage.inputs else a for n, a in inputs.items()}
    kernel = get_backend(backend).compile(stage, layout_of(strided), "exact")
    expected = run("python", stage, strided, ROWS)

    assert_equal(run_kernel(kernel, stage, strided, ROWS), expected, stage)
    frozen = {n: a.copy() if np.ndim(a) else a for n, a in strided.items()}
    for array in frozen.values():
        if np.ndim(array):
            array.flags.writeable = False
    assert_equal(run_kernel(kernel, stage, frozen, ROWS), expected, stage)
