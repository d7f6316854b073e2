"""The records that a loop goes over, and what is left of them."""

from __future__ import annotations

import datetime as dt
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain, islice, pairwise
from types import FunctionType
from typing import Any, Final

from batchprep.api.programs import surroundings
from batchprep.batch.batch import Batch
from batchprep.loops import messages
from batchprep.loops.earlier import values_of
from batchprep.loops.go_on import GoOn
from batchprep.loops.names import Names
from batchprep.loops.own import check_own, dicts_in
from batchprep.loops.units import Analysis, refuse
from batchprep.records import Source, open_source
from batchprep.records.list import ListSource
from batchprep.records.reused import PROBED, apart
from batchprep.run.either_way import records_made

ROWS: Final = 131_072
# A loop that may end early is not run far beyond its end.
ROWS_OF_SEARCH: Final = 16_384
BY_PLACE: Final = ("range", "pairs", "pairwise")  # loops over what has places
CONTAINERS: Final = (list, dict, set, deque)
# What an operator or a method does to these is known; a class of the user's may do anything.
STATES: Final[frozenset[type]] = frozenset(
    {bool, int, float, complex, str, bytes, type(None), tuple, frozenset, list, dict, set}
    | {defaultdict, Counter, OrderedDict, deque, Decimal, Fraction}
    | {dt.date, dt.datetime, dt.time, dt.timedelta}
)


@dataclass(frozen=True)
class ColumnRecords:
    """Records that lie in columns: their number is known, and they are made when asked for."""

    source: Source

    def __len__(self) -> int:
        return self.source.length or 0


def batches_of(source: Source, analysis: Analysis) -> Iterator[Batch]:
    """The batches that the loop goes over, smaller ones where it may end early."""
    if analysis.ends_early or isinstance(source, ListSource):
        return source.batches(rows_of_batch(analysis))
    return source.batches()


def rows_of_batch(analysis: Analysis) -> int:
    """How many records a batch of a list has at most."""
    return ROWS_OF_SEARCH if analysis.ends_early else ROWS


def first_number(start: Any, names: Mapping[str, Any]) -> int:
    """What enumerate counts from: a constant or a local name."""
    if start is None:
        return 0
    value = getattr(start, "value", None)
    found = names.get(start.id) if hasattr(start, "id") else value
    if type(found) is not int:
        raise GoOn(messages.OTHER_ITERABLE[0])
    return found


class LoopRecords:
    """The records of the loop, and what is left of them."""

    def __init__(self, parameter: str, names: Mapping[str, Any], states: Mapping[str, Any]) -> None:
        self.given = names[parameter]
        self.names = names
        self.states = states
        self.parameter = parameter
        self.error: Exception | None = None
        self.held = set[int]()

    def source(self, analysis: Analysis, function: FunctionType) -> Source:
        """The source of the rows."""
        if isinstance(self.given, ColumnRecords):
            source = self.given.source
        else:
            source = open_source(self.given)
        loop = analysis.split.loop
        if source.kind == "iterator":
            # What it hands out twice may be one dict, or one that it fills anew: only the loop
            # itself writes into the right one.
            if loop.writes:
                refuse(analysis, messages.WRITES_WHAT_COMES)
            if loop.form in BY_PLACE:
                raise GoOn(messages.ROW_RAISES)
            source = self.materialised(analysis)
        elif loop.form in BY_PLACE:
            if type(self.given) is not list:
                raise GoOn(messages.ROW_RAISES)
            source = open_source(self.given[1:]) if loop.skipped else source
        self.check_apart(analysis, function)
        return source

    def materialised(self, analysis: Analysis) -> Source:
        if analysis.ends_early:
            refuse(analysis, messages.STOPS_EARLY)
        pulled: list[Any] = []
        try:
            pulled.extend(apart(iter(self.given), PROBED))
        except Exception as error:  # noqa: BLE001  raised again in its turn, after the rows before it
            self.error = error
        self.given = pulled
        if self.error is not None:
            raise GoOn(messages.ROW_RAISES)
        return open_source(pulled)

    def check_apart(self, analysis: Analysis, function: FunctionType) -> None:
        """Each state must be an object of its own, or a change of one would change another."""
        if not all(type(state) in STATES for state in self.states.values()):
            refuse(analysis, messages.OTHER_STATE)
        others = [*self.names.items(), *(("", value) for value in surroundings(function))]
        for name, state in self.states.items():
            if isinstance(state, CONTAINERS) and any(
                other is state for known, other in others if known != name
            ):
                refuse(analysis, messages.SHARED_OBJECT)
        loop = analysis.split.loop
        if loop.writes:
            running = {name for level in analysis.levels for name in level.told}
            bodies = [loop.body, *(level.split.loop.body for level in analysis.levels)]
            read = Names(chain.from_iterable(bodies)).all - (loop.states - running) - {loop.row}
            self.held = dicts_in(function, read, self.names)

    def check_own(self, batch: Batch, analysis: Analysis) -> None:
        """Where the loop writes into its records, no other row and no name may see it."""
        loop = analysis.split.loop
        if loop.writes:
            check_own(batch.records(), self.held, loop.augmented)

    def earlier(self, batch: Batch, analysis: Analysis) -> dict[str, list[Any]]:
        """What is given of the record before each one of a batch."""
        loop = analysis.split.loop
        if not loop.earlier or not len(batch):
            return {}
        first = batch.start + loop.skipped - 1
        records = self.given[max(first, 0) : first + len(batch)]
        # records[i - 1] of the first one is the last.
        return values_of(loop.earlier, records if first >= 0 else [self.given[-1], *records])

    def rest(self, done: int, form: str, first: int) -> Iterable[Any]:
        """What the loop itself goes on over."""
        if form == "range":
            return range(done + first, len(self.given))
        if form == "pairwise":
            return islice(pairwise(self.given), done, None)
        if form == "pairs":
            return islice(zip(self.given, self.given[1:], strict=False), done, None)
        records = self.left(done)
        return enumerate(records, first + done) if form == "enumerate" else records

    def left(self, done: int) -> Iterable[Any]:
        if isinstance(self.given, ColumnRecords):
            made = map(records_made, self.given.source.batches())
            return islice(chain.from_iterable(made), done, None)
        records: Iterable[Any] = islice(self.given, done, None) if done else self.given
        return records if self.error is None else chain(records, _raising(self.error))


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield
