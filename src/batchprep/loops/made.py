"""Functions made of the user's statements, with the globals and the closure of the user's own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from types import CellType, CodeType, FunctionType

from batchprep.loops.loop import Loop
from batchprep.loops.names import Names
from batchprep.rowfn.recompile import FUTURE_FLAGS


def bound_in(loop: Loop) -> set[str]:
    """The local names of the function beside those that only its loop binds."""
    arguments = {a.arg for a in ast.walk(loop.node.args) if isinstance(a, ast.arg)}
    others = [*loop.node.body[: loop.position], *loop.node.body[loop.position + 1 :]]
    return arguments | Names([*others, *loop.loop.orelse]).stored


def locals_read(loop: Loop, statements: Iterable[ast.stmt]) -> set[str]:
    """Local names of the function that statements of its loop read and do not bind."""
    names = Names(statements)
    return (names.loaded & bound_in(loop)) - names.stored


def defined(
    name: str, first: Sequence[str], named: Sequence[str], body: list[ast.stmt]
) -> ast.FunctionDef:
    """A function of that body, whose further arguments are given by name."""
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(argument) for argument in first],
        vararg=None,
        kwonlyargs=[ast.arg(argument) for argument in named],
        kw_defaults=[None] * len(named),
        kwarg=None,
        defaults=[],
    )
    made = ast.parse("def placeholder(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)  # noqa: S101  that is what was parsed
    made.name, made.args, made.body = name, arguments, body
    return made


def in_module(definition: ast.FunctionDef, free: Sequence[str]) -> ast.Module:
    """A module with the function, inside of one that binds its free names."""
    outer = defined("batchprep_outer", list(free), [], [definition])
    return ast.Module([outer], type_ignores=[])


def placed(tree: ast.Module) -> ast.Module:
    """The tree with a place for every node."""
    ast.fix_missing_locations(tree)
    return tree


def flags_of(function: FunctionType) -> int:
    """What a function's module has imported from __future__, for compile()."""
    return function.__code__.co_flags & FUTURE_FLAGS


def function_of(
    module: CodeType, like: FunctionType, more: Mapping[str, CellType] | None = None
) -> FunctionType:
    """The function in a module, with the globals, closure and defaults of the user's."""
    outer = next(c for c in module.co_consts if isinstance(c, CodeType))
    code = next(c for c in outer.co_consts if isinstance(c, CodeType))
    cells = dict(zip(like.__code__.co_freevars, like.__closure__ or (), strict=True))
    cells.update(more or {})
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, like.__globals__, like.__name__, like.__defaults__, closure)
    made.__kwdefaults__ = like.__kwdefaults__
    made.__qualname__ = like.__qualname__
    return made
