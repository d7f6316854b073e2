"""What a statement reads from a dict, set or list of the loop's, under a name of its own.

out.append(total[r["shop"]] / 100)    ->    tap_0 = total[r["shop"]]
out.append(tap_0 / 100)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from typing import Any, Final

from batchprep.loops.names import COMPREHENSIONS, Names

TAP: Final = "batchprep_tap_"


def tapped(
    body: Sequence[ast.stmt], containers: set[str], states: frozenset[str]
) -> list[ast.stmt]:
    """The statements, each after what it reads from these containers beside other states."""
    return _Taps(containers, states).block(body)


class _Taps:
    def __init__(self, containers: set[str], states: frozenset[str]) -> None:
        self.containers = containers
        self.states = states
        self.count = 0

    def block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        return [new for statement in body for new in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                clone = copy.copy(node)
                clone.body, clone.orelse = self.block(body), self.block(orelse)
                taken = _Taken(self)
                if self.is_mixed(node, test):
                    clone.test = taken.visit(copy.deepcopy(test))
                return [*taken.made, clone]
            case ast.Assign() | ast.AugAssign() | ast.Expr() if self.is_mixed(node, node):
                taken = _Taken(self)
                done: ast.stmt = taken.visit(copy.deepcopy(node))
                return [*taken.made, done]
            case _:
                return [node]

    def is_mixed(self, node: ast.stmt, reading: ast.AST) -> bool:
        """Whether it reads from a container and has to do with something else as well."""
        names = Names([node])
        read = {self.read(n) for n in ast.walk(reading) if isinstance(n, ast.expr)} - {None}
        others = (names.all & self.states) - read or names.stored
        return bool(read) and bool(others or not names.written & self.containers)

    def read(self, node: ast.expr) -> str | None:
        """The container that an expression reads from, with a key that no state touches."""
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Load()):
                keys: list[ast.expr] = [key]
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=keys, keywords=[]
            ):
                pass
            case ast.Compare(
                left=key, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]
            ):
                keys = [key]
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
                keys = []
            case _:
                return None
        names = Names(keys)
        plain = not names.all & self.states and not names.stored
        return name if name in self.containers and plain else None


class _Taken(ast.NodeTransformer):
    """Reads that are evaluated in any case -> names, bound before."""

    def __init__(self, taps: _Taps) -> None:
        self.taps = taps
        self.made: list[ast.stmt] = []
        self.known: dict[str, str] = {}

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.IfExp():
                node.test = self.visit(node.test)
                return node
            case ast.BoolOp():
                node.values[0] = self.visit(node.values[0])
                return node
            case _ if isinstance(node, COMPREHENSIONS | ast.Lambda):
                return node
            case ast.expr() if self.taps.read(node) is not None:
                return self.tap(node)
            case _:
                return super().visit(node)

    def tap(self, node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        if text not in self.known:
            self.known[text] = f"{TAP}{self.taps.count}"
            self.taps.count += 1
            made = ast.Assign([ast.Name(self.known[text], ast.Store())], node)
            self.made.append(ast.fix_missing_locations(ast.copy_location(made, node)))
        return ast.copy_location(ast.Name(self.known[text], ast.Load()), node)
