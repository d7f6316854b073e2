"""The text of one fused loop, and what to call it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from batchprep.backends.constants import constant, is_string
from batchprep.backends.numba.spelling import load, spelling
from batchprep.plan.node import Node
from batchprep.plan.segments import TABLES, Segment
from batchprep.plan.stage import Stage

PRELUDE: Final = """\
import math

import numpy as np

from batchprep.kernels import cpu as k


"""


DIVISIONS: Final = frozenset({"ifloordiv", "imod"})


@dataclass(frozen=True)
class Loop:
    """Source of `kernel(n, reads..., tables..., scalars..., writes..., [deviation])`.

    The text holds names by position only, so that stages of equal structure have equal texts;
    numeric constants are scalars, so that another threshold is the same kernel.
    """

    source: str
    reads: tuple[Node, ...]
    tables: tuple[Node, ...]
    scalars: tuple[Node, ...]
    writes: tuple[Node, ...]
    marks: bool


def render(segment: Segment, stage: Stage, *, merge: bool) -> Loop:
    """The loop of a segment; `merge` if an earlier one has written deviation bytes."""
    tables = tuple(node for node in segment.nodes if node.op in TABLES)
    writer = _Writer(stage, {node: f"t{place}" for place, node in enumerate(tables)})
    body = writer.body(segment, merge=merge)
    parameters = [
        "n",
        *(f"a{place}" for place in range(len(segment.reads))),
        *writer.tables.values(),
        *(f"c{place}" for place in range(len(writer.scalars))),
        *(f"o{place}" for place in range(len(segment.writes))),
        *(["z"] if segment.guards else []),
    ]
    lines = [f"def kernel({', '.join(parameters)}):", "    for i in range(n):"]
    source = PRELUDE + "\n".join([*lines, *(f"        {line}" for line in body)]) + "\n"
    return Loop(
        source,
        segment.reads,
        tables,
        tuple(writer.scalars),
        segment.writes,
        bool(segment.guards),
    )


@dataclass
class _Writer:
    stage: Stage
    tables: dict[Node, str]
    names: dict[Node, str] = field(default_factory=dict[Node, str])
    scalars: list[Node] = field(default_factory=list[Node])

    def body(self, segment: Segment, *, merge: bool) -> list[str]:
        lines: list[str] = []
        for place, node in enumerate(segment.reads):
            lines.append(f"x{place} = {load(node.dtype, f'a{place}')}")
            self.names[node] = f"x{place}"
        for place, node in enumerate(segment.nodes):
            text = spelling(node, self.tables.get(node, ""))
            lines.append(f"v{place} = {text.format(*self._arguments(node))}")
            self.names[node] = f"v{place}"
        for place, node in enumerate(segment.writes):
            lines.append(f"o{place}[i] = {self.name(node)}")
        return [*lines, *self._marks(segment, merge=merge)] or ["pass"]

    def _arguments(self, node: Node) -> list[str]:
        """Names of the arguments; a constant divisor is structure.

        LLVM makes a product of a division by a number that it knows: 2 ns in place of 8.
        """
        names = [self.name(arg) for arg in node.args[:1]]
        for arg in node.args[1:]:
            known = node.op in DIVISIONS and arg.op == "const"
            names.append(str(arg.attr) if known else self.name(arg))
        return names

    def name(self, node: Node) -> str:
        if node not in self.names:
            self.names[node] = self._constant(node)
        return self.names[node]

    def _constant(self, node: Node) -> str:
        if not is_string(node):
            value = constant(node, self.stage)
            # Zero is structure: LLVM folds what is compared with it or added to it. -0.0 is not.
            if node.dtype in "bkr" or value.tobytes() == bytes(value.nbytes):
                return str(value)
        self.scalars.append(node)
        return f"c{len(self.scalars) - 1}"

    def _marks(self, segment: Segment, *, merge: bool) -> list[str]:
        if not segment.guards:
            return []
        # From last to first, so that the first that holds stays; selects, which vectorise.
        lines = ["d = 0"]
        for byte, guard in reversed(segment.guards):
            lines.append(f"d = {byte} if {self.name(guard)} else d")
        if merge:
            lines += ["e = np.int64(z[i])", "d = e if e != 0 and (d == 0 or e < d) else d"]
        return [*lines, "z[i] = d"]
