"""Which names a piece of code reads, binds and writes into, and which a loop carries on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
# Methods that change the object they are called on.
CHANGERS: Final = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend",
    "extendleft", "insert", "intersection_update", "pop", "popitem", "popleft", "remove",
    "reverse", "rotate", "setdefault", "sort", "subtract", "symmetric_difference_update",
    "update", "move_to_end", "write", "writelines", "writerow", "writerows",
})  # fmt: skip


class Names(ast.NodeVisitor):
    """The names of some nodes, as the function around them sees them.

    loaded   read; names that a comprehension or a lambda binds for itself do not count
    stored   bound
    written  what subscripts, attributes or changing methods write into: the name at the root
    """

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.loaded: set[str] = set()
        self.stored: set[str] = set()
        self.written: set[str] = set()
        for node in nodes:
            self.visit(node)

    @property
    def all(self) -> set[str]:
        """All three."""
        return self.loaded | self.stored | self.written

    def visit_Name(self, node: ast.Name) -> None:
        (self.loaded if isinstance(node.ctx, ast.Load) else self.stored).add(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._target(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._target(node)

    def _target(self, node: ast.Subscript | ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.written |= roots(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.loaded.add(node.target.id)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
            self.written |= roots(node.func.value)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.stored.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.stored |= {node.name} if node.name else set()
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self.stored |= {node.name} if node.name else set()

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.stored |= {node.rest} if node.rest else set()
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.stored.add((node.asname or node.name).partition(".")[0])

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)

    def _comprehension(self, node: COMPREHENSIONS) -> None:
        self._inner(ast.iter_child_nodes(node), comprehension_names(node))
        walruses = (n for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        self.stored |= {walrus.target.id for walrus in walruses}

    def visit_Lambda(self, node: ast.Lambda) -> None:
        a = node.args
        bound = {arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
        bound |= {arg.arg for arg in (a.vararg, a.kwarg) if arg}
        self._inner((*a.defaults, *filter(None, a.kw_defaults), node.body), bound)

    def _inner(self, nodes: Iterable[ast.AST], bound: set[str]) -> None:
        inner = Names(nodes)
        self.loaded |= inner.loaded - bound
        self.written |= inner.written - bound


def comprehension_names(node: COMPREHENSIONS) -> set[str]:
    """The names that a comprehension binds for itself."""
    return set().union(*(Names([g.target]).stored for g in node.generators))


def roots(node: ast.expr) -> set[str]:
    """The name that a chain of subscripts, attributes and calls of methods starts from."""
    while True:
        match node:
            case ast.Name(id=name):
                return {name}
            case ast.Subscript(value=inner) | ast.Attribute(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case ast.IfExp(body=body, orelse=orelse):
                return roots(body) | roots(orelse)
            case ast.BoolOp(values=values):
                return set().union(*map(roots, values))
            case ast.NamedExpr(target=target, value=value):
                return {target.id} | roots(value)
            case _:
                return set()


def carried(body: Sequence[ast.stmt], bound: Iterable[str]) -> set[str]:
    """Names bound in the body of a loop that it may read before: the row before gave them.

    `bound` are those that each round binds at its start, such as the loop's own target.
    """
    flow = _Flow(Names(body).stored)
    flow.block(body, set(bound))
    return flow.early


class _Flow:
    """A walk along all paths that tracks which names are bound for sure."""

    def __init__(self, assigned: set[str]) -> None:
        self.assigned = assigned
        self.early: set[str] = set()

    def block(self, statements: Iterable[ast.stmt], bound: set[str]) -> set[str] | None:
        """The names bound after the statements; None where their end is never reached."""
        now: set[str] | None = set(bound)
        for statement in statements:
            if now is None:
                break
            now = self.statement(statement, now)
        return now

    def statement(self, node: ast.stmt, bound: set[str]) -> set[str] | None:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                self.reads(test, bound)
                bound = bound | _certain(test)
                return _joined([self.block(body, bound), self.block(orelse, bound)])
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                self.reads(iterable, bound)
                self.block(body, bound | Names([target]).stored)
                self.block(orelse, bound)
                return bound
            case ast.While(test=test, body=body, orelse=orelse):
                self.reads(test, bound)
                self.block(body, bound | _certain(test))
                self.block(orelse, bound)
                return bound
            case ast.Try() | ast.TryStar():
                return self.attempt(node, bound)
            case ast.With(items=items, body=body):
                for item in items:
                    self.reads(item.context_expr, bound)
                self.block(
                    body, bound | Names(i.optional_vars for i in items if i.optional_vars).stored
                )
                return bound  # an exception in it may have been swallowed
            case ast.Match(subject=subject, cases=cases):
                self.reads(subject, bound)
                for case in cases:
                    inner = bound | Names([case.pattern]).stored
                    self.reads(case.guard, inner)
                    self.block(case.body, inner)
                return bound
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                self.reads(node, bound)
                return None
            case _:
                self.reads(node, bound)
                certain = set().union(*(_certain(c) for c in ast.iter_child_nodes(node)))
                return bound | certain | (set() if isinstance(node, ast.Expr) else _targets(node))

    def attempt(self, node: ast.Try | ast.TryStar, bound: set[str]) -> set[str] | None:
        after = self.block(node.body, bound)
        ends = [None if after is None else self.block(node.orelse, after)]
        for handler in node.handlers:
            self.reads(handler.type, bound)
            named = {handler.name} if handler.name else set[str]()
            ends.append(self.block(handler.body, bound | named))
        joined = _joined(ends)
        last = self.block(node.finalbody, bound)
        if joined is None or last is None:
            return None
        return joined | last

    def reads(self, node: ast.AST | None, bound: set[str]) -> None:
        if node is not None:
            found = Names([node])
            certain = _certain(node) if isinstance(node, ast.expr) else set[str]()
            self.early |= ((found.loaded | found.written) & self.assigned) - bound - certain


def _targets(node: ast.stmt) -> set[str]:
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    found = Names(t for t in targets if isinstance(t, ast.AST)).stored
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return set()
    return found | (
        Names([node]).stored if isinstance(node, ast.Import | ast.ImportFrom) else set()
    )


def _certain(node: ast.AST) -> set[str]:
    """Names that := binds whenever the expression is evaluated."""
    match node:
        case ast.NamedExpr(target=target, value=value):
            return {target.id} | _certain(value)
        case ast.BoolOp(values=[first, *_]) | ast.IfExp(test=first):
            return _certain(first)
        case ast.Compare(left=left, comparators=[first, *_]):
            return _certain(left) | _certain(first)
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return set()
        case ast.expr():
            return set().union(*map(_certain, ast.iter_child_nodes(node)))
        case _:
            return set()


def _joined(ends: Sequence[set[str] | None]) -> set[str] | None:
    reached = [end for end in ends if end is not None]
    return set.intersection(*reached) if reached else None
