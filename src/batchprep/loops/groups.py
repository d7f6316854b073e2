"""Dicts that a loop fills: grouped counts, sums and lists, and the last value of each key."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.loops.columns import Coded, Numbers
from batchprep.loops.pieces import EXACT, Piece, largest

MISSING: Final = object()
DICTS: Final = (dict, defaultdict, Counter)
FACTORIES: Final[dict[Any, Callable[[], Any]]] = {int: int, float: float, list: list}

Update = Callable[[int], dict[str, Any]]


@dataclass(frozen=True)
class _Groups:
    """The groups of a step: for each of its rows the number of its key."""

    state: Any
    piece: Piece
    keys: Coded

    def before(self, place: int) -> Any:
        """What a key has before the loop, or begins with; MISSING where it must be there."""
        key = self.keys.words[place]
        if key in self.state:
            return self.state[key]
        if self.piece.shape.as_it_is:
            return 0
        start = self.piece.shape.start
        if isinstance(start, ast.Constant):
            return start.value
        if start is not None:
            return []
        if type(self.state) is Counter:
            return 0
        factory = FACTORIES.get(getattr(self.state, "default_factory", None))
        return MISSING if factory is None else factory()

    def first_rows(self, count: int) -> tuple[npt.NDArray[np.intp], list[int]]:
        """The numbers of the keys that occur, in the order in which they first do."""
        codes = self.keys.codes[:count]
        first = np.full(len(self.keys.words), -1, np.intp)
        first[codes[::-1]] = np.arange(count - 1, -1, -1)
        occurring = np.flatnonzero(first >= 0)
        order = occurring[np.argsort(first[occurring], kind="stable")]
        return order, order.tolist()


def plan_groups(state: Any, pieces: Sequence[Piece]) -> Update | None:
    """How to bring a dict up to date; None where that is not known to be exact."""
    if type(state) not in DICTS or len(pieces) != 1:
        return None
    piece = pieces[0]
    assert piece.shape.key is not None  # noqa: S101  a grouped step has one
    keys = piece.coded(piece.shape.key)
    if keys is None:
        return None
    groups = _Groups(state, piece, keys)
    if piece.shape.kind == "put":
        return _last_values(groups)
    _, occurring = groups.first_rows(len(piece.rows))
    before = {place: groups.before(place) for place in occurring}
    if piece.shape.kind == "group_append":
        fits = all(type(value) is list for value in before.values())
        return _lists(groups, before) if fits else None
    return _sums(groups, before)


def _last_values(groups: _Groups) -> Update:
    piece, state, words = groups.piece, groups.state, groups.keys.words
    values = piece.all_values(piece.shape.value)

    def update(limit: int) -> dict[str, Any]:
        count = piece.upto(limit)
        last = np.zeros(len(words), np.intp)
        last[groups.keys.codes[:count]] = np.arange(count)
        _, order = groups.first_rows(count)
        for place in order:
            state[words[place]] = values[last[place]]
        return {piece.shape.state: state}

    return update


def _lists(groups: _Groups, before: dict[int, Any]) -> Update:
    piece, state, words = groups.piece, groups.state, groups.keys.words
    values = piece.all_values(piece.shape.value)

    def update(limit: int) -> dict[str, Any]:
        count = piece.upto(limit)
        codes = groups.keys.codes[:count]
        objects = np.fromiter(values[:count], np.object_, count)[_grouped(codes, len(words))]
        ends = np.cumsum(np.bincount(codes, minlength=len(words)))
        for place in groups.first_rows(count)[1]:
            own = state.setdefault(words[place], before[place])
            own.extend(objects[ends[place - 1] if place else 0 : ends[place]].tolist())
        return {piece.shape.state: state}

    return update


def _grouped(codes: npt.NDArray[Any], distinct: int) -> npt.NDArray[np.intp]:
    """The places of the rows, group by group and in each as they come."""
    # A radix sort, and a stable one, where two bytes hold the codes: a tenth of the time.
    narrow = codes.astype(np.uint16) if distinct <= 2**16 else codes
    return np.argsort(narrow, kind="stable")


def _sums(groups: _Groups, before: dict[int, Any]) -> Update | None:
    found = groups.piece.numbers(groups.piece.shape.value)
    types = set(map(type, before.values()))
    if found is None or not types <= {int, float}:
        return None
    if groups.piece.shape.as_it_is and _differ_from_sums(found):
        return None
    if found.kind == "float" or types == {float}:
        return _float_sums(groups, before, found)
    if types <= {int} and largest(_ints(found)) * max(len(found.array), 1) < EXACT:
        return _int_sums(groups, before, found)
    return None


def _differ_from_sums(found: Numbers) -> bool:
    """Whether 0 + value may be something else than the value: 0 + True is 1, 0 + -0.0 is 0.0."""
    if found.kind == "float":
        return bool((np.signbit(found.array) & (found.array == 0)).any())
    return found.kind == "bool"


def _ints(found: Numbers) -> npt.NDArray[np.int64]:
    return found.array.astype(np.int64, copy=False)


def _int_sums(groups: _Groups, before: dict[int, Any], found: Numbers) -> Update:
    """Sums that a double holds exactly, whatever their order."""
    piece, state, words = groups.piece, groups.state, groups.keys.words
    operand = piece.shape.value
    sign = -1 if piece.shape.negative else 1

    def update(limit: int) -> dict[str, Any]:
        count = piece.upto(limit)
        codes = groups.keys.codes[:count]
        if operand.slot is None:
            totals = np.bincount(codes, minlength=len(words)) * operand.constant
        else:
            totals = np.bincount(codes, _ints(found)[:count], minlength=len(words))
        for place in groups.first_rows(count)[1]:
            state[words[place]] = before[place] + sign * int(totals[place])
        return {piece.shape.state: state}

    return update


def _float_sums(groups: _Groups, before: dict[int, Any], found: Numbers) -> Update | None:
    """Sums in row order: bincount adds one weight after the other, from 0.0 on."""
    starts = list(before.values())
    inexact = any(type(start) is int and abs(start) > EXACT for start in starts)
    # From 0.0 on, a start of -0.0 would be lost.
    inexact = inexact or any(start == 0 and str(start)[0] == "-" for start in starts)
    if inexact or (found.kind != "float" and largest(_ints(found)) > EXACT):
        return None
    piece, state, words = groups.piece, groups.state, groups.keys.words
    weights = found.array.astype(np.float64, copy=False)
    weights = -weights if piece.shape.negative else weights
    places = np.fromiter(before, np.intp, len(before))
    first = np.array([float(start) for start in starts])

    def update(limit: int) -> dict[str, Any]:
        count = piece.upto(limit)
        codes = np.concatenate([places, groups.keys.codes[:count]])
        totals = np.bincount(
            codes, np.concatenate([first, weights[:count]]), minlength=len(words)
        ).tolist()
        for place in groups.first_rows(count)[1]:
            state[words[place]] = totals[place]
        return {piece.shape.state: state}

    return update
