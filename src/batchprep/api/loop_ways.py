"""Which way of a loop takes less time: in columns, or as it is written.

The loop as it is written is timed on rows that the columns take anyway, with states of its own,
so that nobody sees it: only where the columns could do those rows, whose values are plain.
"""

from __future__ import annotations

import copy
import datetime as dt
import itertools
import time
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import FunctionType
from typing import Any, Final

from batchprep.batch.batch import Batch
from batchprep.batch.record_rows import RecordRows
from batchprep.loops.generate import plain_loop
from batchprep.loops.go_on import GoOn
from batchprep.loops.loop import Loop
from batchprep.rowfn.trace import Trace
from batchprep.run.either_way import part_of_batch
from batchprep.run.inputs import plans_of
from batchprep.run.ways import LARGE, TRIAL, Ways, WaysBySize

# Rows of a trial: they run once more than needed.
TRIED: Final = 1_024
# Of so many records the first trial has as many, too: fewer are read in another way than many are,
# and tell little of them.
MANY: Final = 32_768
TRIED_FORMS: Final = ("records", "enumerate", "range")
FASTER_AS_WRITTEN: Final = "the loop as it is written takes less time"
# What nobody can write into, and whose operators run no code of the user's.
PLAIN: Final[frozenset[type]] = frozenset(
    {bool, int, float, complex, str, bytes, type(None), Decimal, Fraction}
    | {dt.date, dt.datetime, dt.time, dt.timedelta}
)
EMPTIED: Final[frozenset[type]] = frozenset(
    {list, dict, set, deque, defaultdict, Counter, OrderedDict}
)
FACTORIES: Final = frozenset({None, bool, int, float, str, list, dict, set})
States = dict[str, Any]


class FasterAsWritten(GoOn):
    """The loop itself runs from here on because it is the faster one."""

    def __init__(self) -> None:
        super().__init__(FASTER_AS_WRITTEN)


class LoopWays:
    """The ways of one loop, for records of about one size each."""

    def __init__(self, function: FunctionType, loop: Loop) -> None:
        self._function = function
        self._loop = loop
        self._written: dict[frozenset[str], FunctionType] = {}
        self._by_form: dict[type, WaysBySize] = {}
        self._risen = False  # whether numba's kernel was there

    @property
    def may_be_tried(self) -> bool:
        """Whether a trial leaves records as they are, and needs none beside its own."""
        loop = self._loop
        return loop.form in TRIED_FORMS and not (loop.writes or loop.earlier or loop.skipped)

    def known(self, *, made: bool) -> tuple[Ways, ...]:
        """What has been measured, the largest batches last; `made`: of columns, not of dicts."""
        forms = self._by_form.items()
        found = (by_size.known for form, by_size in forms if (form is not RecordRows) is made)
        return tuple(itertools.chain.from_iterable(found))

    def _ways(self, form: type, length: int) -> Ways:
        """The ways of rows of that form, in batches of that length."""
        by_size = self._by_form.setdefault(form, WaysBySize())
        return by_size.of(length, first=TRIED if length >= MANY else TRIAL)

    def _heed(self, trace: Trace | None) -> None:
        """Have both ways tried again where a faster kernel has come since."""
        plans = None if trace is None else plans_of(trace)
        risen = plans is not None and plans.has_kernels and plans.has_risen()
        if risen and not self._risen:
            self._by_form.clear()
        self._risen = risen

    def is_faster_as_written(self, records: list[Any], most: int, trace: Trace) -> bool:
        """Whether the whole list goes as it is written, which is counted; `most`: of a batch."""
        self._heed(trace)
        length = min(len(records), most)
        ways = self._ways(RecordRows, length)
        if ways.next(length) != ("interpreter", None):
            return False
        ways.took("interpreter", len(records), 0.0, length, _as_before)
        plans_of(trace).interpreted(len(records))
        return True

    def parts(
        self,
        batch: Batch,
        first: int,
        names: Mapping[str, Any],
        fresh: States | None,
        trace: Callable[[], Trace | None],
    ) -> Iterator[Batch]:
        """Parts of a batch that the columns are to do, each done when the next is asked.

        `names` are the local names before the loop, `fresh` what its states are then: see
        fresh_states. `trace` is that of the columns, once there is one.

        Errors:  FasterAsWritten where the loop itself is to go on
        """
        length, start = len(batch), 0
        if not getattr(batch.rows, "divisible", False):
            yield batch
            return
        self._heed(trace())
        ways = self._ways(type(batch.rows), length)
        while start < length:
            way, most = ways.next(length)
            if way == "interpreter" and most is None:
                ways.took(way, length - start, 0.0, length, _as_before)
                found = trace()
                if found is not None:
                    plans_of(found).interpreted(length - start)
                raise FasterAsWritten
            end = length if most is None or length < LARGE else min(length, start + most)
            if way == "interpreter":
                end = min(end, start + TRIED)
                tried = range(start, end)
                seconds = None if fresh is None else self._tried(batch, tried, first, names, fresh)
                if seconds is None:
                    yield part_of_batch(batch, start, length)
                    return
                ways.took(way, end - start, seconds, length, _as_before)
                continue
            begun = time.thread_time()
            yield part_of_batch(batch, start, end)
            ways.took(way, end - start, time.thread_time() - begun, length, _as_before)
            start = end

    def _tried(
        self, batch: Batch, tried: range, first: int, names: Mapping[str, Any], fresh: States
    ) -> float | None:
        """Seconds that the loop as it is written takes for some rows; None: it is not tried."""
        begun = time.thread_time()
        records = part_of_batch(batch, tried.start, tried.stop).records()  # made, of columns
        made = time.thread_time() - begun
        if not are_plain(records):
            return None
        written = self._as_written(frozenset(names))
        known = {**names, **(fresh_states(fresh) or {})}
        asked = written.__code__.co_varnames[1 : 1 + written.__code__.co_kwonlyargcount]
        given = {name: known[name] for name in asked}
        rows = self._rows(records, batch.start + tried.start, first)
        begun = time.thread_time()
        try:
            written(rows, **given)
        except Exception:  # noqa: BLE001  the row raises in its own turn, too
            return None
        return made + time.thread_time() - begun

    def _as_written(self, bound: frozenset[str]) -> FunctionType:
        found = self._written.get(bound)
        if found is None:
            found = self._written[bound] = plain_loop(self._function, self._loop, bound)
        return found

    def _rows(self, records: Sequence[Any], start: int, first: int) -> Iterable[Any]:
        """What the loop goes over."""
        match self._loop.form:
            case "range":
                return range(first + start, first + start + len(records))
            case "enumerate":
                return enumerate(records, first + start)
            case _:
                return records


def are_plain(records: Sequence[Any]) -> bool:
    """Whether records are dicts of values that no loop can write into."""
    if any(type(record) is not dict for record in records):
        return False
    values = itertools.chain.from_iterable(map(dict[Any, Any].values, records))
    return PLAIN.issuperset(map(type, values))


def fresh_states(states: Mapping[str, Any]) -> States | None:
    """The same states for a trial, which may write into its own; None: they cannot be had."""
    fresh: States = {}
    for name, value in states.items():
        if type(value) in EMPTIED and not value and _makes_plain(value):
            fresh[name] = copy.copy(value)
        elif type(value) in PLAIN:
            fresh[name] = value
        else:
            return None
    return fresh


def _makes_plain(container: Any) -> bool:
    """Whether a defaultdict calls no code of the user's for its values."""
    return getattr(container, "default_factory", None) in FACTORIES


def _as_before(_rows: int) -> float:
    return 1.0
