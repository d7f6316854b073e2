"""Values that run from row to row, known at the start of each row."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np

from batchprep.loops import messages
from batchprep.loops.columns import Rows, SlotColumn
from batchprep.loops.go_on import GoOn
from batchprep.loops.pieces import Piece
from batchprep.loops.units import Level

NO_ROWS: Final = np.zeros(0, np.intp)


@dataclass(frozen=True)
class Left:
    """A running value: what it starts with, and after each of the rows that change it."""

    state: str
    values: list[Any]
    rows: Rows

    @classmethod
    def of(cls, level: Level, slots: Mapping[str, SlotColumn], names: Mapping[str, Any]) -> Left:
        """The values of a level in a batch.

        Errors:  GoOn where only the loop itself is known to do it
        """
        if level.state not in names:
            raise GoOn(messages.UNBOUND)
        start = names[level.state]
        if level.step.key not in slots:
            return cls(level.state, [start], NO_ROWS)
        piece = Piece(level.step, level.shape, slots)
        values = piece.all_values(level.shape.value)
        if level.shape.kind == "last":
            return cls(level.state, [start, *values], piece.rows)
        step = operator.sub if level.shape.negative else operator.add
        if type(start) not in (int, float):
            raise GoOn(messages.ROW_RAISES)
        try:
            # Python's own additions, one after the other.
            folded = list(accumulate(values, step, initial=start))
        except Exception:  # noqa: BLE001  the loop itself meets it again, in its own turn
            raise GoOn(messages.ROW_RAISES) from None
        return cls(level.state, folded, piece.rows)

    def at_rows(self, length: int) -> list[Any]:
        """The value at the start of each row."""
        if len(self.rows) == length:
            return self.values[:length]
        places = np.searchsorted(self.rows, np.arange(length))
        return [self.values[place] for place in places.tolist()]

    def after(self, limit: int) -> Any:
        """The value after so many rows."""
        return self.values[int(np.searchsorted(self.rows, limit))]
