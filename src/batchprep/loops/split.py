"""A loop's body in two: what each row computes alone, and the steps that change the state.

    total = 0                          def row_part(row):            for s0 in column:
    for r in records:          ->          steps = {}                    total += s0
        if r["paid"]:                      if row["paid"]:
            total += r["price"]                steps["0.0"] = row["price"]
                                           return steps

A step is a statement of the user's with its parts that no state touches replaced by slots. Slots
are computed for all rows, also for those that a step before them would have left out: where that
raises, the loop itself runs.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from batchprep.loops import messages
from batchprep.loops.inner import Inner, candidates, depends, inner_loop, inner_loops
from batchprep.loops.loop import Loop
from batchprep.loops.names import COMPREHENSIONS, Names, comprehension_names
from batchprep.loops.stable import is_stable
from batchprep.loops.writes import RECORD

STEPS: Final = "batchprep_steps"
SLOT: Final = "batchprep_slot"
PARTS: Final = "batchprep_part"


@dataclass(frozen=True)
class Step:
    """A statement (or two that belong together) that reads or changes the state.

    slots       the expressions that the row part computes for it, by the names that stand for them
    caught      whether a try of the loop would catch what it raises
    controlled  whether a step before it decides that it is reached
    original    as the user wrote it
    repeated    keys of slots that the user's statement computes more than once
    inner       an inner loop that is gone over by itself; the slots are what that takes
    """

    number: int
    statements: tuple[ast.stmt, ...]
    slots: dict[str, ast.expr]
    caught: bool
    controlled: bool
    original: ast.stmt
    repeated: tuple[str, ...]
    inner: Inner | None = None

    @property
    def key(self) -> str:
        """The key that rows which reach the step have in what the row part gives."""
        return next(iter(self.slots), str(self.number))


@dataclass(frozen=True)
class Split:
    """The two parts of a loop's body.

    tainted   the names that only the steps know
    resolved  states whose value at the start of each row is known to the row part
    """

    loop: Loop
    row_part: tuple[ast.stmt, ...]
    steps: tuple[Step, ...]
    tainted: frozenset[str]
    resolved: frozenset[str]


def split(
    loop: Loop, resolved: frozenset[str] = frozenset(), together: Collection[int] = ()
) -> Split:
    """The loop's body taken apart, where some states are known at the start of each row.

    `together` are the inner loops, by id, that are steps as they stand.
    """
    inner = candidates(loop, together)
    while True:
        tainted = _tainted(loop, resolved, inner)
        alone = (n for n in inner_loops(loop.body) if not depends(n, tainted, loop.states))
        known = inner.intersection(map(id, alone))
        if known == inner:
            break
        inner = known
    splitter = _Splitter(loop, tainted, inner)
    row_part = splitter.block(list(loop.body), caught=False)
    steps = tuple(splitter.steps)
    return Split(loop, (*row_part, _give()), steps, frozenset(tainted), resolved)


def _tainted(loop: Loop, resolved: frozenset[str], inner: frozenset[int]) -> set[str]:
    """The other states, and every name that a step binds."""
    tainted, before = {*(loop.states - resolved), *([RECORD] if loop.writes else ())}, set[str]()
    while before != tainted:
        before = set(tainted)
        for statement in loop.body:
            _spread(statement, tainted, inner)
    return tainted


def _spread(statement: ast.stmt, tainted: set[str], inner: frozenset[int]) -> None:
    if id(statement) in inner or not is_step(statement, tainted):
        return
    header = _header(statement)
    if header is None or Names(header).all & tainted:
        names = Names([statement])
        tainted |= names.stored | names.written
        return
    for block in _blocks(statement):
        for one in block:
            _spread(one, tainted, inner)


def is_step(statement: ast.AST, tainted: set[str]) -> bool:
    """Whether it reads or changes the state, or ends the loop."""
    ends = any(isinstance(n, ast.Return) for n in ast.walk(statement)) or _breaks(statement)
    return ends or bool(Names([statement]).all & tainted)


def _breaks(node: ast.AST) -> bool:
    """Whether a break in it ends the loop itself."""
    if isinstance(node, ast.Break):
        return True
    if isinstance(node, ast.For | ast.While):
        return any(map(_breaks, node.orelse))
    return any(_breaks(c) for c in ast.iter_child_nodes(node) if not isinstance(c, ast.expr))


def _header(statement: ast.stmt) -> list[ast.AST] | None:
    """What a statement evaluates before its blocks; None where it must be moved as a whole."""
    match statement:
        case ast.If(test=test):
            return [test]
        case ast.With(items=items):
            return list(items)
        case ast.Match(subject=subject, cases=cases):
            return [subject, *(n for c in cases for n in (c.pattern, c.guard) if n)]
        case ast.Try(handlers=handlers):
            return [n for h in handlers for n in (h.type,) if n]
        case _:
            return None


def _blocks(statement: ast.stmt) -> Iterable[list[ast.stmt]]:
    match statement:
        case ast.If(body=body, orelse=orelse):
            return [body, orelse]
        case ast.With(body=body):
            return [body]
        case ast.Match(cases=cases):
            return [case.body for case in cases]
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
            return [body, *(handler.body for handler in handlers), orelse, last]
        case _:
            return []


class _Splitter:
    def __init__(self, loop: Loop, tainted: set[str], inner: frozenset[int]) -> None:
        self.loop = loop
        self.tainted = tainted
        self.inner = inner
        self.steps: list[Step] = []
        self.controlled = False
        rows = Names(loop.body).stored | {loop.row, loop.index or loop.row, *loop.given}
        self.of_row = rows - tainted

    def block(self, statements: Sequence[ast.stmt], *, caught: bool) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        left = list(statements)
        while left:
            statement = left.pop(0)
            if isinstance(statement, ast.For) and id(statement) in self.inner:
                made += self.inner_step(statement)
            elif is_step(statement, self.tainted) and self.movable(statement):
                together = [statement]
                if left and _belong_together(statement, left[0]):
                    together.append(left.pop(0))
                made += self.step(together, caught=caught)
            else:
                made.append(self.kept(statement, caught=caught))
        return made or [ast.Pass()]

    def movable(self, statement: ast.stmt) -> bool:
        header = _header(statement)
        return header is None or bool(Names(header).all & self.tainted)

    def kept(self, statement: ast.stmt, *, caught: bool) -> ast.stmt:
        """A statement of the row part; what ends the round gives what there is so far."""
        clone = copy.copy(statement)
        match clone:
            case ast.Continue():
                return ast.copy_location(_give(), statement)
            case ast.If():
                clone.body = self.block(clone.body, caught=caught)
                clone.orelse = self.block(clone.orelse, caught=caught) if clone.orelse else []
            case ast.With():
                clone.body = self.block(clone.body, caught=True)
            case ast.Match():
                clone.cases = [copy.copy(case) for case in clone.cases]
                for case in clone.cases:
                    case.body = self.block(case.body, caught=caught)
            case ast.Try():
                clone.body = self.block(clone.body, caught=True)
                clone.handlers = [copy.copy(handler) for handler in clone.handlers]
                for handler in clone.handlers:
                    handler.body = self.block(handler.body, caught=caught)
                clone.orelse = self.block(clone.orelse, caught=caught) if clone.orelse else []
                if clone.finalbody:
                    clone.finalbody = self.block(clone.finalbody, caught=True)
            case _:
                pass
        return clone

    def inner_step(self, node: ast.For) -> list[ast.stmt]:
        number = len(self.steps)
        inner, slots = inner_loop(self.loop, node, number, self.of_row, self.tainted)
        step = Step(
            number, (node,), slots, caught=False, controlled=self.controlled, original=node,
            repeated=(), inner=inner,
        )  # fmt: skip
        self.steps.append(step)
        return [ast.copy_location(statement, node) for statement in _emission(step)]

    def step(self, together: Sequence[ast.stmt], *, caught: bool) -> list[ast.stmt]:
        number = len(self.steps)
        hoist = _Hoist(number, self.of_row, self.tainted)
        named = _Named(RECORD, self.loop.row)
        statements = tuple(hoist.visit(named.visit(copy.deepcopy(one))) for one in together)
        step = Step(
            number, statements, hoist.slots, caught, self.controlled, together[-1],
            tuple(hoist.repeated),
        )  # fmt: skip
        self.steps.append(step)
        ends = isinstance(together[-1], ast.Break | ast.Return)
        if not ends and _controls(together[0]):
            self.controlled = True
        made = [*_emission(step), _give()] if ends else _emission(step)
        return [ast.copy_location(statement, together[-1]) for statement in made]


def _controls(statement: ast.stmt) -> bool:
    """Whether a step may end its row's round, or the loop."""
    return any(isinstance(n, ast.Return) for n in ast.walk(statement)) or _leaves(statement)


def _leaves(node: ast.AST) -> bool:
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.For | ast.While):
        return any(map(_leaves, node.orelse))
    return any(_leaves(c) for c in ast.iter_child_nodes(node) if not isinstance(c, ast.expr))


def _give() -> ast.stmt:
    return ast.Return(ast.Name(STEPS, ast.Load()))


def _emission(step: Step) -> list[ast.stmt]:
    """The statements that note a step and its slots: all of them or, where one raises, none."""
    if len(step.slots) < 2:
        return [_noted(step.key, next(iter(step.slots.values()), ast.Constant(value=True)))]
    names = [f"{PARTS}{number}" for number in range(len(step.slots))]
    parts = zip(names, step.slots.values(), strict=True)
    first: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store())], value) for name, value in parts
    ]
    pairs = zip(step.slots, names, strict=True)
    return [*first, *(_noted(key, ast.Name(name, ast.Load())) for key, name in pairs)]


def _noted(key: str, value: ast.expr) -> ast.stmt:
    place = ast.Subscript(ast.Name(STEPS, ast.Load()), ast.Constant(value=key), ast.Store())
    return ast.Assign([place], value)


def _belong_together(first: ast.stmt, second: ast.stmt) -> bool:
    """`if k not in d: d[k] = ...` and the statement that uses d[k]."""
    match first:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.NotIn()], comparators=[ast.Name(id=name)]),
            body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=target), slice=put)])],
            orelse=[],
        ):
            wanted = f"{name}[{ast.unparse(key)}]"
            same = target == name and ast.unparse(put) == ast.unparse(key)
            return (
                same
                and isinstance(second, ast.AugAssign | ast.Expr)
                and (ast.unparse(second).startswith(wanted))
            )
        case _:
            return False


class _Named(ast.NodeTransformer):
    """One name for another."""

    def __init__(self, name: str, other: str) -> None:
        self.name = name
        self.other = other

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != self.name:
            return node
        return ast.copy_location(ast.Name(self.other, node.ctx), node)


class _Hoist(ast.NodeTransformer):
    """Largest parts that depend on the row and not on the state -> slots."""

    def __init__(self, number: int, of_row: set[str], tainted: set[str]) -> None:
        self.number = number
        self.of_row = of_row
        self.hidden = set(tainted)
        self.slots: dict[str, ast.expr] = {}
        self.repeated: dict[str, None] = {}
        self._known: dict[str, str] = {}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and self.is_free(node):
            return self.slot(node)
        return super().visit(node)

    def is_free(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Slice | ast.Starred | ast.FormattedValue | ast.Lambda):
            return False
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return False
        names = Names([node])
        touched = names.all & self.hidden
        return not touched and not names.stored and bool(names.loaded & self.of_row)

    def slot(self, node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        key = self._known.get(text)
        if key is None:
            key = self._known[text] = f"{self.number}.{len(self.slots)}"
            self.slots[key] = node
        elif not is_stable(node):
            self.repeated[key] = None
        return ast.copy_location(ast.Name(slot_name(key), ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute):  # the method belongs to the object, not the slot
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        node.value = self.visit(node.value)
        if node.format_spec is not None:
            self.generic_visit(node.format_spec)  # it stays an f-string of its own
        return node

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        return self.scope(node)

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        return self.scope(node)

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        return self.scope(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return self.scope(node)

    def scope(self, node: COMPREHENSIONS) -> Any:
        outer, self.hidden = self.hidden, self.hidden | comprehension_names(node)
        found = self.generic_visit(node)
        self.hidden = outer
        return found


def slot_name(key: str) -> str:
    """The name that stands for a slot in a step."""
    return f"{SLOT}{key.replace('.', '_')}"


def check_caught(loop: Loop, step: Step) -> None:
    """Refuse a step that must run in sequence inside of a try."""
    if step.caught:
        loop.refuse(messages.CAUGHT_STEP, step.original)
