"""The compiled form or the interpreter, whichever takes less time: measured while the work is done.

Code that Python itself evaluates for each row gains little from columns, and a handful of rows
gains nothing: there the plain loop may be faster. Each way is timed on rows that have to be done
anyway, and the faster one gets the rest.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Final, Literal

from batchprep.batch.batch import Batch, Origin
from batchprep.batch.record_rows import RecordRows

if TYPE_CHECKING:
    from batchprep.rowfn.trace import Trace
    from batchprep.run.program import Options, Program

Way = Literal["compiled", "interpreter"]

# Rows of the trials: the first compiled ones make the kernels and tell nothing.
WARM_UP: Final = 256
TRIAL: Final = 256
TRIALS: Final = 3
# Batches below this have ways of their own: what a call costs by itself weighs in each row.
LARGE: Final = 1_024
SIZES: Final = (16, 64, 256, LARGE)
# Both ways are tried again after so many rows, or so many small batches.
AGAIN_ROWS: Final = 500_000
AGAIN_CALLS: Final = 200
# It takes over only if it is faster by this much: two equal ways do not take turns.
MARGIN: Final = 0.9


class Ways:
    """Seconds a row of both ways, for batches of about one size."""

    def __init__(self) -> None:
        self.best: Way = "compiled"
        self._seconds: dict[Way, list[float]] = {"interpreter": [], "compiled": []}
        self._warm = False
        self._since = 0

    def next(self) -> tuple[Way, int | None]:
        """The way of the next rows, and of how many at most; None: as many as there are."""
        if not self._warm:
            return "compiled", WARM_UP
        # In turns, so that both see the same load of the machine.
        way = min(self._seconds, key=lambda way: len(self._seconds[way]))
        return (way, TRIAL) if len(self._seconds[way]) < TRIALS else (self.best, None)

    def took(self, way: Way, rows: int, seconds: float, *, again: int, counted: int) -> None:
        """Note what rows took. Every `again` of what is counted, both ways get new trials."""
        if not self._warm:
            self._warm = True
            return
        of_way = self._seconds[way]
        if len(of_way) < TRIALS:
            of_way.append(seconds / rows)
            self._judge()
            return
        self._since += counted
        if self._since >= again:
            self._since = 0
            self._seconds = {"interpreter": [], "compiled": []}

    def _judge(self) -> None:
        if any(len(found) < TRIALS for found in self._seconds.values()):
            return
        other: Way = "interpreter" if self.best == "compiled" else "compiled"
        if min(self._seconds[other]) < MARGIN * min(self._seconds[self.best]):
            self.best = other


class WaysBySize:
    """The ways of one trace."""

    def __init__(self) -> None:
        self._ways: dict[int, Ways] = {}

    def of(self, rows: int) -> Ways:
        """Those for batches of about so many rows."""
        size = next((size for size in SIZES if rows < size), 0)
        return self._ways.setdefault(size, Ways())


_ways: Final[dict[int, tuple[weakref.ref[Trace], WaysBySize]]] = {}


def ways_of(trace: Trace) -> WaysBySize:
    """The ways of a trace, kept as long as the trace lives."""
    key = id(trace)
    found = _ways.get(key)
    if found is not None and found[0]() is trace:
        return found[1]
    ways = WaysBySize()
    _ways[key] = (weakref.ref(trace, lambda _: _ways.pop(key, None)), ways)
    return ways


def has_ways(program: Program, batch: Batch, options: Options) -> bool:
    """Whether the batch may go either way: records at hand, and no backend asked for."""
    if program.trace is None or options.backend != "auto" or not isinstance(batch.rows, RecordRows):
        return False
    return 0 < len(batch) < LARGE or any(
        node.op in {"word", "call"} for node in program.trace.stage.tables
    )


def part_of_batch(batch: Batch, start: int, end: int) -> Batch:
    """Rows of a batch of records, as a batch."""
    if start == 0 and end == len(batch):
        return batch
    rows = batch.rows
    assert isinstance(rows, RecordRows)  # noqa: S101  asked before
    origin = batch.origin
    part = RecordRows(batch.records(None)[start:end], rows.form, rows.schema)
    moved = None if origin is None else Origin(origin.file, origin.row + start)
    return Batch(part, batch.start + start, moved)
