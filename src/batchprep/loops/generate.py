"""The parts of a loop as functions: the row part, the steps in sequence, and the whole around them.

All of them are the user's own statements in other places, with their own files and lines, so that
a traceback shows what the user wrote. Only the row part is a new text: the front end reads it, and
a verdict on it is told of the statement that it came from.
"""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any, Final, Literal

from batchprep.errors import Span, Unsupported
from batchprep.loops.loop import Loop
from batchprep.loops.names import Names
from batchprep.loops.noted import noted_behind
from batchprep.loops.split import STEPS, Split, Step, slot_name
from batchprep.rowfn.chain import FOLDER
from batchprep.rowfn.recompile import FUTURE_FLAGS

GIVEN: Final = "batchprep_given_"  # of fields that no record has: numbers and earlier states
RUN: Final = "batchprep_run"
OUTCOME: Final = "batchprep_outcome"
UNBOUND: Final = "batchprep_unbound"
NUMBER: Final = "batchprep_number"
REACHED: Final = "batchprep_reached"
COLUMNS: Final = "batchprep_columns"
AFTER: Final = "batchprep_after"

Variant = Literal["mapping", "attributes", "interpreted"]
_numbers = itertools.count(1)


class Unbound:
    """What stands for a name that has no value yet."""


@dataclass(frozen=True)
class RowPart:
    """The row part as a function of one record, and the places that its text came from."""

    function: FunctionType
    constants: frozenset[str]
    loop: Loop
    origins: Mapping[tuple[int, int], ast.AST]

    def told_of_source(self, verdict: Unsupported) -> Unsupported:
        """The verdict with the place in the user's own text."""
        span = verdict.span
        if span is None or span.file != self.function.__code__.co_filename:
            return verdict
        origin = self.origins.get((span.line, span.column), self.loop.loop)
        place: Span = self.loop.source.span(origin)
        return Unsupported(verdict.reason, place, verdict.hint)


def row_part(
    function: FunctionType, split: Split, variant: Variant, only: Step | None = None
) -> RowPart:
    """The row part, for one step or for all of them.

    The number of its row and the states that are resolved are fields of the record or, where it
    is interpreted, arguments.
    """
    loop = split.loop
    given = sorted({*split.resolved, *loop.given, *([loop.index] if loop.index else ())})
    statements = list(split.row_part) if only is None else _for_one(split.row_part, only)
    constants = _locals_read(loop, statements) - {loop.row, *given}
    if variant != "interpreted":
        statements = noted_behind(statements, loop.row)
    named = sorted(constants)
    body: list[ast.stmt] = [ast.Assign([ast.Name(STEPS, ast.Store())], ast.Dict([], []))]
    if variant == "interpreted":
        named += given
    else:
        body[:0] = [
            ast.Assign([ast.Name(name, ast.Store())], _read(loop.row, name, variant))
            for name in given
        ]
    definition = _definition(loop.node.name, [loop.row], named, [*body, *statements])
    ast.copy_location(definition, loop.loop)
    tree = _placed(_module(definition, function.__code__.co_freevars))
    text = ast.unparse(tree)
    file = str(FOLDER / f"<loop {next(_numbers)}>")
    made = _function(compile(text, file, "exec", _flags(function), dont_inherit=True), function)
    lines = text.splitlines(keepends=True)
    # No modification time: linecache keeps what no file on disk can be newer than.
    linecache.cache[file] = (len(text), None, lines, file)
    weakref.finalize(made, linecache.cache.pop, file, None)
    return RowPart(made, frozenset(constants), loop, _origins(tree, text, lines))


def _read(row: str, name: str, variant: Variant) -> ast.expr:
    record, field = ast.Name(row, ast.Load()), f"{GIVEN}{name}"
    if variant == "attributes":
        return ast.Attribute(record, field, ast.Load())
    return ast.Subscript(record, ast.Constant(field), ast.Load())


def _for_one(statements: Iterable[ast.stmt], step: Step) -> list[ast.stmt]:
    """The row part without what it notes of other steps."""
    keep = _Notes({*step.slots, step.key})
    return [keep.visit(copy.deepcopy(statement)) for statement in statements]


class _Notes(ast.NodeTransformer):
    def __init__(self, keys: set[str]) -> None:
        self.keys = keys

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets[0]:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)):
                return ast.Pass() if name == STEPS and key not in self.keys else node
            case _:
                return node


def _origins(
    tree: ast.Module, text: str, lines: Sequence[str]
) -> Mapping[tuple[int, int], ast.AST]:
    """For the place of each node in the text, the node that was written there."""
    pairs = list(zip(ast.walk(ast.parse(text)), ast.walk(tree), strict=False))
    if not all(type(one) is type(other) for one, other in pairs):
        return {}
    origins: dict[tuple[int, int], ast.AST] = {}
    for new, old in pairs:
        if isinstance(new, ast.expr | ast.stmt):
            line = lines[new.lineno - 1].encode()
            origins.setdefault((new.lineno, len(line[: new.col_offset].decode())), old)
    return origins


# ------------------------------------------------------------------------------ steps in sequence


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
    names = sorted((_bound_in(loop) | set(split.tainted)) & inside)
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
    definition = _definition(loop.node.name, [COLUMNS, UNBOUND], names, body)
    ast.copy_location(definition, loop.loop)
    tree = _placed(_module(definition, function.__code__.co_freevars))
    code = compile(tree, loop.source.file, "exec", _flags(function), dont_inherit=True)
    return StepsInOrder(_function(code, function), tuple(steps), tuple(names))


def carrying(function: FunctionType, split: Split, told: Sequence[str]) -> StepsInOrder:
    """The steps of a loop in sequence, as a function that gives these names after each row.

    Those that no step gives a value are None.
    """
    steps = split.steps
    statements = [statement for step in steps for statement in step.statements]
    slots = {slot_name(key) for step in steps for key in step.slots}
    inside = Names(statements).all - slots
    names = sorted((_bound_in(split.loop) | set(split.tainted)) & inside)
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
    definition = _definition(split.loop.node.name, [COLUMNS, UNBOUND], names, body)
    ast.copy_location(definition, split.loop.loop)
    tree = _placed(_module(definition, function.__code__.co_freevars))
    code = compile(tree, split.loop.source.file, "exec", _flags(function), dont_inherit=True)
    return StepsInOrder(_function(code, function), tuple(steps), tuple(names))


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


# ------------------------------------------------------------------------------ the whole function


def driver(function: FunctionType, split: Split) -> Callable[[Any], FunctionType]:
    """What makes the function whose loop is done by a call of what it is made with.

    The call gets the local names and gives an Outcome. Where that is not finished, the loop as it
    was written goes over the rest.
    """
    loop = split.loop
    node = copy.deepcopy(loop.node)
    node.decorator_list = []
    written = node.body[loop.position]
    assert isinstance(written, ast.For)  # noqa: S101  it is the loop
    node.body[loop.position : loop.position + 1] = [
        ast.copy_location(statement, written) for statement in _around(written, split)
    ]
    tree = _placed(_module(node, [*function.__code__.co_freevars, RUN]))
    whole = compile(tree, loop.source.file, "exec", _flags(function), dont_inherit=True)
    return lambda run: _function(whole, function, {RUN: CellType(run)})


def _around(loop: ast.For, split: Split) -> list[ast.stmt]:
    def told(name: str) -> ast.expr:
        return ast.Attribute(ast.Name(OUTCOME, ast.Load()), name, ast.Load())

    call = ast.Call(
        ast.Name(RUN, ast.Load()), [ast.Call(ast.Name("locals", ast.Load()), [], [])], []
    )
    statements: list[ast.stmt] = [ast.Assign([ast.Name(OUTCOME, ast.Store())], call)]
    for name in sorted(split.loop.states):
        has = ast.Compare(ast.Constant(name), [ast.In()], [told("names")])
        value = ast.Subscript(told("names"), ast.Constant(name), ast.Load())
        statements.append(ast.If(has, [ast.Assign([ast.Name(name, ast.Store())], value)], []))
    finished: list[ast.stmt] = [ast.If(told("returned"), [ast.Return(told("value"))], [])]
    if loop.orelse:
        finished.append(
            ast.If(ast.UnaryOp(ast.Not(), told("ended")), copy.deepcopy(loop.orelse), [])
        )
    loop.iter = ast.copy_location(told("rest"), loop.iter)
    return [*statements, ast.If(told("finished"), finished, [loop])]


# ----------------------------------------------------------------------------------------- pieces


def _bound_in(loop: Loop) -> set[str]:
    """The local names of the function beside those that only its loop binds."""
    arguments = {a.arg for a in ast.walk(loop.node.args) if isinstance(a, ast.arg)}
    others = [*loop.node.body[: loop.position], *loop.node.body[loop.position + 1 :]]
    return arguments | Names([*others, *loop.loop.orelse]).stored


def _locals_read(loop: Loop, statements: Iterable[ast.stmt]) -> set[str]:
    """Local names of the function that statements of its loop read and do not bind."""
    names = Names(statements)
    return (names.loaded & _bound_in(loop)) - names.stored


def _definition(
    name: str, first: Sequence[str], named: Sequence[str], body: list[ast.stmt]
) -> ast.FunctionDef:
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


def _module(definition: ast.FunctionDef, free: Sequence[str]) -> ast.Module:
    """A module with the function, inside of one that binds its free names."""
    outer = _definition("batchprep_outer", list(free), [], [definition])
    return ast.Module([outer], type_ignores=[])


def _placed(tree: ast.Module) -> ast.Module:
    ast.fix_missing_locations(tree)
    return tree


def _flags(function: FunctionType) -> int:
    return function.__code__.co_flags & FUTURE_FLAGS


def _function(
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
