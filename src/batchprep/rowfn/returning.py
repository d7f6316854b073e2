"""How statements leave: their returns, and the names that they bind in the function's own scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Returns(ast.NodeTransformer):
    """Rewrites `return x` to `return (1, x)`, but in functions inside."""

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, its own returns rewritten."""
        if isinstance(node, SCOPES):
            return node
        if isinstance(node, ast.Return):
            value = ast.Constant(None) if node.value is None else node.value
            return ast.Return(ast.Tuple([ast.Constant(1), value], ast.Load()))
        return self.generic_visit(node)

    def rewritten(self, statement: ast.stmt) -> ast.stmt:
        """The statement, its own returns rewritten."""
        found = self.visit(statement)
        assert isinstance(found, ast.stmt)  # noqa: S101  one statement for another
        return found

    @staticmethod
    def any_in(statement: ast.stmt) -> bool:
        """Whether the statement may return."""
        return any(isinstance(node, ast.Return) for node in _own_nodes(statement))


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, but for what lies in functions inside."""
    yield node
    if not isinstance(node, SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def scope_names(statement: ast.stmt) -> frozenset[str]:
    """Names that a statement binds in the scope of its function."""
    return frozenset(_bound(statement))


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name):
            yield name
            return
        case ast.Lambda():
            return
        case ast.ExceptHandler(name=str() as name):
            yield name
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name
        case ast.MatchMapping(rest=str() as name):
            yield name
        case ast.comprehension():
            # Its target is its own; an assignment inside of it is not.
            for part in (node.iter, *node.ifs):
                yield from _bound(part)
            return
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def unbound_names(statement: ast.stmt) -> frozenset[str]:
    """Names that a statement may leave without a value, whatever they had before."""
    nodes = list(ast.walk(statement))
    gone = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    return frozenset(gone | {str(n.name) for n in nodes if isinstance(n, ast.ExceptHandler)})


def surely_bound(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Names that have a value behind the statements, wherever a row goes on from them."""
    found: frozenset[str] = frozenset()
    for statement in body:
        found |= _surely_bound(statement)
    return found


def _surely_bound(node: ast.stmt) -> frozenset[str]:
    match node:
        case ast.Assign(targets=targets):
            return frozenset(name for target in targets for name in _names_of(target))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return frozenset({name})
        case ast.FunctionDef(name=name):
            return frozenset({name})
        case ast.If(body=body, orelse=orelse):
            return _in_all([body, orelse])
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            ways = [[*body, *orelse], *(handler.body for handler in handlers)]
            return _in_all(ways) | surely_bound(final)
        case _:
            return frozenset()


def _in_all(ways: Sequence[Sequence[ast.stmt]]) -> frozenset[str]:
    going_on = [surely_bound(way) for way in ways if not always_leaves(way)]
    return frozenset.intersection(*going_on) if going_on else frozenset()


def _names_of(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _names_of(part)


def always_leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether no row goes on behind the statements: each returns or raises."""
    return any(map(_leaves, body))


def _leaves(node: ast.stmt) -> bool:
    match node:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=body, orelse=orelse):
            return always_leaves(body) and always_leaves(orelse)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            whole = always_leaves(body) or always_leaves(orelse)
            return always_leaves(final) or (
                whole and all(always_leaves(handler.body) for handler in handlers)
            )
        case ast.While(test=ast.Constant(value=True), body=body):
            return not any(isinstance(n, ast.Break) for s in body for n in ast.walk(s))
        case _:
            return False


def bound_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names that the code itself binds."""
    found: set[str] = set()
    for root in nodes:
        for node in ast.walk(root):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.arg(arg=name) | ast.FunctionDef(name=name):
                    found.add(name)
                case ast.ExceptHandler(name=str() as name):
                    found.add(name)
                case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                    found.add(name)
                case ast.MatchMapping(rest=str() as name):
                    found.add(name)
                case _:
                    pass
    return frozenset(found)


# Methods that read an iterator they are given.
READS = frozenset({
    "difference", "extend", "intersection", "issubset", "issuperset", "join", "union", "update",
})  # fmt: skip


# Methods that keep what they are given.
KEEPING = frozenset({"add", "append", "appendleft", "insert", "setdefault", "get", "pop"})


def read_at_once(root: ast.AST) -> frozenset[int]:
    """Ids of the expressions that are read where they stand: arguments, what a loop goes over."""
    found: list[ast.AST] = []
    for node in ast.walk(root):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr not in READS:
                # A function of a module reads its arguments, a method may keep them.
                module = isinstance(owner, ast.Name)
                found += node.args if module and attr not in KEEPING else []
            case ast.Call():
                found += [*node.args, *(keyword.value for keyword in node.keywords)]
            case ast.For(iter=read) | ast.comprehension(iter=read) | ast.Starred(value=read):
                found.append(read)
            case ast.Compare(comparators=others):
                found += others
            case _:
                pass
    return frozenset(map(id, found))
