"""The record before, where a loop asks for it by place: its fields are given to the row part.

Of `records[i]["t"] - records[i - 1]["t"]` the row part is `record["t"] - batchprep_before_0`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from batchprep.loops import messages
from batchprep.loops.go_on import GoOn

EARLIER: Final = "batchprep_before_"


class Read(NamedTuple):
    """A name, and the key that the record before is asked for; None: the record itself."""

    name: str
    key: str | None


def told_of_earlier(
    body: Sequence[ast.stmt], before: str
) -> tuple[list[ast.stmt], tuple[Read, ...]]:
    """The statements with the fields of the record before as names, and what these are."""
    taken = _Earlier(before)
    made = [taken.visit(statement) for statement in body]
    return made, tuple(taken.reads)


class _Earlier(ast.NodeTransformer):
    def __init__(self, before: str) -> None:
        self.before = before
        self.reads: list[Read] = []

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(
                value=ast.Name(id=self.before),
                slice=ast.Constant(value=str() as key),
                ctx=ast.Load(),
            ):
                return self.named(node, key)
            case _:
                return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_read = isinstance(node.ctx, ast.Load) and node.id == self.before
        return self.named(node, None) if is_read else node

    def named(self, node: ast.expr, key: str | None) -> ast.AST:
        found = next((read for read in self.reads if read.key == key), None)
        if found is None:
            found = Read(f"{EARLIER}{len(self.reads)}", key)
            self.reads.append(found)
        return ast.copy_location(ast.Name(found.name, ast.Load()), node)


def values_of(reads: Iterable[Read], records: Sequence[Any]) -> dict[str, list[Any]]:
    """What is given of these records.

    Errors:  GoOn where one lacks a field
    """
    try:
        return {
            name: list(records) if key is None else [record[key] for record in records]
            for name, key in reads
        }
    except Exception:  # noqa: BLE001  the loop itself meets it again, in its own turn
        raise GoOn(messages.ROW_RAISES) from None
