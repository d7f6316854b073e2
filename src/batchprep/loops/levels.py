"""States that steps of their own bring up to date, row after row, before the rest is computed.

    for r in records:                              the slice             the rest, told of prev
        prev = last.get(r["at"], 0)         ->     prev = last.get(...)
        last[r["at"]] = r["n"]                     last[...] = ...
        out.append(r["n"] - prev)                                        out.append(r["n"] - prev)

The slice is a loop of the statements that keep some states, with the tests around them, which
Python runs over columns. Of a number or a text it tells what it is at the start of each row; what
is read from a dict, set or list of the loop's has a name, of which it tells the value in each row.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from batchprep.loops.checks import changed, steps_inside
from batchprep.loops.loop import Loop
from batchprep.loops.names import Names, roots
from batchprep.loops.taps import tapped
from batchprep.loops.writes import RECORD

COMPUTING: Final = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr, ast.UnaryOp, ast.Dict, ast.Call,
)  # fmt: skip


@dataclass(frozen=True)
class Slice:
    """Some states of a loop by themselves.

    loop    the statements that keep them
    rest    the loop without them
    states  names whose value at the start of each row is told
    taps    names whose value in each row is told
    held    dicts, sets and lists that only the slice knows
    """

    loop: Loop
    rest: Loop
    states: tuple[str, ...]
    taps: tuple[str, ...]
    held: tuple[str, ...]


def slices(loop: Loop, resolved: frozenset[str]) -> Iterator[Slice]:
    """What may be taken out of a loop, one state after the other."""
    states = loop.states - resolved
    containers = Names(loop.body).written & states
    for state in sorted(states & Names(loop.body).all):
        bodies: list[Sequence[ast.stmt]] = [loop.body]
        if state in containers:
            bodies.insert(0, tapped(loop.body, state, states))
        for body in bodies:
            slicer = _Slicer(dataclasses.replace(loop, body=tuple(body)), states, containers)
            found = slicer.slice(state)
            if found is not None:
                yield found


class _Slicer:
    def __init__(self, loop: Loop, states: frozenset[str], containers: set[str]) -> None:
        self.loop = loop
        self.states = states
        self.containers = containers
        self.tainted = _tainted(loop.body, states)

    def slice(self, state: str) -> Slice | None:
        """The slice that keeps a state; None where it is not one, or nothing gains by it."""
        names, before = {state}, set[str]()
        while names != before:
            before = set(names)
            names |= self.needed(self.loop.body, names)
        held, told = names & self.containers, names - self.containers
        kept = self.keep(self.loop.body, names)
        rest = self.leave(self.loop.body, names)
        if RECORD in names or rest is None or not told or told & Names(self.loop.body).written:
            return None
        if any(_leaves(s) for s in _simple(kept) if not isinstance(s, ast.Continue)):
            return None
        if Names(rest).all & held or self.is_deep(kept, held) or not self.gains(rest, names):
            return None
        taps = sorted(told - self.states - Names(rest).stored)
        whole = dataclasses.replace(self.loop, body=tuple(kept), writes=False)
        given = (*self.loop.given, *taps)
        return Slice(
            whole, dataclasses.replace(self.loop, body=tuple(rest), given=given),
            tuple(sorted(told & self.states)), tuple(taps), tuple(sorted(held)),
        )  # fmt: skip

    def belongs(self, statement: ast.stmt, names: set[str]) -> bool:
        """Whether a statement belongs to the slice that keeps these names."""
        own = Names([statement])
        return bool((own.stored & names) | (own.all & names & self.containers))

    def needed(self, body: Iterable[ast.stmt], names: set[str]) -> set[str]:
        """What the statements of the slice read and bind that only steps know."""
        found: set[str] = set()
        for statement in body:
            own = Names([statement]).all & self.tainted
            match statement:
                case ast.If(body=inner, orelse=orelse):
                    within = self.needed(inner, names) | self.needed(orelse, names)
                    test = Names([statement.test]).all & self.tainted
                    if within or _leaves(statement) or test & names & self.containers:
                        found |= within | test
                case _ if self.belongs(statement, names) or (own and _leaves(statement)):
                    found |= own
                case _:
                    pass
        return found

    def keep(self, body: Iterable[ast.stmt], names: set[str]) -> list[ast.stmt]:
        """The statements of the slice, and those that no state touches."""
        kept: list[ast.stmt] = []
        for statement in body:
            match statement:
                case ast.If(test=test, body=inner, orelse=orelse):
                    if not Names([test]).all & self.tainted - names:
                        blocks = self.keep(inner, names), self.keep(orelse, names)
                        kept.append(_with_blocks(statement, *blocks))
                case ast.Break() | ast.Return():
                    # The rows after it are gone over in vain, and count for nothing.
                    kept.append(ast.copy_location(ast.Continue(), statement))
                case _:
                    free = not Names([statement]).all & self.tainted
                    if free or self.belongs(statement, names):
                        kept.append(statement)
        return kept

    def leave(self, body: Iterable[ast.stmt], names: set[str]) -> list[ast.stmt] | None:
        """The statements without those that touch what only the slice knows; None: impossible."""
        held = names & self.containers
        left: list[ast.stmt] = []
        for statement in body:
            if not Names([statement]).all & held:
                left.append(statement)
            elif isinstance(statement, ast.If) and not Names([statement.test]).all & held:
                blocks = self.leave(statement.body, names), self.leave(statement.orelse, names)
                if blocks[0] is None or blocks[1] is None:
                    return None
                if blocks[0] or blocks[1]:
                    left.append(_with_blocks(statement, blocks[0], blocks[1]))
            elif not self.is_told(statement, names):
                return None
        return left

    def is_told(self, statement: ast.stmt, names: set[str]) -> bool:
        """Whether all that the rest must know of a statement is what one name is bound to."""
        own = Names([statement])
        if own.all & self.tainted - names or _leaves(statement):
            return False
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                bound = [s for s in _simple(self.loop.body) if name in Names([s]).stored]
                return name not in self.states and len(bound) == 1
            case _:
                return not own.stored

    def gains(self, rest: Sequence[ast.stmt], names: set[str]) -> bool:
        """Whether something is computed with what the slice tells."""
        for statement in rest:
            if isinstance(statement, ast.If):
                others = (s for s in _simple([statement]) if not isinstance(s, ast.Pass))
                own = [s for s in others if not self.belongs(s, names)]
                if own and _computes([statement.test], names):
                    return True
                if self.gains([*statement.body, *statement.orelse], names):
                    return True
            elif not self.belongs(statement, names) and _computes(_values(statement), names):
                return True
        return False

    def is_deep(self, kept: Sequence[ast.stmt], held: set[str]) -> bool:
        """Whether what lies in a dict or list may be changed, as a record is that is written to."""
        for statement in kept:
            for node in ast.walk(statement):
                for target, own in changed(node):
                    if roots(target) & held and steps_inside(target) + own > 1:
                        return True
        return self.loop.writes and bool(held) and _hands_on(kept, self.loop.row)


def _tainted(body: Sequence[ast.stmt], states: frozenset[str]) -> set[str]:
    """The states, and every name that is bound with what they give."""
    tainted, before = {*states, RECORD}, set[str]()
    while tainted != before:
        before = set(tainted)
        _spread(body, tainted)
    return tainted


def _spread(body: Iterable[ast.stmt], tainted: set[str]) -> None:
    for statement in body:
        names = Names([statement])
        if isinstance(statement, ast.If) and not Names([statement.test]).all & tainted:
            _spread([*statement.body, *statement.orelse], tainted)
        elif names.all & tainted:
            tainted |= names.stored | names.written


def _simple(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements but ifs, whose own statements stand for them."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _simple([*statement.body, *statement.orelse])
        else:
            yield statement


def _with_blocks(node: ast.If, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.If:
    clone = copy.copy(node)
    clone.body, clone.orelse = body or [ast.copy_location(ast.Pass(), node)], orelse
    return clone


def _leaves(node: ast.AST) -> bool:
    """Whether it may end the row's round or the loop."""
    if isinstance(node, ast.Break | ast.Continue | ast.Return):
        return True
    if isinstance(node, ast.For | ast.While):
        returns = any(isinstance(n, ast.Return) for n in ast.walk(node))
        return returns or any(map(_leaves, node.orelse))
    return any(_leaves(c) for c in ast.iter_child_nodes(node) if not isinstance(c, ast.expr))


def _values(statement: ast.stmt) -> list[ast.AST]:
    """What a statement evaluates; of a call that puts something somewhere, what it puts."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(), args=args, keywords=keywords)):
            return [*args, *keywords]
        case _:
            return [statement]


def _computes(nodes: Iterable[ast.AST], names: set[str]) -> bool:
    inner = (n for node in nodes for n in ast.walk(node) if isinstance(n, COMPUTING))
    return any(Names([n]).loaded & names for n in inner)


def _hands_on(body: Sequence[ast.stmt], row: str) -> bool:
    """Whether the record itself, and not a field of it, is put somewhere."""
    nodes: list[Any] = [n for statement in body for n in ast.walk(statement)]
    asked = {id(n.value) for n in nodes if isinstance(n, ast.Subscript | ast.Attribute)}
    return any(isinstance(n, ast.Name) and n.id == row and id(n) not in asked for n in nodes)
