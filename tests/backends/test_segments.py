"""Stages are cut around host ops and by size, and nothing is computed twice or too late."""

import pytest

from batchprep.plan.node import TRUE, const
from batchprep.plan.segments import LEAVES, cut
from tests.backends.graphs import random_stage
from tests.ops.stages import apply, column, stage_of

X, N = column("x", "f"), column("n", "i")


def is_round(node):
    return node.op == "fround_digits"


def never_host(node):
    del node
    return False


def test_a_stage_without_host_ops_is_one_kernel():
    total = apply("fadd", X, const(1.0))
    (segment,) = cut(stage_of([total], [apply("flt", total, X)]), never_host)

    assert not segment.host
    assert segment.reads == (X,)
    assert segment.writes == (total,)
    assert [byte for byte, _ in segment.guards] == [1]


def test_a_host_op_lies_between_two_kernels():
    before = apply("fmul", X, X)
    rounded = apply("fround_digits", before, N)
    after = apply("fadd", rounded, X)
    first, host, last = cut(stage_of([after]), is_round)

    assert (first.host, host.host, last.host) == (False, True, False)
    assert (first.writes, host.reads, host.writes) == ((before,), (before, N), (rounded,))
    assert (last.reads, last.writes) == ((rounded, X), (after,))


def test_what_does_not_need_a_host_op_is_computed_in_the_first_kernel():
    rounded = apply("fround_digits", X, N)
    guard = apply("flt", X, const(0.0))
    stage = stage_of([apply("fadd", rounded, apply("fabs", X))], [guard])
    first, *_ = cut(stage, is_round)

    assert first.guards == ((1, guard),)
    assert apply("fabs", X) in first.writes


@pytest.mark.parametrize("guard", [TRUE, column("flag", "b")])
def test_a_leaf_is_copied_and_guards_without_a_kernel(guard):
    (segment,) = cut(stage_of([X], [guard]), never_host)

    assert segment.nodes == ()
    assert segment.writes == (X,)
    assert segment.guards == ((1, guard),)


def test_a_stage_of_nothing_has_no_segments():
    assert cut(stage_of([]), never_host) == ()


@pytest.mark.parametrize("largest", [1, 7, 400])
@pytest.mark.parametrize("seed", range(5))
def test_every_array_is_written_before_it_is_read_and_nodes_are_computed_once(seed, largest):
    stage = random_stage(seed, size=50)
    written = set(stage.inputs)
    computed = []
    for segment in cut(stage, is_round, largest=largest):
        assert segment.host or len(segment.nodes) <= largest
        assert all(is_round(node) == segment.host for node in segment.nodes)
        outside = [arg for node in segment.nodes for arg in node.args if arg.op not in LEAVES]
        assert set(outside) <= {*segment.reads, *segment.nodes}
        assert {node for node in segment.reads if node.op != "const"} <= written
        written.update(segment.writes)
        computed += segment.nodes

    assert len(computed) == len(set(computed))
    assert {node for node in stage.outputs if node.op != "ref"} <= written


def test_each_guard_is_written_by_one_segment():
    stage = random_stage(3, size=50)
    segments = cut(stage, is_round, largest=5)
    held = sorted(byte for segment in segments for byte, _ in segment.guards)

    assert held == list(range(1, len(stage.deviations) + 1))
