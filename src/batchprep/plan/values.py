"""Values as sums of kinds: what a row function computes, and the template of its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from batchprep.dtypes import Kind
from batchprep.plan.node import FALSE, Node


@dataclass(frozen=True)
class Slots:
    """The payload of struct, tuple and list: slots over an optional base record.

    base    rows whose value starts as the caller's own record (FALSE: never)
    fresh   rows where it is a new object: elsewhere, without a written slot, the caller's
            record itself is the result
    Slots apply in order: a later slot of the same key replaces the value but keeps the
    key's place, as in a dict. For tuple and list the keys are 0, 1, 2, ...
    `origins` are the dicts and lists that this is on some rows.
    """

    slots: tuple[Slot, ...]
    base: Node = FALSE
    fresh: Node = FALSE
    origins: frozenset[Cell] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Slot:
    """A key, the rows that have it, and its value there."""

    key: str | int
    guard: Node
    value: Sum


class Cell:
    """Identity of a dict or list while a function is traced; a dict's content is in the heap.

    `sealed` once a copy of the content stands for it somewhere (two dicts joined after an
    `if`): a write into it now would not be seen there, so it is refused. `given` where that copy
    may be part of an object that Python makes.
    """

    __slots__ = ("given", "sealed")

    def __init__(self) -> None:
        """A new dict, known by this identity only."""
        self.sealed = False
        self.given = False


@dataclass(frozen=True)
class Alternative:
    """One kind of a sum: the rows that have it, and their payload."""

    kind: Kind
    guard: Node
    payload: Node | Slots | Cell | None


@dataclass(frozen=True)
class Sum:
    """A value: alternatives with disjoint guards, at most one per kind."""

    alternatives: tuple[Alternative, ...]

    def __iter__(self) -> Iterator[Alternative]:
        """The alternatives, in order."""
        return iter(self.alternatives)

    def get(self, kind: Kind) -> Alternative | None:
        """The alternative of that kind."""
        return next((a for a in self.alternatives if a.kind == kind), None)

    def guard(self, kind: Kind) -> Node:
        """The rows of that kind."""
        found = self.get(kind)
        return FALSE if found is None else found.guard

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that may occur."""
        return tuple(a.kind for a in self.alternatives)
