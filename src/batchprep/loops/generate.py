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
from dataclasses import dataclass, replace
from types import CellType, FunctionType
from typing import Any, Final, Literal

from batchprep.errors import Span, Unsupported
from batchprep.loops import messages
from batchprep.loops.loop import Loop
from batchprep.loops.made import (
    defined,
    flags_of,
    function_of,
    in_module,
    locals_read,
    placed,
)
from batchprep.loops.names import Names
from batchprep.loops.noted import ROUND, noted_behind
from batchprep.loops.split import STEPS, Split, Step
from batchprep.rowfn.chain import FOLDER
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.trace import Trace

GIVEN: Final = "batchprep_given_"  # of fields that no record has: numbers and earlier states
RUN: Final = "batchprep_run"
OUTCOME: Final = "batchprep_outcome"

Variant = Literal["mapping", "attributes", "interpreted"]
_numbers = itertools.count(1)


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
        reason = self.loop.in_words(verdict.reason)
        return Unsupported(reason, self.place(span), self.loop.in_words(verdict.hint))

    def place(self, span: Span) -> Span:
        """The user's own place of one in the text of the row part."""
        origin = self.origins.get((span.line, span.column), self.loop.loop)
        return self.loop.source.span(origin)

    def seams(self, trace: Trace) -> tuple[Seam, ...]:
        """The pieces that Python runs, with their places in the user's own text."""
        seams = (replace(seam, span=self.place(seam.span)) for seam in trace.seams)
        return tuple(replace(s, reason=messages.TRY) if s.what == ROUND else s for s in seams)


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
    constants = locals_read(loop, statements) - {loop.row, *given}
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
    definition = defined(loop.node.name, [loop.row], named, [*body, *statements])
    ast.copy_location(definition, loop.loop)
    tree = placed(in_module(definition, function.__code__.co_freevars))
    text = ast.unparse(tree)
    file = str(FOLDER / f"<loop {next(_numbers)}>")
    made = function_of(compile(text, file, "exec", flags_of(function), dont_inherit=True), function)
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
    tree = placed(in_module(node, [*function.__code__.co_freevars, RUN]))
    whole = compile(tree, loop.source.file, "exec", flags_of(function), dont_inherit=True)
    return lambda run: function_of(whole, function, {RUN: CellType(run)})


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


# --------------------------------------------------------------------------------- as it is written

ROWS: Final = "batchprep_rows"


def plain_loop(function: FunctionType, loop: Loop, bound: Iterable[str]) -> FunctionType:
    """The loop alone, as it is written: a function of what it goes over and of bound local names.

    It takes those of the names that the loop has, by keyword, and gives nothing.
    """
    written = copy.deepcopy(loop.loop)
    written.iter, written.orelse = ast.Name(ROWS, ast.Load()), []
    named = sorted(Names([loop.loop]).all.intersection(bound))
    definition = defined(loop.node.name, [ROWS], named, [written])
    tree = placed(in_module(definition, function.__code__.co_freevars))
    code = compile(tree, loop.source.file, "exec", flags_of(function), dont_inherit=True)
    return function_of(code, function)
