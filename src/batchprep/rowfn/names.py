"""The names of a function: which are its own, and which may stand for one object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from batchprep.rowfn.recompile import FunctionNode

LINKS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.withitem, ast.Expr)


class FunctionNames:
    """The names bound in a function and in functions within it.

    parameter  the one that receives the record, None if the function takes none
    many       whether that parameter is `*args`, which holds the record
    own        bound here, so that they hide globals
    outside    other parameters, globals and nonlocals: what they refer to outlives the call
    functions  bound by one kind of statement only, a nested def
    """

    def __init__(self, node: FunctionNode, parameter: str | None) -> None:
        positional = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        every = parameters(node)
        vararg = node.args.vararg.arg if node.args.vararg else None
        self.parameter = parameter or next(iter(positional), vararg)
        self.many = self.parameter is not None and self.parameter == vararg
        inner = [n for n in ast.walk(node) if n is not node]
        declared = {k for n in inner if isinstance(n, ast.Global | ast.Nonlocal) for k in n.names}
        assigned = {name for n in inner for name in _bound(n)}
        defined = {n.name for n in inner if isinstance(n, ast.FunctionDef)}
        self.own = (assigned | defined | set(every)) - declared
        self.outside = (declared | set(every)) - {self.parameter}
        self.functions = defined - assigned - set(every) - declared
        self._groups = self._linked(node)

    def group(self, name: str) -> frozenset[str]:
        """The names that may stand for the same object or for one inside it."""
        return frozenset(self._groups.get(name, {name}))

    def _linked(self, node: FunctionNode) -> dict[str, set[str]]:
        groups: dict[str, set[str]] = {}
        for link in _links(node):
            names = {name for part in link for n in ast.walk(part) for name in _mentioned(n)}
            # All that is read out of the record is marked anyway: the record links nothing.
            names = (names & self.own) - {self.parameter}
            merged = names.union(*(groups.get(name, ()) for name in names))
            groups.update(dict.fromkeys(merged, merged))
        return groups


def parameters(node: FunctionNode) -> list[str]:
    """All parameter names of a function."""
    args = node.args
    several = [a.arg for a in (args.vararg, args.kwarg) if a]
    return [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)] + several


def _links(node: FunctionNode) -> Iterator[tuple[ast.AST, ...]]:
    for inner in ast.walk(node):
        match inner:
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                yield inner.target, inner.iter
            case ast.Match(subject=subject, cases=cases):
                yield subject, *(case.pattern for case in cases)
            case _ if isinstance(inner, LINKS):
                yield (inner,)
            case _:
                pass


def captures(pattern: ast.pattern) -> list[str]:
    """The names that a `case` pattern binds."""
    return [name for node in ast.walk(pattern) for name in _bound(node)]


def _mentioned(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    else:
        yield from _bound(node)


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0]
        case _:
            pass
