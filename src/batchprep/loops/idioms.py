"""Ways of writing a step that raise on purpose, as the steps that they are.

try:                                   if key in counts:
    counts[key] += 1           ->          counts[key] += 1
except KeyError:                       else:
    counts[key] = 1                        counts[key] = 1
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping, Sequence

from batchprep.loops.names import Names
from batchprep.loops.stable import is_stable


def without_key_errors(
    body: Sequence[ast.stmt], before: Sequence[ast.stmt], namespace: Mapping[str, object]
) -> tuple[ast.stmt, ...]:
    """The statements without a KeyError of a dict that begins as a plain one."""
    if "KeyError" in Names([*before, *body]).stored or "KeyError" in namespace:
        return tuple(body)
    return tuple(_block(body, _plain_dicts(before)))


def _plain_dicts(before: Sequence[ast.stmt]) -> set[str]:
    """Names that are bound to an empty dict before the loop, and to nothing else."""
    found: set[str] = set()
    for statement in before:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[])):
                found.add(name)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(
                names
            ) == len(values):
                pairs = zip(names, values, strict=True)
                found -= Names(names).stored
                found |= {n.id for n, v in pairs if isinstance(n, ast.Name) and _is_empty(v)}
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=[])):
                found.add(name)
            case _:
                found -= Names([statement]).stored
    return found


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and not node.keys


def _block(body: Iterable[ast.stmt], dicts: set[str]) -> list[ast.stmt]:
    return [_statement(statement, dicts) for statement in body]


def _statement(node: ast.stmt, dicts: set[str]) -> ast.stmt:
    match node:
        case ast.If(body=body, orelse=orelse):
            clone = copy.copy(node)
            clone.body, clone.orelse = _block(body, dicts), _block(orelse, dicts)
            return clone
        case ast.For(body=body):
            clone = copy.copy(node)
            clone.body = _block(body, dicts)
            return clone
        case ast.Try(
            body=[first],
            handlers=[ast.ExceptHandler(type=ast.Name(id="KeyError"), name=None, body=[second])],
            orelse=[],
            finalbody=[],
        ):
            made = _added(first, second, dicts) or _appended(first, second, dicts)
            return (
                node if made is None else ast.fix_missing_locations(ast.copy_location(made, node))
            )
        case _:
            return node


def _added(first: ast.stmt, second: ast.stmt, dicts: set[str]) -> ast.stmt | None:
    """try: d[k] += x except KeyError: d[k] = y."""
    match first, second:
        case (
            ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=key), value=added),
            ast.Assign(targets=[ast.Subscript() as target], value=put),
        ) if name in dicts and _same(first.target, target) and is_stable(key):
            same = is_stable(added) and ast.unparse(added) == ast.unparse(put)
            if isinstance(added, ast.Constant | ast.Name) or same:
                test = ast.Compare(key, [ast.In()], [ast.Name(name, ast.Load())])
                return ast.If(copy.deepcopy(test), [first], [second])
        case _:
            pass
    return None


def _appended(first: ast.stmt, second: ast.stmt, dicts: set[str]) -> ast.stmt | None:
    """try: d[k].append(x) except KeyError: d[k] = [x]."""
    match first, second:
        case (
            ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(
                        value=ast.Subscript(value=ast.Name(id=name), slice=key) as place,
                        attr="append",
                    ),
                    args=[added],
                    keywords=[],
                )
            ),
            ast.Assign(targets=[ast.Subscript() as target], value=ast.List(elts=[put])),
        ) if name in dicts and _same(place, target) and is_stable(key) and is_stable(added):
            if ast.unparse(added) != ast.unparse(put):
                return None
            get = ast.Attribute(ast.Name(name, ast.Load()), "setdefault", ast.Load())
            found = ast.Call(get, [key, ast.List([], ast.Load())], [])
            append = ast.Attribute(found, "append", ast.Load())
            return ast.Expr(ast.Call(append, [added], []))
        case _:
            return None


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)
