"""The text of one fused loop, and what to call it with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from batchprep.backends.constants import constant, is_string
from batchprep.backends.numba.guesses import bounds_pow, fast_spelling, guess, only_use
from batchprep.backends.numba.spelling import load, spelling
from batchprep.plan.node import Node
from batchprep.plan.order import COMMUTATIVE
from batchprep.plan.segments import TABLES, Segment
from batchprep.plan.stage import MathMode, Stage

PRELUDE: Final = """\
import math

import numpy as np

from batchprep.kernels import cpu as k


"""


DIVISIONS: Final = frozenset({"ifloordiv", "imod"})


@dataclass(frozen=True)
class Loop:
    """Source of `kernel(n, s, reads..., tables..., scalars..., writes..., marks..., doubts...)`.

    The loop does `n` rows, and begins at row `s` of the arrays that are not `is_local`.
    The text holds names by position only, so that stages of equal structure have equal texts;
    numeric constants are scalars, so that another threshold is the same kernel. With `guesses`,
    a second loop redoes the rows of which the first one is not sure, and marks in its doubts.
    """

    source: str
    reads: tuple[Node, ...]
    tables: tuple[Node, ...]
    scalars: tuple[Node, ...]
    writes: tuple[Node, ...]
    marks: bool
    guesses: bool


# A second loop takes as long to compile as the first: 4 to 5 ms a node.
MOST_GUESSED: Final = 64


def is_local(node: Node) -> bool:
    """Whether the array holds the rows of one chunk alone: kind codes, packed bits elsewhere."""
    return node.dtype == "k"


def _row(node: Node) -> str:
    return "j" if is_local(node) else "i"


# The unsure rows one after the other: of a loop with `if h[j]`, LLVM makes vectors whose lanes
# each call pow in turn, which takes longer than calling it for every row.
COLLECT: Final = (
    "    found = 0",
    "    for j in range(n):",
    "        w[found] = j",
    "        found += h[j]",
    "    for m in range(found):",
    "        j = np.int64(w[m])",
)


def render(
    segment: Segment, stage: Stage, math: MathMode, replicas: Mapping[str, str], *, merge: bool
) -> Loop:
    """The loop of a segment; `merge` if an earlier one has written deviation bytes.

    `replicas` are texts of ops that stand for the op table's in exact mode.
    """
    tables = tuple(node for node in segment.nodes if node.op in TABLES)
    names = {node: f"t{place}" for place, node in enumerate(tables)}
    writer = _Writer(stage, segment, names, math, replicas, merge=merge)
    lines = ["    for j in range(n):", *_indented(writer.body())]
    if writer.guessed:
        writer.guesses, writer.names = False, {}
        lines += [*COLLECT, *_indented(writer.body())]
    parameters = [
        "n",
        "s",
        *(f"a{place}" for place in range(len(segment.reads))),
        *writer.tables.values(),
        *(f"c{place}" for place in range(len(writer.scalars))),
        *(f"o{place}" for place in range(len(segment.writes))),
        *(["z"] if segment.guards else []),
        *(["h", "w"] if writer.guessed else []),
    ]
    source = PRELUDE + "\n".join([f"def kernel({', '.join(parameters)}):", *lines]) + "\n"
    return Loop(
        source,
        segment.reads,
        tables,
        tuple(writer.scalars),
        segment.writes,
        bool(segment.guards),
        bool(writer.guessed),
    )


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class _Writer:
    def __init__(
        self,
        stage: Stage,
        segment: Segment,
        tables: dict[Node, str],
        math: MathMode,
        replicas: Mapping[str, str],
        *,
        merge: bool,
    ) -> None:
        self._replicas = replicas
        self.tables = tables
        self.names: dict[Node, str] = {}
        self._places = {n: place for place, n in enumerate((*segment.reads, *segment.nodes))}
        self.scalars: list[Node] = []
        small = len(segment.nodes) <= MOST_GUESSED
        self.guesses = not merge and (math == "fast" or (small and bounds_pow()))
        self.guessed: list[Node] = []
        self._stage = stage
        self._segment = segment
        self._math: MathMode = math
        self._merge = merge

    def body(self) -> list[str]:
        """The row `j` of the chunk: with guesses, or exactly."""
        segment = self._segment
        # Unsigned: numba asks a signed place whether it counts from the end, and then the loop
        # does not vectorise.
        lines = ["i = s + np.uint64(j)"]
        for place, node in enumerate(segment.reads):
            lines.append(f"x{place} = {load(node.dtype, f'a{place}[{_row(node)}]')}")
            self.names[node] = f"x{place}"
        for place, node in enumerate(segment.nodes):
            lines.append(f"v{place} = {self._text(node)}")
            self.names[node] = f"v{place}"
        for place, node in enumerate(segment.writes):
            lines.append(f"o{place}[{_row(node)}] = {self.name(node)}")
        return _indented([*lines, *self._marks(), *self._doubts()])

    def _text(self, node: Node) -> str:
        guessed = guess(node, self._math)
        if guessed is not None and self.guesses:
            self.guessed.append(node)
            return guessed.value.format(self.name(node.args[0]))
        text = spelling(node, self.tables.get(node, ""))
        if self._math == "fast" and guessed is None:
            text = fast_spelling(node) or text
        if self._math == "exact":
            text = self._replicas.get(node.op, text)
        return text.format(*self._arguments(node))

    def _doubts(self) -> list[str]:
        """Whether some guess of the row is not sure, of those whose value counts."""
        if not self.guesses or not self.guessed:
            return []
        lines = ["h[j] = 0"]
        for node in self.guessed:
            known = guess(node, self._math)
            assert known is not None  # noqa: S101  as _text found
            doubt = f"not {known.sure.format(self.name(node.args[0]), self.name(node))}"
            lines.append(f"h[j] |= ({doubt}){self._counts(node)}")
        return lines

    def _counts(self, node: Node) -> str:
        """Text of `and the row's result is this`, where nothing else reads the value."""
        found = only_use(self._stage, node)
        if found is None or found.code not in self.names:
            return ""
        return f" & ({self.name(found.code)} == {found.kind})"

    def _arguments(self, node: Node) -> list[str]:
        """Names of the arguments; a constant divisor is structure.

        LLVM makes a product of a division by a number that it knows: 2 ns in place of 8.
        """
        if node.op in COMMUTATIVE:
            args = sorted(node.args, key=lambda arg: self._places.get(arg, -1))
            return [self.name(arg) for arg in args]
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
            value = constant(node, self._stage)
            # Zero is structure: LLVM folds what is compared with it or added to it. -0.0 is not.
            if node.dtype in "bkr" or value.tobytes() == bytes(value.nbytes):
                return str(value)
        if node not in self.scalars:
            self.scalars.append(node)
        return f"c{self.scalars.index(node)}"

    def _marks(self) -> list[str]:
        if not self._segment.guards:
            return []
        # From last to first, so that the first that holds stays; selects, which vectorise.
        lines = ["d = 0"]
        for byte, guard in reversed(self._segment.guards):
            lines.append(f"d = {byte} if {self.name(guard)} else d")
        if self._merge:
            lines += ["e = np.int64(z[j])", "d = e if e != 0 and (d == 0 or e < d) else d"]
        return [*lines, "z[j] = d"]
