"""Questions about statements and expressions that their shape alone answers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain


def root_name(node: ast.expr) -> str | None:
    """The name that `name.a["b"].get("c")` starts from."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            return root_name(value)
        case ast.Call(func=ast.Attribute(value=value)):
            return root_name(value)
        case _:
            return None


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of statements inside a compound statement."""
    parts = [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    for part in parts:
        for field in ("body", "orelse", "finalbody"):
            yield getattr(part, field, [])


def leaves(block: list[ast.stmt]) -> bool:
    """Whether a block ends the function for sure."""
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise)


def pairwise(places: list[ast.expr], values: list[ast.expr]) -> bool:
    """Whether `places = values` assigns value by value."""
    starred = any(isinstance(e, ast.Starred) for e in chain(places, values))
    return len(places) == len(values) and not starred
