"""The compiled loop: vectorised, shared between equal structures, compiled once."""

import re
import threading

import numpy as np
import pytest

from batchprep.backends import get_backend
from batchprep.backends.numba import bitmaps, compiler
from batchprep.backends.numba.render import PRELUDE
from batchprep.batch import null_codes
from batchprep.plan.node import const, kind_const
from tests.ops.stages import apply, column, layout_of, run, run_kernel, stage_of

PRICE, VOLUME = column("price", "f"), column("volume", "i")


@pytest.fixture(autouse=True)
def fresh_caches(tmp_path, monkeypatch):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler, "_kernels", {})


@pytest.fixture
def compiles(monkeypatch):
    """Sources of the stages' loops that were compiled, not found."""
    sources = []
    original = compiler._compile

    def spy(source, arguments, key):
        if source not in (PRELUDE + bitmaps.PACK, PRELUDE + bitmaps.UNPACK):
            sources.append(source)
        return original(source, arguments, key)

    monkeypatch.setattr(compiler, "_compile", spy)
    return sources


def root_value(threshold):
    value = apply("fmul", PRICE, apply("i2f", VOLUME))
    large = apply("fgt", value, const(threshold))
    kind = apply("select", large, kind_const("float"), kind_const("none"))
    return stage_of([apply("sqrt", value), kind], [apply("flt", value, const(0.0))])


def inputs(rows=100):
    rng = np.random.default_rng(5)
    return {PRICE: rng.uniform(-1.0, 1000.0, rows), VOLUME: rng.integers(0, 200, rows)}


def compile_stage(stage):
    return get_backend("numba").compile(stage, layout_of(inputs()), "exact")


def test_the_loop_of_the_article_is_vectorised():
    (function,) = compile_stage(root_value(50_000.0)).functions
    (ir,) = function.inspect_llvm().values()
    lanes = [int(width) for width in re.findall(r"<(\d+) x double>", ir)]

    assert lanes
    assert max(lanes) >= 4
    assert "llvm.sqrt.v" in ir


def test_another_constant_is_the_same_kernel(compiles):
    first = compile_stage(root_value(50_000.0))
    second = compile_stage(root_value(123.25))

    assert len(compiles) == 1
    assert first.functions == second.functions
    for threshold in (50_000.0, 123.25):
        stage = root_value(threshold)
        _, kinds, _ = run("numba", stage, inputs(), 100)
        assert (kinds == run("python", stage, inputs(), 100)[1]).all()


def test_zero_is_structure(compiles):
    compile_stage(root_value(0.0))
    compile_stage(root_value(1.0))

    assert len(compiles) == 2
    assert "> 0.0)" in compiles[0]


def test_minus_zero_is_not_zero():
    stage = stage_of([apply("fadd", PRICE, const(-0.0))])
    result, _ = run("numba", stage, {PRICE: np.array([-0.0])}, 1)

    assert np.signbit(result[0])


def test_another_array_dtype_is_another_kernel(compiles):
    stage = root_value(50_000.0)
    for width in (np.int64, np.int32):
        run("numba", stage, inputs() | {VOLUME: inputs()[VOLUME].astype(width)}, 100)

    assert len(compiles) == 2


def test_a_second_process_takes_the_code_from_disk(monkeypatch):
    first = compile_stage(root_value(50_000.0))
    assert [sum(f.stats.cache_misses.values()) for f in first.functions] == [1]

    monkeypatch.setattr(compiler, "_kernels", {})
    again = compile_stage(root_value(1.0))

    assert [sum(f.stats.cache_hits.values()) for f in again.functions] == [1]
    assert [sum(f.stats.cache_misses.values()) for f in again.functions] == [0]
    stage = root_value(1.0)
    results = run_kernel(again, stage, inputs(), 100)
    for result, wanted in zip(results, run("python", stage, inputs(), 100), strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_threads_that_want_the_same_kernel_compile_it_once(compiles):
    kernels = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        kernels.append(compile_stage(root_value(50_000.0)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(compiles) == 1
    assert len({kernel.functions for kernel in kernels}) == 1


def test_a_failed_compile_is_tried_again(monkeypatch):
    def fail(*_):
        raise RuntimeError("no compiler")

    with monkeypatch.context() as patch:
        patch.setattr(compiler, "_compile", fail)
        with pytest.raises(RuntimeError, match="no compiler"):
            compile_stage(root_value(50_000.0))

    assert compile_stage(root_value(50_000.0)).functions


def test_a_kernel_is_shared_by_threads():
    stage = root_value(50_000.0)
    kernel = compile_stage(stage)
    expected = run("python", stage, inputs(3000), 3000)
    wrong = []

    def work():
        for _ in range(20):
            results = run_kernel(kernel, stage, inputs(3000), 3000)
            if not all(map(np.array_equal, results, expected, [True] * 3)):
                wrong.append(results)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong


def test_a_product_that_wraps_to_zero_does_not_divide_by_it():
    # numba's own products are "never overflowing" to LLVM: x * x == 0 was taken for x == 0.
    x = column("x", "i")
    square = apply("imul", x, x)
    stage = stage_of([apply("igcd", apply("imod", square, square), square)])
    inputs = {x: np.array([0, 1, 2**32, -(2**63), 3_037_000_500, -7] * 11)}

    (expected, *_), (found, *_) = (run(name, stage, inputs, 66) for name in ("python", "numba"))

    assert found.tolist() == expected.tolist()


def test_checks_of_overflow_survive_beside_the_sum_that_they_check():
    x, y = column("x", "i"), column("y", "i")
    sums = [apply(f"i{name}", x, y) for name in ("add", "sub", "mul")]
    checks = [apply(f"i{name}_overflows", x, y) for name in ("add", "sub", "mul")]
    signs = [apply("ilt", total, const(0)) for total in sums]
    stage = stage_of([*sums, *checks, *signs])
    edges = np.array([0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**32])
    inputs = {x: np.repeat(edges, 8), y: np.tile(edges, 8)}

    found_arrays, expected_arrays = (run(name, stage, inputs, 64) for name in ("numba", "python"))
    for found, expected in zip(found_arrays, expected_arrays, strict=True):
        assert found.tolist() == expected.tolist()


def test_a_loop_over_whole_columns_reads_and_writes_them_where_they_lie():
    stage, columns, rows = root_value(50_000.0), inputs(3_000), slice(1_000, 2_000)
    value, code = stage.outputs
    outputs = {value: np.full(3_000, 77.0)}
    fresh, marks = {code: np.empty(1_000, np.int8)}, np.empty(1_000, np.uint8)
    kernel = compile_stage(stage)
    (step,) = kernel._steps
    handed, function = [], step.function
    step.function = lambda *arguments: (handed.extend(arguments), function(*arguments))

    kernel.over(columns, outputs)(1_000, 2_000, fresh, marks)

    arrays = [*columns.values(), *outputs.values(), *fresh.values(), marks]
    addresses = {array.ctypes.data for array in handed if isinstance(array, np.ndarray)}
    assert addresses == {array.ctypes.data for array in arrays}
    expected, codes, deviation = run("python", stage, inputs(3_000), 3_000)
    np.testing.assert_array_equal(outputs[value][rows], expected[rows])
    np.testing.assert_array_equal(fresh[code], codes[rows])
    np.testing.assert_array_equal(marks, deviation[rows])
    assert set(outputs[value][:1_000]) == set(outputs[value][2_000:]) == {77.0}


def test_a_loop_that_cannot_deviate_has_no_array_for_it():
    (step,) = compile_stage(stage_of([apply("fadd", PRICE, PRICE)]))._steps

    assert not step.loop.marks
    assert step.loop.source.startswith(PRELUDE + "def kernel(n, s, a0, o0):")


def test_a_leaf_that_is_a_result_is_copied():
    stage = stage_of([PRICE, apply("fneg", PRICE)])
    outputs = {node: np.zeros(100) for node in stage.outputs}

    compile_stage(stage).over(inputs(), outputs)(0, 100, {}, np.empty(100, np.uint8))

    np.testing.assert_array_equal(outputs[PRICE], inputs()[PRICE])


def test_a_stage_of_several_steps_runs_on_chunks_that_are_cut():
    rounded = apply("fround_digits", PRICE, VOLUME)
    kernel = compile_stage(stage_of([apply("fadd", rounded, PRICE)]))

    assert kernel.over(inputs(), {}) is None


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 4_096, 4_099])
def test_codes_are_packed_and_unpacked_as_numpy_does(rows):
    codes = np.random.default_rng(rows).choice(np.array([1, 4, 0, 9], np.int8), rows)
    kernel = compile_stage(root_value(1.0))
    bits = np.full((rows + 7) // 8, 0xAA, np.uint8)

    kernel.pack(codes, 4, bits)

    np.testing.assert_array_equal(bits, np.packbits(codes == 4, bitorder="little"))
    unpacked = bitmaps.Bitmaps(packs=False, unpacks=True)
    for offset in (0, 3):
        lazy = null_codes.NullCodes(bits, offset, max(rows - offset, 0), "float")
        for start in (0, 8, 5):
            expected = lazy[start : len(lazy)]
            found = unpacked.unpack(lazy, start, len(lazy)) if start <= len(lazy) else expected
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == np.int8


def test_bits_and_codes_are_done_in_vectors():
    loops = bitmaps.Bitmaps(packs=True, unpacks=True)

    for loop in (loops._pack, loops._unpack):
        (ir,) = loop.inspect_llvm().values()
        assert max(int(lanes) for lanes in re.findall(r"<(\d+) x i64>", ir)) >= 2
