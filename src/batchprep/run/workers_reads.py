"""Where an expression stands, as far as that shows that a table is only read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

Above = tuple[ast.AST, ...]
Resolve = Callable[[ast.AST], object]

# What these make of a table is new, or no table.
READERS: Final = frozenset(
    map(id, (all, any, dict, enumerate, len, list, max, min, reversed, sorted, sum, tuple, zip))
)
METHODS: Final = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
VIEWS: Final = frozenset({"items", "keys"})
SET_METHODS: Final = frozenset({"isdisjoint", "issubset", "issuperset"})
# The order of a set of texts differs between processes: these do not see it.
ORDERLESS: Final = frozenset(map(id, (len, sorted)))


def is_read(node: ast.AST, above: Above, resolve: Resolve) -> bool:
    """Whether a list, dict or tuple is read here, and does not get out."""
    match above[0] if above else None:
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is node
        case ast.Attribute(attr=attr):
            return attr in METHODS and _is_called(above)
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is node
        case ast.Call() as call:
            return node in call.args and id(resolve(call.func)) in READERS
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return test is node
        case ast.UnaryOp() | ast.BinOp() | ast.Starred() | ast.FormattedValue():
            return True
        case ast.Dict(keys=keys, values=values):
            return (None, node) in list(zip(keys, values, strict=True))
        case _:
            return _is_tested(node, above)


def is_read_set(node: ast.AST, above: Above, resolve: Resolve) -> bool:
    """Whether a set is asked here for what it holds, and not in which order."""
    parent = above[0] if above else None
    if isinstance(parent, ast.Attribute):
        return parent.attr in SET_METHODS and _is_called(above)
    return _is_orderless(node, above, resolve)


def is_made_set(node: ast.AST, above: Above, resolve: Resolve) -> bool:
    """The same of a set that is made here, or of the name `set` itself."""
    if not isinstance(node, ast.Name):
        return _is_orderless(node, above, resolve)
    match above[0] if above else None:
        case ast.Call(func=func) as call if func is node:
            return _is_orderless(call, above[1:], resolve)
        case ast.Call() as call:
            return resolve(call.func) is isinstance
        case ast.Tuple() if len(above) > 1 and isinstance(above[1], ast.Call):
            return resolve(above[1].func) is isinstance
        case _:
            return False


def is_plain_view(above: Above, resolve: Resolve) -> bool:
    """Whether what d.keys() or d.items() gives stays what it is: with & and | it would be a set.

    `above` are the call and what stands around it.
    """
    if not _is_called(above):
        return False
    call, *around = above
    match around[0] if around else None:
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is call
        case ast.Call(func=ast.Attribute(attr="join")):
            return True
        case ast.Call() as outer:
            known = resolve(outer.func)
            return id(known) in READERS or known in (map, filter, iter)
        case _:
            return _is_tested(call, tuple(around))


def _is_called(above: Above) -> bool:
    """Whether the attribute above is called where it stands."""
    return any(isinstance(node, ast.Call) for node in above[:2])


def _is_tested(node: ast.AST, above: Above) -> bool:
    """The right side of `in`."""
    match above[0] if above else None:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case _:
            return False


def _is_orderless(node: ast.AST, above: Above, resolve: Resolve) -> bool:
    match above[0] if above else None:
        case ast.Call(keywords=[]) as call:
            return node in call.args and id(resolve(call.func)) in ORDERLESS
        case _:
            return _is_tested(node, above)
