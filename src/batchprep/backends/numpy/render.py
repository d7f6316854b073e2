"""The text of a function that computes a stage on one block of rows with NumPy calls."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from batchprep.backends.constants import asked_kind, constant, is_string
from batchprep.backends.kernel import NUMPY_DTYPE
from batchprep.backends.numpy import arrays
from batchprep.ops import OPS, Gap, Op
from batchprep.plan.node import Node, in_order
from batchprep.plan.segments import LEAVES
from batchprep.plan.stage import MathMode, Stage

Layout = Mapping[Node, np.dtype[Any]]


@dataclass(frozen=True)
class Text:
    """Source of `block(inputs, strings, tables, outputs, deviation)`, and its globals."""

    source: str
    globals: dict[str, Any]


def render(stage: Stage, layout: Layout, math: MathMode) -> Text:
    """The stage's function, each temporary freed after its last use."""
    return _Renderer(stage, layout, math).text()


def is_by_meaning(op: Op, math: str) -> bool:
    """Whether NumPy's spelling is missing or not exact enough: Python evaluates each element."""
    return isinstance(op.array, Gap) or not (math == "fast" or op.exact_on("numpy"))


class _Renderer:
    def __init__(self, stage: Stage, layout: Layout, math: MathMode) -> None:
        self.stage = stage
        self.layout = layout
        self.math = math
        self.guards = [deviation.guard for deviation in stage.deviations]
        self.order = in_order((*stage.outputs, *self.guards))
        self.globals: dict[str, Any] = {"np": np, "h": arrays}
        self.outputs = {node: f"o{place}" for place, node in enumerate(stage.outputs)}
        self.tables = {node: f"t{place}" for place, node in enumerate(stage.tables)}
        self.names: dict[Node, str] = {}
        self.numbers = itertools.count()
        self.written: set[Node] = set()  # outputs that an op wrote where they lie

    def text(self) -> Text:
        parameters = self._parameters()
        last = self._last_uses()
        lines: list[str] = []
        for node in self.order:
            lines += self._lines(node)
            dead = [self.names[arg] for arg in last.get(node, ()) if arg.op not in LEAVES]
            lines += [f"del {', '.join(dead)}"] if dead else []
        lines += [
            f"{array}[...] = {self.names[node]}"
            for node, array in self.outputs.items()
            if node not in self.written
        ]
        lines += ["z[...] = 0"]
        for byte in range(len(self.guards), 0, -1):
            lines.append(f"h.mark(z, {byte}, {self.names[self.guards[byte - 1]]})")
        body = "\n    ".join(lines)
        return Text(f"def block({', '.join(parameters)}):\n    {body}\n", self.globals)

    def _parameters(self) -> list[str]:
        inputs = [f"a{place}" for place in range(len(self.stage.inputs))]
        strings = [f"s{place}" for place in range(len(self.stage.strings))]
        self.names |= dict(zip(self.stage.inputs, inputs, strict=True))
        self.names |= dict(zip(self.stage.strings, strings, strict=True))
        return [*inputs, *strings, *self.tables.values(), *self.outputs.values(), "z"]

    def _last_uses(self) -> dict[Node, list[Node]]:
        user: dict[Node, Node] = {}
        for node in self.order:
            user.update(dict.fromkeys(node.args, node))
        kept = {*self.guards, *self.stage.outputs}
        last: dict[Node, list[Node]] = {}
        for arg, node in user.items():
            if arg not in kept:
                last.setdefault(node, []).append(arg)
        return last

    def _lines(self, node: Node) -> list[str]:
        if node.op in LEAVES:
            return self._leaf(node)
        name = self.names[node] = f"v{next(self.numbers)}"
        call = self._call(node).format(*(self.names[arg] for arg in node.args))
        return [f"{name} = {call}"]

    def _leaf(self, node: Node) -> list[str]:
        if node.op in {"const", "ref"}:
            if not is_string(node):
                name = self.names[node] = f"c{next(self.numbers)}"
                self.globals[name] = constant(node, self.stage)
            return []
        wanted = NUMPY_DTYPE[node.dtype]
        if self.layout[node] == wanted:
            return []
        array, name = self.names[node], f"v{next(self.numbers)}"
        self.names[node] = name
        self.globals[f"d_{node.dtype}"] = wanted
        return [f"{name} = {array}.astype(d_{node.dtype})"]

    def _call(self, node: Node) -> str:
        if node.op == "has_kind":
            return f"np.equal({{0}}, {asked_kind(node)})"
        if node.op == "find":
            return f"h.find({self.tables[node]}, {{0}})"
        if node.op == "call":
            places = ", ".join(f"{{{place}}}" for place in range(len(node.args)))
            return f"{self.tables[node]}({places})"
        if node.op in {"word", "gather"}:
            return f"{self.tables[node]}[{{0}}]"
        op = OPS[node.op]
        if isinstance(op.array, Gap) or is_by_meaning(op, self.math):
            return self._by_meaning(node)
        return self._into_output(node, op.array)

    def _by_meaning(self, node: Node) -> str:
        self.globals[f"m_{node.op}"] = OPS[node.op].meaning
        places = ", ".join(f"{{{place}}}" for place in range(len(node.args)))
        return f"h.evaluate(m_{node.op}, {node.dtype!r}, {places})"

    def _into_output(self, node: Node, template: str) -> str:
        # A ufunc writes where it is told: one pass over the block less.
        name = template.removeprefix("np.").split("(")[0]
        output = self.outputs.get(node)
        if output is None or not isinstance(getattr(np, name, None), np.ufunc):
            return template
        if not template.startswith("np.") or template.count("(") != 1:
            return template
        self.written.add(node)
        return f"{template[:-1]}, {output})"
