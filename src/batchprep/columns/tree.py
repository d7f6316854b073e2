"""The tree of a column expression: operations over columns and constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """One operation, the expressions that it takes and its constants.

    "col" has the column's name, "lit" and "value" (a constant written without lit) the constant,
    "when" takes condition, result, condition, result, ..., otherwise.
    """

    operation: str
    inputs: tuple[Tree, ...] = ()
    options: tuple[Any, ...] = ()


def in_order(root: Tree) -> Iterator[Tree]:
    """Every part once, each after the parts that it takes; a long chain does not recurse."""
    seen: set[int] = set()
    stack: list[tuple[Tree, bool]] = [(root, False)]
    while stack:
        tree, ready = stack.pop()
        if ready:
            yield tree
        elif id(tree) not in seen:
            seen.add(id(tree))
            stack.append((tree, True))
            stack.extend((part, False) for part in reversed(tree.inputs))


def flattened(root: Tree) -> tuple[tuple[type[Tree], str, tuple[int, ...], tuple[Any, ...]], ...]:
    """The parts in order, each with the places of those it takes: what is pickled."""
    places: dict[int, int] = {}
    parts: list[tuple[type[Tree], str, tuple[int, ...], tuple[Any, ...]]] = []
    for tree in in_order(root):
        inputs = tuple(places[id(part)] for part in tree.inputs)
        places[id(tree)] = len(parts)
        parts.append((type(tree), tree.operation, inputs, tree.options))
    return tuple(parts)


def restored(parts: tuple[tuple[type[Tree], str, tuple[int, ...], tuple[Any, ...]], ...]) -> Tree:
    """The tree of its flattened parts."""
    trees: list[Tree] = []
    for kind, operation, inputs, options in parts:
        trees.append(kind(operation, tuple(trees[place] for place in inputs), options))
    return trees[-1]
