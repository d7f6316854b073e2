"""Nodes of pure functions: a table by word where that does, else a call for each row."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Literal

from batchprep.dtypes import SCALAR_DTYPE, DType, Kind
from batchprep.plan.node import Node, in_order, intern
from batchprep.plan.tables import Outcome, Pure


class Held:
    """An object as a key: it equals itself alone, and lives as long as the key does."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def outcome(pure: Pure, nodes: tuple[Node, ...], kind: Kind | Literal["raises"] | None) -> Node:
    """One part of what the function gives for what the nodes hold; see Outcome."""
    dtypes: dict[Any, DType] = {None: "k", "raises": "b", **SCALAR_DTYPE}
    dtype = dtypes.get(kind, "o")
    # Objects are made by row: sets that are equal need not be gone over in one order.
    op = "word" if _by_word(nodes) and dtype != "o" else "call"
    return intern(op, nodes, Outcome(pure, kind, dtype), dtype)


def total(
    name: str, function: Callable[..., Any], nodes: tuple[Node, ...], kind: Kind, key: Hashable
) -> Node:
    """The result of a function that gives that kind whatever the nodes hold."""
    return outcome(Pure((name, key), function, name, sure=True, kind=kind), nodes, kind)


def _by_word(nodes: tuple[Node, ...]) -> bool:
    """Whether one string is all that is read, and all that it may be are known beforehand."""
    if len(nodes) != 1 or nodes[0].dtype != "s":
        return False
    return not any(node.op == "call" and node.dtype == "s" for node in in_order(nodes))
