"""Hand-written kernels: twins in two languages, and bounds that the op table computes."""

import inspect
import re
from pathlib import Path

import pytest

import batchprep.kernels
from batchprep.dtypes import INT64_MAX, INT64_MIN
from batchprep.kernels import cpu
from batchprep.ops import OPS, Gap
from batchprep.ops.integers import MAY_OVERFLOW, power_bounds

FOLDER = Path(batchprep.kernels.__file__).parent
TOPICS = ("calendar", "floats", "integers", "tables")


def cuda_names(topic):
    text = (FOLDER / "cuda" / f"{topic}.cuh").read_text()
    return set(re.findall(r"^BP_INLINE \w+ bp_(\w+)\(", text, re.MULTILINE))


def cpu_names(topic):
    return {n for n in cpu.__all__ if inspect.getmodule(getattr(cpu, n)).__name__.endswith(topic)}


@pytest.mark.parametrize("topic", TOPICS)
def test_every_cpu_kernel_has_a_twin_of_its_name(topic):
    assert cpu_names(topic)
    assert cpu_names(topic) <= cuda_names(topic)


@pytest.mark.parametrize("op", OPS.values(), ids=OPS)
def test_a_spelling_names_only_kernels_that_exist(op):
    cuda = set.union(*map(cuda_names, TOPICS))

    texts = [text for text in (op.scalar, op.fast) if isinstance(text, str)]
    assert set(re.findall(r"\bk\.(\w+)", " ".join(texts))) <= set(cpu.__all__)
    assert set(re.findall(r"\bbp_(\w+)", "" if isinstance(op.c, Gap) else op.c)) <= cuda


@pytest.mark.parametrize("exponent", range(64))
def test_power_bounds_are_the_outermost_bases_that_fit(exponent):
    lowest, highest = (bounds[exponent] for bounds in power_bounds())

    def fits(base):
        return INT64_MIN <= base**exponent <= INT64_MAX

    assert fits(lowest)
    assert fits(highest)
    assert lowest == INT64_MIN or not fits(lowest - 1)
    assert highest == INT64_MAX or not fits(highest + 1)


def test_the_cuda_bound_of_products_is_that_of_the_op_table():
    text = (FOLDER / "cuda" / "integers.cuh").read_text()

    assert f"{MAY_OVERFLOW:.1f}" in text


@pytest.mark.parametrize("distance", [0, 1, 100, 2048, 4096])
def test_a_product_past_int64_is_never_missed(distance):
    overflows = OPS["imul_overflows"].meaning
    for factor in (2, 3, 7, 3037000500, 2**31 + 1, 2**53 + 1, 2**62 + 1):
        other = (2**63 + distance) // factor + 1
        assert overflows(factor, other)
        assert overflows(-factor, other)


def test_no_int_op_is_spelled_with_signed_arithmetic():
    # numba marks it "never overflows", and LLVM then removes checks: see kernels/cpu/integers.py.
    texts = [op.scalar for op in OPS.values() if op.result == "i" and isinstance(op.scalar, str)]

    assert not [text for text in texts if re.search(r"\} [-+*] \{|\(-\{|\babs\(", text)]
