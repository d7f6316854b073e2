"""The one loop of a function over its records, found in its source."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from batchprep.errors import Unsupported
from batchprep.loops import messages
from batchprep.loops.earlier import Read, told_of_earlier
from batchprep.loops.names import Names, carried
from batchprep.loops.writes import NOW, RECORD, apart, writes_into
from batchprep.rowfn.source import FunctionSource

Form = Literal["records", "enumerate", "range", "pairs", "pairwise"]
Text = tuple[str, str]

PAIRED: Final = ("pairs", "pairwise")  # zip(records, records[1:]), pairwise(records)
ROW: Final = "batchprep_row"  # the record of a loop over range(len(records))
BEFORE: Final = "batchprep_earlier"  # and records[i - 1]
# What makes another function of it, or another scope in it.
REFUSED: Final[dict[type[ast.AST], str]] = {
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.FunctionDef: "a function",
    ast.AsyncFunctionDef: "a function",
    ast.ClassDef: "a class",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Delete: "del",
}


CAPTURING = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.GeneratorExp


@dataclass(frozen=True)
class Loop:
    """A function's loop over its records.

    body     its statements with `row` as the name of the record, whatever the form
    row      that name
    index    the name of the row's number, in an enumerate or a range
    start    what enumerate counts from, or the range begins with
    states   names whose values go from row to row or out of the loop
    measured whether the records are used elsewhere too, for their length alone
    writes   whether it writes into its records, and `augmented` the keys that it adds to
    given    names that are given of each record beside its number
    earlier  which of them are of the record before
    """

    source: FunctionSource
    node: ast.FunctionDef
    parameter: str
    position: int
    loop: ast.For
    form: Form
    body: tuple[ast.stmt, ...]
    row: str
    index: str | None
    start: ast.expr | None
    states: frozenset[str]
    measured: bool
    writes: bool = False
    augmented: frozenset[str] = frozenset()
    given: tuple[str, ...] = ()
    earlier: tuple[Read, ...] = ()

    @property
    def skipped(self) -> int:
        """How many records have no round of their own: they are only before another."""
        return int(self.form in PAIRED or (self.form == "range" and self.start is not None))

    def refuse(self, text: Text, node: ast.AST | None = None, what: str = "") -> NoReturn:
        """Raise the verdict with its place."""
        raise _verdict(self.source, text, node or self.loop, self.parameter, self.in_words(what))

    def in_words(self, text: str) -> str:
        """A text without names that were made for the loop."""
        record = self.row if self.row != ROW else f"{self.parameter}[{self.index}]"
        return text.replace(NOW, record).replace(RECORD, record).replace(ROW, record)


def find_loop(source: FunctionSource, parameter: str | None) -> Loop:
    """The loop over the records in that parameter.

    Errors:  Unsupported, with reason and place, where there is no such loop or it has a form or
             a statement that is not compiled
    """
    node = source.node
    if isinstance(node, ast.Lambda):
        raise _verdict(source, messages.NOT_A_FUNCTION, node, "records")
    if parameter is None:
        raise _verdict(source, messages.NO_PARAMETER, node, "records")
    finder = _Finder(source, node, parameter)
    return finder.found()


class _Finder:
    def __init__(self, source: FunctionSource, node: ast.FunctionDef, parameter: str) -> None:
        self.source = source
        self.node = node
        self.parameter = parameter

    def found(self) -> Loop:
        position, loop = self.loop()
        form, row, index, start = self.target(loop)
        body = [copy.deepcopy(statement) for statement in loop.body]
        if form == "range":
            assert index is not None  # noqa: S101  a range has one
            body = [_RecordOfIndex(self.parameter, index).visit(s) for s in body]
        body, reads = self.earlier(loop, form, row, body)
        before, after = self.node.body[:position], self.node.body[position + 1 :]
        self.check_private()
        self.check_body(body)
        self.check_uses(loop, body)
        augmented = frozenset[str]()
        writes = writes_into(body, row)
        if writes:
            body, augmented = apart(body, row, lambda n: self.refuse(messages.WRITES_RECORD, n))
        targets = {row, index, *Names([loop.target]).stored} - {None}
        states = self.states(body, [*loop.orelse, *after], set(map(str, targets)))
        self.check_states(before, states & Names(body).written, body)
        self.check_captured(before, states)
        return Loop(
            self.source, self.node, self.parameter, position, loop, form, tuple(body), row, index,
            start, frozenset(states), self.only_measured([*before, *loop.orelse, *after]),
            writes, augmented, tuple(read.name for read in reads), reads,
        )  # fmt: skip

    def earlier(
        self, loop: ast.For, form: Form, row: str, body: list[ast.stmt]
    ) -> tuple[list[ast.stmt], tuple[Read, ...]]:
        """The statements with what they ask the record before as names."""
        match form, loop.target:
            case (("pairs" | "pairwise"), ast.Tuple(elts=[ast.Name(id=name), _])):
                pass
            case _:
                name = BEFORE
        if name in Names(body).written:
            self.refuse(messages.WRITES_RECORD, _first_writing(body, name))
        told, reads = told_of_earlier(body, name)
        asked = {read.key for read in reads}
        if writes_into(body, row) and (None in asked or asked & _written_keys(body, row)):
            self.refuse(messages.WRITES_RECORD, _first_writing(body, row))
        return told, reads

    def refuse(self, text: Text, node: ast.AST, what: str = "") -> NoReturn:
        raise _verdict(self.source, text, node, self.parameter, what)

    def loop(self) -> tuple[int, ast.For]:
        """The statement that goes over the records."""
        for position, statement in enumerate(self.node.body):
            if isinstance(statement, ast.For):
                if _iterates(statement.iter, self.parameter):
                    if self.parameter in Names(self.node.body[:position]).stored:
                        self.refuse(messages.REBOUND, statement)
                    return position, statement
                if self.parameter in Names([statement.iter]).loaded:
                    self.refuse(messages.OTHER_ITERABLE, statement.iter)
        for node in ast.walk(self.node):
            if isinstance(node, ast.For) and _iterates(node.iter, self.parameter):
                self.refuse(messages.BETWEEN, node)
        self.refuse(messages.NO_LOOP, self.node)

    def target(self, loop: ast.For) -> tuple[Form, str, str | None, ast.expr | None]:
        match loop.target, loop.iter:
            case ast.Name(id=row), ast.Name():
                return "records", row, None, None
            case (
                ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=row)]),
                ast.Call(func=ast.Name(id="enumerate")) as call,
            ):
                return "enumerate", row, index, _start(call)
            case ast.Name(id=index), ast.Call(func=ast.Name(id="range"), args=args):
                return "range", ROW, index, args[0] if len(args) > 1 else None
            case ast.Tuple(elts=[ast.Name(), ast.Name(id=row)]), ast.Call(func=ast.Name(id="zip")):
                return "pairs", row, None, None
            case ast.Tuple(elts=[ast.Name(), ast.Name(id=row)]), ast.Call():
                return "pairwise", row, None, None
            case _:
                self.refuse(messages.TARGET, loop.target)

    def check_body(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            for node in ast.walk(statement):
                if type(node) in REFUSED:
                    self.refuse(messages.NOT_IN_A_LOOP, node, REFUSED[type(node)])

    def check_private(self) -> None:
        """A class spells its private names otherwise, and these functions stand outside of it."""
        for node in ast.walk(self.node):
            name = getattr(node, "attr", None) or getattr(node, "id", None)
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                self.refuse(messages.PRIVATE, node, name)

    def check_uses(self, loop: ast.For, body: Sequence[ast.stmt]) -> None:
        """The records themselves may be handed back or measured, but not gone over again."""
        if self.parameter in Names(body).all:
            self.refuse(messages.TWO_LOOPS, loop)

    def only_measured(self, statements: Sequence[ast.stmt]) -> bool:
        """Whether nothing but the number of records is asked for."""
        uses = sum(_is_name(n, self.parameter) for s in statements for n in ast.walk(s))
        return uses == sum(1 for s in statements for _ in _measures(s, self.parameter))

    def states(self, body: list[ast.stmt], after: list[ast.stmt], targets: set[str]) -> set[str]:
        names, later = Names(body), Names(after)
        for target in sorted(targets):
            if target in later.loaded or target in names.stored | names.written:
                self.refuse(messages.TARGET_AFTER, self.node, target)
        going_on = carried(body, targets) | (names.stored & later.all)
        return going_on | (names.written - names.stored - {RECORD})

    def check_states(
        self, before: list[ast.stmt], changed: set[str], body: Sequence[ast.stmt]
    ) -> None:
        """What the loop changes in place must be the function's own, under one name."""
        made = Names(before).stored
        parameters = {a.arg for a in ast.walk(self.node.args) if isinstance(a, ast.arg)}
        for name in sorted(changed):
            if name not in made or name in parameters:
                self.refuse(messages.OUTER_STATE, _first_writing(body, name), name)
            for statement in before:
                if _hands_on(statement, name):
                    self.refuse(messages.ALIASED, statement, name)

    def check_captured(self, before: list[ast.stmt], states: set[str]) -> None:
        """A function made before the loop may read its state at any time."""
        for statement in before:
            for node in ast.walk(statement):
                captured = isinstance(node, CAPTURING) and Names([node]).all & states
                if captured:
                    self.refuse(messages.ALIASED, node, min(captured))


class _RecordOfIndex(ast.NodeTransformer):
    """records[i] and records[i - 1] -> the names of these records."""

    def __init__(self, records: str, index: str) -> None:
        self.records = records
        self.index = index

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=self.records), slice=ast.Name(id=self.index)):
                return ast.copy_location(ast.Name(ROW, node.ctx), node)
            case ast.Subscript(
                value=ast.Name(id=self.records),
                slice=ast.BinOp(
                    left=ast.Name(id=self.index), op=ast.Sub(), right=ast.Constant(value=1)
                ),
            ):
                return ast.copy_location(ast.Name(BEFORE, node.ctx), node)
            case _:
                return self.generic_visit(node)


def _written_keys(body: Sequence[ast.stmt], row: str) -> set[str | None]:
    found: set[str | None] = set()
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.Subscript(
                    value=ast.Name(id=name), slice=ast.Constant(value=str() as key), ctx=ast.Store()
                ) if name == row:
                    found.add(key)
                case _:
                    pass
    return found


def _iterates(node: ast.expr, records: str) -> bool:
    match node:
        case ast.Name(id=name):
            return name == records
        case ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=name), *more]):
            return name == records and len(more) + len(node.keywords) <= 1
        case ast.Call(
            func=ast.Name(id="range"),
            args=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])]
            | [ast.Constant(value=1), ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])],
            keywords=[],
        ):
            return name == records
        case ast.Call(
            func=ast.Name(id="pairwise") | ast.Attribute(attr="pairwise"),
            args=[ast.Name(id=name)],
            keywords=[],
        ):
            return name == records
        case ast.Call(
            func=ast.Name(id="zip"),
            args=[
                ast.Name(id=name),
                ast.Subscript(
                    value=ast.Name(id=second),
                    slice=ast.Slice(lower=ast.Constant(value=1), upper=None, step=None),
                ),
            ],
            keywords=[],
        ):
            return name == second == records
        case _:
            return False


def _start(call: ast.Call) -> ast.expr | None:
    return next(iter([*call.args[1:], *(k.value for k in call.keywords)]), None)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _measures(statement: ast.stmt, records: str) -> Iterator[ast.AST]:
    """Uses of the records that ask for their number alone: len(records), if not records."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Name(id="len" | "bool"), args=[ast.Name(id=name)]) | (
                ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name))
            ):
                if name == records:
                    yield node
            case ast.If(test=ast.Name(id=name)) | ast.IfExp(test=ast.Name(id=name)):
                if name == records:
                    yield node
            case _:
                pass


def _first_writing(body: Sequence[ast.stmt], name: str) -> ast.AST:
    """The smallest statement that writes into what a name stands for."""
    writing = [
        node
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.stmt) and name in Names([node]).written
    ]
    return min(writing, key=lambda node: (node.end_lineno or node.lineno) - node.lineno)


def _hands_on(statement: ast.stmt, name: str) -> bool:
    """Whether a statement before the loop gives a state a second name or place."""
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Tuple()], value=value):
            return name in Names([value]).loaded
        case ast.Assign(targets=targets, value=value):
            named = Names(targets).stored
            return (len(targets) > 1 and name in named) or name in Names([value]).loaded
        case ast.AnnAssign(value=value):
            return value is not None and name in Names([value]).loaded
        case ast.Expr(value=ast.Call(func=func, args=args, keywords=keywords)):
            return name in Names([*args, *keywords]).loaded and name not in Names([func]).all
        case _:
            return False


def _verdict(
    source: FunctionSource, text: Text, node: ast.AST, parameter: str, what: str = ""
) -> Unsupported:
    reason, hint = (
        part.format(name=source.function, parameter=parameter, what=what) for part in text
    )
    return Unsupported(reason, source.span(node), hint)
