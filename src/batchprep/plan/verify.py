"""What holds of every stage, checked after each pass in the tests and before a kernel is made."""

from __future__ import annotations

from batchprep.dtypes import KIND_CODE
from batchprep.ops import OPS
from batchprep.plan.finish import INPUT_OPS, TABLE_OPS, output_nodes
from batchprep.plan.node import FALSE, Node, in_order
from batchprep.plan.stage import Output, Stage

_LEAF_DTYPES = {"kind": "k", "ref": "r", "object": "o", "regular": "b"}


class BrokenStageError(AssertionError):
    """A pass of ours left a stage that breaks an invariant: a bug, never the user's fault."""


def verify(stage: Stage) -> Stage:
    """The stage itself, or BrokenStageError with the first broken invariant."""
    roots = [*stage.outputs, *(deviation.guard for deviation in stage.deviations)]
    nodes = in_order(roots)
    for node in nodes:
        _verify_node(node)
    _require(len(set(stage.outputs)) == len(stage.outputs), "outputs are distinct")
    _require(all(n.op != "const" for n in stage.outputs), "outputs are not constants")
    for deviation in stage.deviations:
        _require(deviation.guard.dtype == "b", "a deviation's guard is a bool")
        _require(deviation.guard is not FALSE, "a deviation can hold")
    _require(set(stage.inputs) == {n for n in nodes if n.op in INPUT_OPS}, "inputs are the leaves")
    _require(set(stage.tables) == {n for n in nodes if n.op in TABLE_OPS}, "tables are listed")
    named = {n for n in output_nodes(stage.template) if n.op != "const"}
    _require(named == {*stage.outputs, *stage.texts}, "the template names the outputs")
    _verify_output(stage.template)
    return stage


def _verify_node(node: Node) -> None:
    for arg in node.args:
        _require(arg.id < node.id or arg.op == node.op == "const", f"{node!r} comes after {arg!r}")
    if node.op in _LEAF_DTYPES:
        _require(node.dtype == _LEAF_DTYPES[node.op] and not node.args, f"{node!r} is a leaf")
    if node.op == "has_kind":
        _require(node.attr in KIND_CODE and node.args[0].dtype == "k", f"{node!r} asks a kind")
    row = OPS.get(node.op)
    if row is None:
        return
    _require(len(node.args) == len(row.params), f"{node!r} has {len(row.params)} arguments")
    for arg, dtype in zip(node.args, row.params, strict=True):
        _require(dtype in ("?", arg.dtype), f"{node!r} takes {dtype}, not {arg.dtype}")
    if node.op == "select":
        _require(node.args[1].dtype == node.args[2].dtype == node.dtype, f"{node!r} has one dtype")
    elif row.result != "?":
        _require(node.dtype == row.result, f"{node!r} gives {row.result}")


def _verify_output(output: Output) -> None:
    _require(output.code.dtype == "k", "a result's code is a kind")
    for kind, _ in (*output.payloads, *output.parts):
        _require(kind in output.kinds, f"{kind} is a kind of the result")
    for _, parts in output.parts:
        for part in parts.parts:
            _require(part.guard.dtype == "b", "a slot's guard is a bool")
            _verify_output(part.output)


def _require(holds: bool, what: str) -> None:  # noqa: FBT001
    if not holds:
        raise BrokenStageError(what)
