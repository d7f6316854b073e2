"""The text of a stage: what golden tests compare and explain() shows."""

from __future__ import annotations

from typing import Final

from batchprep.dtypes import KINDS
from batchprep.ops import OPS
from batchprep.plan.node import Node, in_order
from batchprep.plan.order import COMMUTATIVE
from batchprep.plan.stage import Output, Stage
from batchprep.plan.tables import KeyTable, Outcome, ValueTable

# How often Python evaluates a function of row values.
OFTEN: Final = {"word": "  once per distinct text", "call": "  once per distinct row of a block"}


def print_stage(stage: Stage) -> str:
    """One line a node, numbered from %0 in execution order, then deviations and result."""
    roots = [*stage.outputs, *(deviation.guard for deviation in stage.deviations)]
    names: dict[Node, str] = {}
    lines: list[str] = []
    for node in in_order(roots):
        if node.op == "const":
            names[node] = _constant(node)
            continue
        names[node] = f"%{len(lines)}"
        lines.append(f"{names[node]}:{node.dtype} = {_expression(node, names)}")
    for number, deviation in enumerate(stage.deviations, start=1):
        word = f"raise {deviation.error}" if deviation.error else "escape"
        lines.append(
            f"deviation {number}: {_name(deviation.guard, names)} -> {word}: {deviation.reason}"
        )
    lines.append(f"result: {_result(stage.template, names)}")
    return "\n".join(lines)


def _name(node: Node, names: dict[Node, str]) -> str:
    return names.get(node) or _constant(node)


def _constant(node: Node) -> str:
    if node.dtype == "k" and isinstance(node.attr, int):
        return f"<{KINDS[node.attr]}>"
    return repr(node.attr)


def _expression(node: Node, names: dict[Node, str]) -> str:
    attr = "" if node.op in OPS else _attribute(node)
    arguments = [names[arg] for arg in node.args]
    if node.op in COMMUTATIVE:
        arguments.sort(key=list(names.values()).index)
    how_often = OFTEN.get(node.op, "")
    return f"{node.op}({', '.join([*arguments, attr] if attr else arguments)}){how_often}"


def _attribute(node: Node) -> str:
    attr = node.attr
    if isinstance(attr, Outcome):
        return f"{attr.pure.name} {'kind' if attr.kind is None else f'as {attr.kind}'}"
    if isinstance(attr, KeyTable):
        return f"{len(attr.keys)} keys"
    if isinstance(attr, ValueTable):
        return f"{len(attr.values) - 1} values"
    if isinstance(attr, tuple):
        return " ".join(str(part) for part in attr[:2])
    return str(attr)


def _result(output: Output, names: dict[Node, str]) -> str:
    if output.field is not None:
        return f"record[{output.field!r}]"
    texts = dict.fromkeys(output.kinds, "")
    texts.update({kind: f" {_name(node, names)}" for kind, node in output.payloads})
    for kind, parts in output.parts:
        slots = [
            f"{part.key!r}{'' if part.guard.op == 'const' else '?' + _name(part.guard, names)}"
            f": {_result(part.output, names)}"
            for part in parts.parts
        ]
        base = [] if parts.base.attr is False else ["**record"]
        texts[kind] = " {" + ", ".join(base + slots) + "}"
    alternatives = " | ".join(f"{kind}{text}" for kind, text in texts.items())
    if len(output.kinds) == 1:
        return alternatives
    return f"by {_name(output.code, names)} of {alternatives}"
