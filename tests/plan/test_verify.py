"""A stage that breaks an invariant is refused, with the invariant's name."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from batchprep.plan.finish import specialise, substitute
from batchprep.plan.node import FALSE, TRUE, Node, const, intern
from batchprep.plan.stage import Deviation, Stage
from batchprep.plan.verify import BrokenStageError, verify
from tests.plan.schemas import stage_of


@pytest.fixture
def stage() -> Stage:
    return stage_of(lambda r: r["n"] + 1 if r["n"] is not None else None, n="none int float")


def _fixed_int(node: Node) -> Node | None:
    return const(3) if node.op == "buffer" and node.dtype == "i" else None


def test_a_good_stage_passes_and_every_pass_keeps_it_good(stage: Stage) -> None:
    assert verify(stage) is stage
    verify(specialise(stage, frozenset({"n"})))
    verify(substitute(stage, _fixed_int))


@pytest.mark.parametrize(
    ("broken", "invariant"),
    [
        (lambda s: {"outputs": (*s.outputs, s.outputs[0])}, "distinct"),
        (lambda s: {"outputs": (*s.outputs, const(1))}, "not constants"),
        (lambda s: {"outputs": s.outputs[1:]}, "names the outputs|leaves"),
        (lambda s: {"inputs": s.inputs[1:]}, "inputs are the leaves"),
        (lambda s: {"deviations": (Deviation(FALSE, "", None, ()),)}, "can hold"),
        (lambda s: {"deviations": (Deviation(const(1), "", None, ()),)}, "is a bool"),
    ],
)
def test_a_broken_invariant_is_named(stage: Stage, broken: Any, invariant: str) -> None:
    with pytest.raises(BrokenStageError, match=invariant):
        verify(dataclasses.replace(stage, **broken(stage)))


@pytest.mark.parametrize(
    "node",
    [
        intern("iadd", (const(1), const(1.0)), None, "i"),
        intern("iadd", (const(1), const(2)), None, "f"),
        intern("select", (TRUE, const(1), const(1.0)), None, "f"),
        intern("has_kind", (const(1),), "int", "b"),
    ],
)
def test_a_node_of_wrong_dtypes_is_refused(stage: Stage, node: Node) -> None:
    with pytest.raises(BrokenStageError):
        verify(dataclasses.replace(stage, outputs=(*stage.outputs, node)))
