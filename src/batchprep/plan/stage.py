"""A stage: what a backend compiles, and how its columns become the result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from batchprep.dtypes import Kind
from batchprep.errors import Span
from batchprep.plan.node import Node

ErrorName = str  # "ZeroDivisionError", ...


@dataclass(frozen=True)
class Deviation:
    """Rows that the interpreter answers.

    With `error` a fault (the row is known to raise it); without, an escape (no promise made).
    """

    guard: Node
    reason: str
    error: ErrorName | None
    spans: tuple[Span, ...]  # innermost first, then the call sites


@dataclass(frozen=True)
class Output:
    """One position of the result, written as a field: a kind code and a buffer per kind.

    code      dtype "k": the kind of the row's value (a const where there is one kind).
              Its value is meaningless where the position does not exist (see Slot guards).
    payloads  (kind, node) for the kinds with a scalar payload; dtype b, i, f, s, r or o
    field     the field whose own value stands here, whatever it is; then nothing is computed:
              the code is a constant without meaning, and there are neither payloads nor parts
    """

    code: Node
    kinds: tuple[Kind, ...]
    payloads: tuple[tuple[Kind, Node], ...] = ()
    parts: tuple[tuple[Kind, Parts], ...] = ()  # for struct, tuple and list
    field: str | None = None

    @cached_property
    def open(self) -> bool:
        """Whether some position holds Python objects, of which only the values tell the type."""
        return any(node.dtype == "o" for _, node in self.payloads) or any(
            part.output.open for _, parts in self.parts for part in parts.parts
        )


@dataclass(frozen=True)
class Part:
    """A slot of a struct or a tuple in the result."""

    key: str | int
    guard: Node
    output: Output


@dataclass(frozen=True)
class Parts:
    """A struct, tuple or list of the result; see values.Slots."""

    parts: tuple[Part, ...]
    base: Node
    fresh: Node


@dataclass(frozen=True)
class Stage:
    """Expressions over one batch, cut to what a kernel needs.

    inputs   leaves `kind`, `buffer`, `object`, `regular`: one array a row each, in a stable order
    strings  constants of dtype "s": one code each, looked up in the batch's pool
    tables   nodes word, find, gather: one array each, whatever the number of rows
    outputs  the nodes to be written, one array a row each (no constants, no duplicates)
    A kernel also writes one byte a row: 0, or 1 + the position of the first deviation
    that holds.
    """

    inputs: tuple[Node, ...]
    strings: tuple[Node, ...]
    tables: tuple[Node, ...]
    outputs: tuple[Node, ...]
    deviations: tuple[Deviation, ...]
    template: Output
    refs: tuple[str, ...]  # field names that dtype "r" payloads number
    texts: tuple[Node, ...] = ()  # results that no kernel writes: leaves "text"

    @cached_property
    def has_pieces(self) -> bool:
        """Whether Python evaluates a part of it."""
        return any(node.op in {"word", "call"} for node in self.tables)

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that the kernel reads."""
        named = (leaf for leaf in self.inputs if leaf.attr is not None)
        return tuple(dict.fromkeys(map(_field_name, named)))


def _field_name(leaf: Node) -> str:
    attr = leaf.attr
    return attr[0] if isinstance(attr, tuple) else str(attr)


MathMode = Literal["exact", "fast"]
