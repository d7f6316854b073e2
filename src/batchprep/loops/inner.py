"""Inner loops that change the state: their rounds, of all rows, are the rows of a loop of its own.

Of `for p in parcels: for scan in p["scans"]: last[scan["at"]] = p["id"]` the rounds are a loop over
the scans of all parcels, each told `p["id"]` of its own parcel under a name of its own.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from batchprep.loops.loop import Loop
from batchprep.loops.names import COMPREHENSIONS, Names, carried, comprehension_names
from batchprep.loops.stable import is_stable
from batchprep.loops.writes import RECORD

OUTER: Final = "batchprep_outer_"
ELEMENT: Final = "batchprep_element"  # the record of a round whose elements are no records
ENDS: Final = (ast.Break, ast.Return, ast.Yield, ast.YieldFrom, ast.Await)
READ_ONCE: Final = frozenset({"enumerate", "filter", "iter", "map", "range", "reversed", "zip"})
VIEWS: Final = frozenset({"items", "keys", "values"})


@dataclass(frozen=True)
class Inner:
    """An inner loop as one over its elements.

    loop      its rounds; the records are the elements or, where these are given, nothing
    elements  the key of what each row has to go over
    targets   the names that are given of each element; () where the element is the record
    apart     whether an element is taken apart into these names
    outer     the names that are given of the row around, with the keys of their values
    """

    loop: Loop
    elements: str
    targets: tuple[str, ...]
    apart: bool
    outer: tuple[tuple[str, str], ...]


def candidates(loop: Loop, left_out: Collection[int]) -> frozenset[int]:
    """The inner loops, by id, that may be gone over by themselves."""
    found = (node for node in inner_loops(loop.body) if id(node) not in left_out)
    return frozenset(id(node) for node in found if _stands_alone(loop, node))


def inner_loop(
    loop: Loop, node: ast.For, number: int, of_row: set[str], tainted: set[str]
) -> tuple[Inner, dict[str, ast.expr]]:
    """The inner loop of a step, and the slots that it takes of each row."""
    own = Names([node.target, *node.body]).stored
    hoist = _Outer(number, of_row - own, tainted | own)
    body = tuple(hoist.visit(copy.deepcopy(statement)) for statement in node.body)
    slots = {f"{number}.0": _listed(node.iter), **hoist.slots}
    target = node.target
    is_record = isinstance(target, ast.Name) and _is_record(target.id, node.body)
    names = () if is_record else tuple(n.id for n in _names(target))
    row = target.id if is_record and isinstance(target, ast.Name) else ELEMENT
    outer = tuple((_outer_name(key), key) for key in hoist.slots)
    rounds = dataclasses.replace(
        loop, loop=node, form="records", body=body, row=row, index=None, start=None,
        states=loop.states & Names(node.body).all, measured=False, writes=False,
        given=(*names, *(name for name, _ in outer)),
    )  # fmt: skip
    return Inner(rounds, f"{number}.0", names, not isinstance(target, ast.Name), outer), slots


def depends(node: ast.For, tainted: set[str], states: frozenset[str]) -> bool:
    """Whether it reads what only steps around it know."""
    return bool(Names([node]).all & tainted - (states & Names(node.body).all))


def inner_loops(body: Iterable[ast.stmt]) -> Iterator[ast.For]:
    """The loops that stand in the body itself or under an if."""
    for statement in body:
        match statement:
            case ast.For():
                yield statement
            case ast.If(body=inner, orelse=orelse):
                yield from inner_loops([*inner, *orelse])
            case _:
                pass


def _stands_alone(loop: Loop, node: ast.For) -> bool:
    """Whether nothing but its states goes from one of its rounds to another, or out of it."""
    inside, targets = Names([node]), list(_names(node.target))
    states = inside.all & loop.states
    if not states or not targets or node.orelse or any(isinstance(n, ENDS) for n in ast.walk(node)):
        return False
    here, everywhere = _counts([node]), _counts(loop.body)
    bound = {name.id for name in targets}
    return (
        not bound & loop.states
        and inside.written <= states  # what else it writes into may belong to a record
        and not Names([node.iter]).all & (states | inside.stored)
        and all(here.get(name) == everywhere.get(name) for name in states | inside.stored)
        and not carried(node.body, bound) - states
        and RECORD not in inside.all
    )


def _names(target: ast.expr) -> Iterator[ast.Name]:
    match target:
        case ast.Name():
            yield target
        case ast.Tuple(elts=elts) if all(isinstance(e, ast.Name) for e in elts):
            yield from (e for e in elts if isinstance(e, ast.Name))
        case _:
            return


def _counts(statements: Sequence[ast.stmt]) -> dict[str, int]:
    found: dict[str, int] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                found[node.id] = found.get(node.id, 0) + 1
    return found


def _is_record(name: str, body: Sequence[ast.stmt]) -> bool:
    """Whether the rounds ask the element for its keys."""
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=str())) | (
                    ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get"))
                ) if owner == name:
                    return True
                case _:
                    pass
    return False


def _listed(node: ast.expr) -> ast.expr:
    """What can be read but once, as a list."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in READ_ONCE:
            listed = True
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in VIEWS:
            listed = True
        case _:
            listed = isinstance(node, ast.GeneratorExp)
    if not listed:
        return node
    return ast.copy_location(ast.List([ast.Starred(node, ast.Load())], ast.Load()), node)


def _outer_name(key: str) -> str:
    return f"{OUTER}{key.replace('.', '_')}"


class _Outer(ast.NodeTransformer):
    """Variables and fields of the row around -> names that are given."""

    def __init__(self, number: int, of_row: set[str], hidden: set[str]) -> None:
        self.number = number
        self.of_row = of_row
        self.hidden = hidden
        self.slots: dict[str, ast.expr] = {}
        self._known: dict[str, str] = {}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, COMPREHENSIONS):
            outer, self.hidden = self.hidden, self.hidden | comprehension_names(node)
            found = self.generic_visit(node)
            self.hidden = outer
            return found
        if isinstance(node, ast.expr) and self.is_outer(node):
            return self.slot(node)
        return super().visit(node)

    def is_outer(self, node: ast.expr) -> bool:
        names = Names([node]).all
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return is_read and is_stable(node) and bool(names & self.of_row) and not names & self.hidden

    def slot(self, node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        key = self._known.get(text)
        if key is None:
            key = self._known[text] = f"{self.number}.{len(self.slots) + 1}"
            self.slots[key] = node
        return ast.copy_location(ast.Name(_outer_name(key), ast.Load()), node)
