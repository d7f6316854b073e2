"""What a statement reads from a dict, set or list of the loop's, under a name of its own.

Of `out.append(total[r["shop"]] / 100)` what is read comes first, `batchprep_tap_total_0 =
total[r["shop"]]`, so that the rest can be computed with its value.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from typing import Any, Final

from batchprep.loops.names import COMPREHENSIONS, Names

TAP: Final = "batchprep_tap_"


def tapped(body: Sequence[ast.stmt], container: str, states: frozenset[str]) -> list[ast.stmt]:
    """The statements, each after what it reads from a container, where it does more than that."""
    return _Taps(container, states).block(body)


class _Taps:
    def __init__(self, container: str, states: frozenset[str]) -> None:
        self.container = container
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
        if not any(self.reads(n) for n in ast.walk(reading) if isinstance(n, ast.expr)):
            return False
        others = (names.all & self.states) - {self.container} or names.stored
        return bool(others) or self.container not in names.written

    def reads(self, node: ast.expr) -> bool:
        """Whether an expression reads from the container, with a key that no state touches."""
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
                return False
        names = Names(keys)
        return name == self.container and not names.all & self.states and not names.stored


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
            case ast.expr() if self.taps.reads(node):
                return self.tap(node)
            case _:
                return super().visit(node)

    def tap(self, node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        if text not in self.known:
            self.known[text] = f"{TAP}{self.taps.container}_{self.taps.count}"
            self.taps.count += 1
            made = ast.Assign([ast.Name(self.known[text], ast.Store())], node)
            self.made.append(ast.fix_missing_locations(ast.copy_location(made, node)))
        return ast.copy_location(ast.Name(self.known[text], ast.Load()), node)
