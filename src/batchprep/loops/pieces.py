"""Operands of steps over the rows that reach them, in the order of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.loops.columns import NUMBERS, Coded, Numbers, Rows, SlotColumn
from batchprep.loops.shapes import Operand, Shape
from batchprep.loops.split import Step

EXACT: Final = 2**53  # up to here a double holds every int


@dataclass(frozen=True)
class Piece:
    """A step of array code, and the columns of its slots."""

    step: Step
    shape: Shape
    slots: Mapping[str, SlotColumn]

    @property
    def rows(self) -> Rows:
        """The rows that reach the step."""
        return self.slots[self.step.key].rows

    def upto(self, limit: int) -> int:
        """How many of them come before that row."""
        return int(np.searchsorted(self.rows, limit))

    def values(self, operand: Operand, count: int) -> list[Any]:
        """The first values of an operand."""
        if operand.slot is None:
            return [operand.constant] * count
        values = self.slots[operand.slot].values
        return values if count == len(values) else values[:count]

    def value(self, operand: Operand, place: int) -> Any:
        """One value of an operand."""
        return operand.constant if operand.slot is None else self.slots[operand.slot].value(place)

    def all_values(self, operand: Operand) -> list[Any]:
        """All values of an operand."""
        return self.values(operand, len(self.rows))

    def numbers(self, operand: Operand) -> Numbers | None:
        """The values of an operand, if they are known to be numbers of one kind."""
        if operand.slot is not None:
            return self.slots[operand.slot].numbers
        for kind, type_ in NUMBERS.items():
            if type(operand.constant) is type_ and abs(operand.constant) <= EXACT:
                return Numbers(kind, np.full(len(self.rows), operand.constant))
        return None

    def coded(self, operand: Operand) -> Coded | None:
        """The values as numbers of distinct ones; None where one has no hash."""
        found = None if operand.slot is None else self.slots[operand.slot].coded
        return found or coded(self.all_values(operand))


def coded(values: Sequence[Any]) -> Coded | None:
    """Values numbered as the keys of a dict are told apart: 1, 1.0 and True are one."""
    try:
        words = list(dict.fromkeys(values))
    except TypeError:
        return None
    numbers = dict(zip(words, range(len(words)), strict=True))
    return Coded(np.fromiter(map(numbers.__getitem__, values), np.intp, len(values)), words)


def merged(pieces: Sequence[Piece], columns: Sequence[Sequence[Any]], limit: int) -> list[Any]:
    """The values of several steps in the order in which the loop would meet them."""
    counts = [piece.upto(limit) for piece in pieces]
    if len(pieces) == 1:
        return list(columns[0][: counts[0]])
    order = merged_order(pieces, counts)
    values = [value for c, n in zip(columns, counts, strict=True) for value in c[:n]]
    return [values[place] for place in order.tolist()]


def merged_order(pieces: Sequence[Piece], counts: Sequence[int]) -> npt.NDArray[np.intp]:
    """The places of values that lie step by step, in the order of rows and then of steps."""
    rows = np.concatenate([p.rows[:count] for p, count in zip(pieces, counts, strict=True)])
    return np.argsort(rows, kind="stable")


def exact_sum(array: npt.NDArray[Any]) -> int:
    """The sum of ints as Python has it."""
    if not len(array):
        return 0
    if array.dtype == np.bool_:
        return int(np.count_nonzero(array))
    if largest(array) * len(array) < 2**62:
        return int(array.sum(dtype=np.int64))
    return sum(array.tolist())


def largest(array: npt.NDArray[Any]) -> int:
    """The largest absolute value of ints."""
    return max(abs(int(array.max())), abs(int(array.min()))) if len(array) else 0


def left_fold(start: float, array: npt.NDArray[np.float64]) -> float:
    """start + a[0] + a[1] + ... in that order, as a loop adds floats."""
    with np.errstate(all="ignore"):
        # accumulate adds one by one, where np.sum adds pairwise: other bits.
        return float(np.add.accumulate(np.concatenate([[start], array]))[-1])
