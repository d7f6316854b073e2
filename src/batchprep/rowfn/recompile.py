"""From a node back to its code object: a function compiled again in its surroundings."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import threading
import types
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

FUTURE_FLAGS: Final = functools.reduce(
    lambda flags, name: flags | cast("int", getattr(__future__, name).compiler_flag),
    __future__.all_feature_names,
    0,
)
# catch_warnings swaps a global: two threads must not interleave in it.
_QUIET = threading.Lock()


@dataclass(frozen=True)
class Candidate:
    """A function of a file, the statement of the module it lies in and the functions around it."""

    node: FunctionNode
    statement: ast.stmt
    enclosing: tuple[FunctionNode, ...]


def first_line(node: FunctionNode) -> int:
    """The line that the code object names as its first: the first decorator's."""
    if isinstance(node, ast.Lambda) or not node.decorator_list:
        return node.lineno
    return node.decorator_list[0].lineno


def compiled(
    candidate: Candidate, like: types.CodeType, beside: tuple[ast.stmt, ...]
) -> types.CodeType | None:
    """The code object of a candidate, compiled in its surroundings with the flags of another."""
    kept = frozenset(map(id, candidate.enclosing))
    try:
        statement = cast("ast.stmt", _pruned(candidate.statement, candidate.node, kept))
        module = ast.Module([statement, *beside], type_ignores=[])
        flags = like.co_flags & FUTURE_FLAGS | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        with quietly():
            whole = compile(module, like.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    key = (like.co_name, like.co_firstlineno)
    return next((c for c in _codes(whole) if (c.co_name, c.co_firstlineno) == key), None)


def _pruned(node: ast.AST, target: FunctionNode, kept: frozenset[int]) -> ast.AST:
    """A copy in which the target is the first function of its name and line.

    Functions beside the target lose their bodies, which cannot change its code, and other lambdas
    move to the next line. Scopes around it stay: they decide which names are closures.
    """
    if node is target and not isinstance(node, ast.Lambda):
        return node
    clone = copy.copy(node)
    if isinstance(clone, FunctionNode) and node is not target and id(node) not in kept:
        _empty(clone)
    for name, value in ast.iter_fields(clone):
        if node is target and name == "body":
            continue
        if isinstance(value, ast.AST):
            setattr(clone, name, _pruned(value, target, kept))
        elif isinstance(value, list):
            items = cast("list[object]", value)
            setattr(clone, name, [_pruned_item(item, target, kept) for item in items])
    if isinstance(clone, ast.Lambda) and node is not target:
        clone.lineno = clone.end_lineno = first_line(target) + 1
        clone.col_offset = clone.end_col_offset = 0
    return clone


def _pruned_item(item: object, target: FunctionNode, kept: frozenset[int]) -> object:
    return _pruned(item, target, kept) if isinstance(item, ast.AST) else item


def _empty(function: FunctionNode) -> None:
    if isinstance(function, ast.Lambda):
        function.body = ast.copy_location(ast.Constant(None), function.body)
    else:
        function.body = [ast.copy_location(ast.Pass(), function.body[0])]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and all within it, outer ones first."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _bare(code: types.CodeType) -> types.CodeType:
    """The code without its columns, which are compared apart: Python may run without them."""
    constants = tuple(_bare(c) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=constants)


def same_code(code: types.CodeType | None, other: types.CodeType) -> bool:
    """Whether two code objects do the same at the same places."""
    return code is not None and _bare(code) == _bare(other) and _same_places(code, other)


def _same_places(code: types.CodeType, other: types.CodeType) -> bool:
    return all(
        mine[0] == theirs[0] and (None in mine or None in theirs or mine == theirs)
        for one, two in zip(_codes(code), _codes(other), strict=True)
        for mine, theirs in zip(one.co_positions(), two.co_positions(), strict=True)
    )


@contextmanager
def quietly() -> Generator[None]:
    """A block in which Python does not warn again about code that it has compiled before."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
