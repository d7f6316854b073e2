"""Values that run from row to row, known before the rest of each row is computed."""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np

from batchprep.loops import messages
from batchprep.loops.columns import Rows, SlotColumn
from batchprep.loops.go_on import GoOn
from batchprep.loops.in_order import columns_of, reached_rows
from batchprep.loops.pieces import Piece
from batchprep.loops.sequences import StepsInOrder, Unbound
from batchprep.loops.units import Level

NO_ROWS: Final = np.zeros(0, np.intp)
UNBOUND: Final = Unbound()
COPIED: Final = (dict, defaultdict, Counter, OrderedDict, set, list, deque)


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
        assert level.step is not None  # noqa: S101  the level has a step
        assert level.shape is not None  # noqa: S101  and a form
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

    def columns(self, length: int) -> dict[str, list[Any]]:
        """What is told of each row, by name."""
        return {self.state: self.at_rows(length)}

    def finish(self, limit: int, names: dict[str, Any]) -> None:
        """Bring the state to what it is after so many rows."""
        names[self.state] = self.after(limit)

    def at_rows(self, length: int) -> list[Any]:
        """The value at the start of each row."""
        if len(self.rows) == length:
            return self.values[:length]
        places = np.searchsorted(self.rows, np.arange(length))
        return [self.values[place] for place in places.tolist()]

    def after(self, limit: int) -> Any:
        """The value after so many rows."""
        return self.values[int(np.searchsorted(self.rows, limit))]


@dataclass(frozen=True)
class Carried:
    """What the slice of a level has made of its states.

    after  what is told, by name, after each of the `rows` that it went over
    start  the same before the first of them
    held   copies of dicts, sets and lists, as they are at the end
    """

    level: Level
    made: StepsInOrder
    slots: Mapping[str, SlotColumn]
    rows: Rows
    start: Mapping[str, Any]
    after: Mapping[str, Sequence[Any]]
    held: Mapping[str, Any]

    @classmethod
    def of(
        cls, level: Level, made: StepsInOrder, slots: Mapping[str, SlotColumn],
        names: Mapping[str, Any], length: int,
    ) -> Carried:  # fmt: skip
        """The values of a level in a batch; its states stay as they are.

        Errors:  GoOn where only the loop itself is known to do it
        """
        part = level.part
        assert part is not None  # noqa: S101  the level has a slice
        if not {*part.states, *part.held} <= names.keys():
            raise GoOn(messages.UNBOUND)
        held = {name: _copied(names[name]) for name in part.held}
        rows = reached_rows(made.steps, slots, length)
        try:
            after = _run(made, slots, rows, {**names, **held})
        except Exception:  # noqa: BLE001  the loop itself meets it again, in its own turn
            raise GoOn(messages.ROW_RAISES) from None
        told = [*part.states, *part.taps]
        columns = zip(*after, strict=True) if after else [()] * len(told)
        start = {name: names[name] for name in part.states}
        return cls(level, made, slots, rows, start, dict(zip(told, columns, strict=True)), held)

    def columns(self, length: int) -> dict[str, list[Any]]:
        """What is told of each row, by name."""
        part = self.level.part
        assert part is not None  # noqa: S101  the level has a slice
        found: dict[str, list[Any]] = {}
        for name in part.states:
            values = [self.start[name], *self.after[name]]
            found[name] = Left(name, values, self.rows).at_rows(length)
        for name in part.taps:
            values = np.full(length, None, np.object_)
            values[self.rows] = np.fromiter(self.after[name], np.object_, len(self.rows))
            found[name] = values.tolist()
        return found

    def finish(self, limit: int, names: dict[str, Any]) -> None:
        """Bring the states to what they are after so many rows."""
        count = int(np.searchsorted(self.rows, limit))
        if count < len(self.rows) and self.held:  # only now: the rows after the end do not count
            _run(self.made, self.slots, self.rows[:count], {**names, **self.start})
        else:
            for name, copied in self.held.items():
                _take_over(names[name], copied)
        for name, start in self.start.items():
            names[name] = self.after[name][count - 1] if count else start


def _run(
    made: StepsInOrder, slots: Mapping[str, SlotColumn], rows: Rows, names: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    columns = [rows.tolist()]
    for step in made.steps:
        columns += columns_of(step, slots, rows)
    given = {name: names.get(name, UNBOUND) for name in made.names}
    return made.function(zip(*columns, strict=True), UNBOUND, **given)


def _copied(state: Any) -> Any:
    if type(state) not in COPIED or not _makes_plain(getattr(state, "default_factory", None)):
        raise GoOn(messages.ROW_RAISES)
    return state.copy()


def _makes_plain(factory: Any) -> bool:
    """Whether what makes the missing values of a defaultdict does nothing else."""
    code = getattr(factory, "__code__", None)
    if code is not None:
        return not code.co_names and not code.co_freevars
    return factory is None or factory in (int, float, str, bool, list, dict, set, tuple)


def _take_over(state: Any, copied: Any) -> None:
    """Let a dict, set or list hold what its copy does."""
    if isinstance(state, list):
        state[:] = copied
        return
    state.clear()
    if isinstance(state, deque):
        state.extend(copied)
    elif isinstance(state, OrderedDict | set):
        state.update(copied)
    else:
        dict.update(state, copied)  # Counter's own adds
