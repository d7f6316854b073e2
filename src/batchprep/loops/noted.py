"""Steps inside of statements that the front end takes as one piece, noted after the piece.

    try:                                       try:
        value = float(row["raw"])                  value = float(row["raw"])
        steps["0"] = {"at": row["at"],             reached_0 = True
                      "value": value}      ->  except ValueError as error:
    except ValueError as error:                    text_1 = f"{error}"
        steps["1"] = f"bad: {error}"               reached_1 = True
                                               if reached_0: steps["0"] = {...}
                                               if reached_1: steps["1"] = f"bad: {text_1}"

What Python runs is left with what it alone can do and reads one field, so that it runs once per
distinct value of it; the rest is done in columns. Where something raises behind the `try` that
would have raised in it, the row deviates, and the interpreter's row part is as the user wrote it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any, Final

from batchprep.loops.names import Names
from batchprep.loops.split import PARTS, STEPS
from batchprep.loops.stable import is_stable

REACHED: Final = "batchprep_reached_"
NOTED: Final = "batchprep_noted_"
DONE: Final = "batchprep_done_"
ONCE: Final = "batchprep_once"
ROUND: Final = f"for {ONCE} in (0,): ..."  # what a piece in such a loop is called
BUILDING = ast.Dict | ast.List | ast.Tuple | ast.Set | ast.JoinedStr


def noted_behind(statements: Sequence[ast.stmt], row: str) -> list[ast.stmt]:
    """The row part with its notes behind the pieces."""
    return _Block(row).block(statements)


class _Block:
    def __init__(self, row: str) -> None:
        self.row = row
        self.pieces = 0

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [new for statement in statements for new in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.If(body=body, orelse=orelse):
                clone = copy.copy(node)
                clone.body, clone.orelse = self.block(body), self.block(orelse)
                return [clone]
            case ast.Try() | ast.TryStar() | ast.With() | ast.Match() if _notes(node):
                self.pieces += 1
                return _Piece(copy.deepcopy(node), self.row, self.pieces).statements()
            case _:
                return [node]


class _Piece:
    """One piece: what it notes becomes flags, and names for what only it can tell."""

    def __init__(self, node: ast.stmt, row: str, number: int) -> None:
        self.node = node
        self.row = row
        self.done = f"{DONE}{number}"
        self.ends = False
        self.notes: list[tuple[str, dict[str, ast.expr]]] = []
        self.sequence = list(_preorder(node))
        handlers = (n for n in self.sequence if isinstance(n, ast.ExceptHandler))
        self.errors = {handler.name for handler in handlers if handler.name}

    def statements(self) -> list[ast.stmt]:
        """The piece and what it has noted."""
        piece = self.kept(self.node)
        flags = [flag for flag, _ in self.notes]
        behind: list[ast.stmt] = [
            ast.If(_load(flag), [_noted(key, value) for key, value in slots.items()], [])
            for flag, slots in self.notes
        ]
        if self.ends:  # a loop of one round: what ends the row's round only leaves the piece
            flags.append(self.done)
            once = ast.Tuple([ast.Constant(0)], ast.Load())
            piece = ast.For(ast.Name(ONCE, ast.Store()), once, [piece], [])
            behind.append(ast.If(_load(self.done), [ast.Return(_load(STEPS))], []))
        made = [*(_assign(flag, ast.Constant(value=False)) for flag in flags), piece, *behind]
        return [ast.copy_location(one, self.node) for one in made]

    def kept(self, node: ast.stmt) -> ast.stmt:
        """A statement with its blocks gone through."""
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None):
                setattr(node, name, self.block(getattr(node, name)))
        for inner in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            inner.body = self.block(inner.body)
        return node

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        parts: dict[str, ast.expr] = {}
        noted: dict[str, ast.expr] = {}
        last = statements[0]
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_part(name):
                    parts[name] = value
                    continue
                case ast.Assign(value=value) if (key := _key(statement)) is not None:
                    name = value.id if isinstance(value, ast.Name) else ""
                    noted[key] = parts.get(name, value)
                    last = statement
                    continue
                case _:
                    pass
            if noted:
                made += self.taken(noted, last)
                noted = {}
            if _is_give(statement):
                self.ends = True
                ended = _assign(self.done, ast.Constant(value=True))
                made += [ast.copy_location(one, statement) for one in (ended, ast.Break())]
            else:
                made.append(self.kept(statement))
        return made + self.taken(noted, last) if noted else made

    def taken(self, noted: dict[str, ast.expr], last: ast.stmt) -> list[ast.stmt]:
        """What stays in the piece of a step's notes: a flag, and values that it alone can tell."""
        made: list[ast.stmt] = []
        behind: dict[str, ast.expr] = {}
        later = self.later(last)
        for key, value in noted.items():
            parts = _Parts(key, self.row, later | self.errors)
            behind[key] = parts.visit(copy.deepcopy(value))
            made += parts.made
        flag = f"{REACHED}{_word(next(iter(noted)))}"
        self.notes.append((flag, behind))
        made.append(_assign(flag, ast.Constant(value=True)))
        return [ast.copy_location(one, last) for one in made]

    def later(self, note: ast.stmt) -> set[str]:
        """The names that the piece may bind or write into after a note."""
        inside = set(map(id, ast.walk(note)))
        places = (place for place, one in enumerate(self.sequence) if id(one) in inside)
        names = Names(self.sequence[max(places) + 1 :])
        return names.stored | names.written


class _Parts(ast.NodeTransformer):
    """What a note only builds stays to be built behind the piece; the rest gets names in it.

    `changing` are the names that may stand for something else there.
    """

    def __init__(self, key: str, row: str, changing: set[str]) -> None:
        self.key = key
        self.row = row
        self.changing = changing
        self.made: list[ast.stmt] = []

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr) or isinstance(node, ast.Constant | ast.Starred):
            return super().visit(node)
        if isinstance(node, ast.FormattedValue):
            return self.formatted(node)
        if isinstance(node, BUILDING):
            return self.generic_visit(node)
        return node if self.stays(node) else self.named(node)

    def stays(self, node: ast.expr) -> bool:
        """Whether it surely gives the same object behind the piece, and can hardly raise."""
        names = Names([node]).all
        is_sure = isinstance(node, ast.Name) or names == {self.row}
        return is_sure and is_stable(node) and not names & self.changing

    def formatted(self, node: ast.FormattedValue) -> ast.expr:
        plain = node.conversion == -1 and node.format_spec is None
        if plain and self.stays(node.value):
            return node
        return ast.FormattedValue(self.named(ast.JoinedStr([node])), -1, None)

    def named(self, node: ast.expr) -> ast.Name:
        name = f"{NOTED}{_word(self.key)}_{len(self.made)}"
        self.made.append(_assign(name, node))
        return ast.copy_location(_load(name), node)


def _preorder(node: ast.AST) -> Iterator[ast.AST]:
    # Contexts and operators are single objects of which many places hold the same.
    if not isinstance(node, ast.expr_context | ast.operator | ast.cmpop | ast.boolop | ast.unaryop):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _preorder(child)


def _key(statement: ast.AST) -> str | None:
    """The key of a slot that a statement notes."""
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key))]
        ) if name == STEPS:
            return key
        case _:
            return None


def _is_give(statement: ast.AST) -> bool:
    match statement:
        case ast.Return(value=ast.Name(id=name)):
            return name == STEPS
        case _:
            return False


def _notes(node: ast.stmt) -> bool:
    return any(_key(one) is not None or _is_give(one) for one in ast.walk(node))


def _is_part(name: str) -> bool:
    return name.startswith(PARTS)


def _word(key: str) -> str:
    return key.replace(".", "_")


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _noted(key: str, value: ast.expr) -> ast.stmt:
    place = ast.Subscript(_load(STEPS), ast.Constant(value=key), ast.Store())
    return ast.Assign([place], value)
