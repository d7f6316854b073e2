"""Steps of a loop one after the other, row by row, as functions over columns."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from batchprep.loops.made import bound_in, defined, flags_of, function_of, in_module, placed
from batchprep.loops.names import Names
from batchprep.loops.split import Split, Step, slot_name

UNBOUND: Final = "batchprep_unbound"
NUMBER: Final = "batchprep_number"
REACHED: Final = "batchprep_reached"
COLUMNS: Final = "batchprep_columns"
AFTER: Final = "batchprep_after"


class Unbound:
    """What stands for a name that has no value yet."""


@dataclass(frozen=True)
class StepsInOrder:
    """Steps one after the other, row by row.

    function  takes for each of `steps` whether a row reaches it, then its slots, as columns; gives
              the place of the row that ended the loop, whether it returns, what, and all names
    """

    function: FunctionType
    steps: tuple[Step, ...]
    names: tuple[str, ...]


def sequence(function: FunctionType, split: Split, steps: Sequence[Step]) -> StepsInOrder:
    """The function that runs some steps in sequence."""
    loop = split.loop
    statements = [statement for step in steps for statement in step.statements]
    slots = {slot_name(key) for step in split.steps for key in step.slots}
    inside = Names(statements).all - slots
    names = sorted((bound_in(loop) | set(split.tainted)) & inside)
    targets = [f"{NUMBER}", *(name for step in steps for name in step_columns(step))]
    body: list[ast.stmt] = [_unbind(name) for name in names]
    body.append(
        ast.For(
            ast.Tuple([ast.Name(name, ast.Store()) for name in targets], ast.Store()),
            ast.Name(COLUMNS, ast.Load()),
            [_reached(step) for step in steps],
            [],
        )
    )
    body.append(_gives(ast.Constant(None), returns=False, value=None))
    definition = defined(loop.node.name, [COLUMNS, UNBOUND], names, body)
    ast.copy_location(definition, loop.loop)
    tree = placed(in_module(definition, function.__code__.co_freevars))
    code = compile(tree, loop.source.file, "exec", flags_of(function), dont_inherit=True)
    return StepsInOrder(function_of(code, function), tuple(steps), tuple(names))


def carrying(function: FunctionType, split: Split, told: Sequence[str]) -> StepsInOrder:
    """The steps of a loop in sequence, as a function that gives these names after each row.

    Those that no step gives a value are None.
    """
    steps = split.steps
    statements = [statement for step in steps for statement in step.statements]
    slots = {slot_name(key) for step in steps for key in step.slots}
    inside = Names(statements).all - slots
    names = sorted((bound_in(split.loop) | set(split.tainted)) & inside)
    targets = [NUMBER, *(name for step in steps for name in step_columns(step))]
    taps = [name for name in told if name not in split.loop.states]
    note = ast.parse(f"{AFTER}.append(({''.join(f'{name}, ' for name in told)}))").body[0]
    body: list[ast.stmt] = [
        *(_unbind(name) for name in names),
        *ast.parse(f"{AFTER} = []").body,
        ast.For(
            ast.Tuple([ast.Name(name, ast.Store()) for name in targets], ast.Store()),
            ast.Name(COLUMNS, ast.Load()),
            [
                *(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in taps),
                *(_Noting(note).visit(_reached(step)) for step in steps),
                note,
            ],
            [],
        ),
        ast.Return(ast.Name(AFTER, ast.Load())),
    ]
    definition = defined(split.loop.node.name, [COLUMNS, UNBOUND], names, body)
    ast.copy_location(definition, split.loop.loop)
    tree = placed(in_module(definition, function.__code__.co_freevars))
    code = compile(tree, split.loop.source.file, "exec", flags_of(function), dont_inherit=True)
    return StepsInOrder(function_of(code, function), tuple(steps), tuple(names))


class _Noting(ast.NodeTransformer):
    """continue -> the note of a row, and on; those of inner loops stay."""

    def __init__(self, note: ast.stmt) -> None:
        self.note = note

    def visit_For(self, node: ast.For) -> ast.AST:
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_Continue(self, node: ast.Continue) -> Any:
        return [ast.copy_location(copy.deepcopy(self.note), node), node]


def step_columns(step: Step) -> list[str]:
    """The names of a step's columns: whether it is reached, and its slots."""
    return [f"{REACHED}{step.number}", *map(slot_name, step.slots)]


def _unbind(name: str) -> ast.stmt:
    test = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Name(UNBOUND, ast.Load())])
    return ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], [])


def _reached(step: Step) -> ast.stmt:
    statements = [_Ending().visit(copy.deepcopy(statement)) for statement in step.statements]
    test = ast.Name(f"{REACHED}{step.number}", ast.Load())
    return ast.copy_location(ast.If(test, statements, []), step.original)


def _gives(row: ast.expr, *, returns: bool, value: ast.expr | None) -> ast.Return:
    names = ast.Call(ast.Name("locals", ast.Load()), [], [])
    parts = [row, ast.Constant(returns), value or ast.Constant(None), names]
    return ast.Return(ast.Tuple(parts, ast.Load()))


class _Ending(ast.NodeTransformer):
    """break and return -> what tells of them; those of inner loops stay."""

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._inner(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._inner(node)

    def _inner(self, node: ast.For | ast.While) -> ast.AST:
        node.body = [_Returning().visit(statement) for statement in node.body]
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_Break(self, node: ast.Break) -> ast.AST:
        ending = _gives(ast.Name(NUMBER, ast.Load()), returns=False, value=None)
        return ast.copy_location(ending, node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        ending = _gives(ast.Name(NUMBER, ast.Load()), returns=True, value=node.value)
        return ast.copy_location(ending, node)


class _Returning(ast.NodeTransformer):
    """Only return: a break belongs to the loop around it."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        return _Ending().visit_Return(node)
