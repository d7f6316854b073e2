"""The compiled form or the interpreter, whichever takes less time: measured while the work is done.

Code that Python itself evaluates for each row gains little from columns, and a handful of rows
gains nothing: there the plain loop may be faster. Each way is timed on rows that have to be done
anyway, and the faster one gets the rest.
"""

from __future__ import annotations

import bisect
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from batchprep.rowfn.trace import Trace

Way = Literal["compiled", "interpreter"]
# Of rows that were looked at, how often they repeat in the batch: see run/repeats.py.
Share = Callable[[int], float]

# Rows of the first trials: the first compiled ones make the kernels and tell nothing.
WARM_UP: Final = 256
TRIAL: Final = 256
TRIALS: Final = 3
BRIEF_TRIALS: Final = 2
# Batches below this have ways of their own: what a call costs by itself weighs in each row.
LARGE: Final = 1_024
SIZES: Final = (16, 64, 256, LARGE, 4_096, 16_384, 65_536, 262_144)
# Compiled rows cost the less the more there are: what a batch costs by itself, and a text that
# stands in many rows, weigh less. So trials grow while that may still turn the scale.
GROWTH: Final = 4
MOST: Final = 65_536  # one chunk: more may go over several threads
# Whole batches are timed each as one. Before the interpreter gets one that is not small, it shows
# with its first rows that it is not slower by far; they are cold, and tell no more than that.
FAR: Final = 3.0
FIRST_ROWS: Final = 1_024
# Both ways are tried again after so many rows, or so many small batches, and then after twice as
# many each time that the answer is the same.
AGAIN_ROWS: Final = 500_000
AGAIN_CALLS: Final = 200
LEAST_OFTEN: Final = 64
# It takes over only if it is faster by this much: two equal ways do not take turns.
MARGIN: Final = 0.9


class Next(NamedTuple):
    """The way of the next rows, and of how many at most; None: as many as there are."""

    way: Way
    most: int | None


class Trial(NamedTuple):
    """Rows that were timed together."""

    rows: int
    seconds: float  # of one row


class Ways:
    """What both ways take, for batches of about one size; `tried` says what came of the trials.

    `whole`: each batch goes one way, since parts of it would cost more by themselves. `brief`: only
    until a faster kernel is there, so that few trials have to do. `first` is how many rows the
    first trial has.
    """

    def __init__(self, *, whole: bool = False, brief: bool = False, first: int = TRIAL) -> None:
        self._whole, self.brief, self._first = whole, brief, first
        self.best: Way = "compiled"
        self.tried: tuple[Trial, Trial] | None = None  # of the interpreter, and compiled
        self._warm = False
        self._settled = False
        self._since = self._again = 0  # rows of large batches, or small batches
        self._patience = 1
        self._trials: dict[Way, list[Trial]] = {"interpreter": [], "compiled": []}

    def settled(self, length: int) -> Way | None:
        """The way of a whole batch, which is counted; None where something is to be measured."""
        if not self._settled:
            return None
        best = self.best
        self._since += length if length >= LARGE else 1
        if self._since >= self._again:
            self._open()
        return best

    def is_settled_on(self, way: Way) -> bool:
        """Whether a whole batch would go that way now."""
        return self._settled and self.best == way

    def next(self, length: int) -> Next:
        """What comes next in a batch of so many rows."""
        if not self._warm:
            return Next("compiled", None if self._whole else WARM_UP)
        if self._settled:
            return Next(self.best, None)
        if self._whole:
            return self._next_whole(length)
        # In turns, and over as many rows, so that both see the same load of the machine.
        by_python, compiled = self._trials["interpreter"], self._trials["compiled"]
        if len(by_python) <= len(compiled):
            return Next("interpreter", self._size(length))
        return Next("compiled", self._size(length))

    def _next_whole(self, length: int) -> Next:
        by_python, compiled = self._trials["interpreter"], self._trials["compiled"]
        if len(by_python) >= len(compiled):
            return Next("compiled", None)
        return Next("interpreter", None if by_python or length < LARGE else FIRST_ROWS)

    def took(self, way: Way, rows: int, seconds: float, length: int, share: Share) -> None:
        """Note what rows of a batch of that length took."""
        trials = self._trials  # another thread may put new ones in their place
        if not self._warm:
            self._warm = True
        elif self._settled:
            self.settled(rows if length >= LARGE else 1)
        else:
            trials[way].append(Trial(rows, seconds / rows))
            self._judge(trials["interpreter"], trials["compiled"], length, share)

    def _size(self, length: int) -> int:
        """Rows of the next trial: the second size twice, since one slow trial shall not decide."""
        done = len(self._trials["compiled"])
        grown = self._first if done == 0 else self._first * GROWTH ** max(1, done - 1)
        return min(grown, length, MOST)

    def _judge(
        self, tried: Sequence[Trial], compiled: Sequence[Trial], length: int, share: Share
    ) -> None:
        if not tried or not compiled:
            return
        trials = BRIEF_TRIALS if self.brief else TRIALS
        enough = len(tried) >= trials <= len(compiled)
        if self._whole or length < LARGE:
            by_python, least = _least(tried), _least(compiled)
            far = length >= LARGE and by_python.seconds > FAR * least.seconds
            if enough or far:
                self._settle(by_python, least, length)
        elif enough and len(compiled) >= len(tried):
            self._judge_grown(tried, compiled, length, share)

    def _judge_grown(
        self, tried: Sequence[Trial], compiled: Sequence[Trial], length: int, share: Share
    ) -> None:
        least = _least(compiled)
        # Over not much fewer rows: short trials miss what slows down all.
        by_python = _least([trial for trial in tried if trial.rows * GROWTH >= least.rows] or tried)
        *_, before, _last = compiled
        whole = before.rows * 2 > min(length, MOST)  # as large as a trial gets, and twice
        clear = whole or self._holds(_of_many(tried), least.seconds)
        if clear or not self._may_turn(by_python.seconds, compiled, share):
            self._settle(by_python, least, length)

    def _may_turn(self, by_python: float, compiled: Sequence[Trial], share: Share) -> bool:
        """Whether more rows at once may yet make the compiled way the faster one."""
        best, rows = _of_many(compiled), compiled[-1].rows
        return self._holds(by_python, best) or self._holds(by_python, best * share(rows))

    def _holds(self, by_python: float, compiled: float) -> bool:
        """Whether the compiled way keeps the rows, or gets them back."""
        if self.best == "compiled":
            return MARGIN * compiled <= by_python
        return compiled < MARGIN * by_python

    def _settle(self, by_python: Trial, compiled: Trial, length: int) -> None:
        holds = self._holds(by_python.seconds, compiled.seconds)
        best: Way = "compiled" if holds else "interpreter"
        again = self._patience * 2 if self.tried is not None and best == self.best else 1
        # What is slower by far costs the more to try, and is the less likely to be faster.
        slower = max(by_python.seconds, compiled.seconds)
        times = int(slower / max(min(by_python.seconds, compiled.seconds), 1e-12))
        self._patience = min(max(again, times), LEAST_OFTEN)
        self._again = self._patience * (AGAIN_ROWS if length >= LARGE else AGAIN_CALLS)
        self.best, self.tried, self._since, self._settled = best, (by_python, compiled), 0, True

    def _open(self) -> None:
        """Have both ways tried again."""
        self._trials = {"interpreter": [], "compiled": []}
        self._settled = False


def _least(trials: Iterable[Trial]) -> Trial:
    return min(trials, key=_seconds)


def _seconds(trial: Trial) -> float:
    return trial.seconds


def _of_many(trials: Sequence[Trial]) -> float:
    """Seconds a row of ever more rows, if what falls is what each batch costs by itself."""
    last = trials[-1].rows
    more = _least(trial for trial in trials if trial.rows == last)
    fewer = next((trial for trial in reversed(trials) if trial.rows < last), None)
    if fewer is None:
        return more.seconds
    times = more.rows / fewer.rows
    return min(more.seconds, max(0.0, (times * more.seconds - fewer.seconds) / (times - 1)))


class WaysBySize:
    """The ways of one trace, for one form of data and of results."""

    def __init__(self) -> None:
        self._ways: dict[int, Ways] = {}

    def of(
        self, rows: int, *, whole: bool = False, brief: bool = False, first: int = TRIAL
    ) -> Ways:
        """Those for batches of about so many rows; `whole`, `brief`, `first`: as Ways has them."""
        size = bisect.bisect(SIZES, rows)
        return self._ways.get(size) or self._ways.setdefault(
            size, Ways(whole=whole, brief=brief, first=first)
        )

    @property
    def known(self) -> tuple[Ways, ...]:
        """Those that have settled once, the largest batches last."""
        found = (self._ways[size] for size in sorted([*self._ways]))
        return tuple(ways for ways in found if ways.tried is not None)


_ways: Final[dict[int, tuple[weakref.ref[Trace], dict[object, WaysBySize]]]] = {}


def ways_of(trace: Trace, form: object = None) -> WaysBySize:
    """The ways of a trace for one form, kept as long as the trace lives."""
    known = _ways.get(id(trace))  # as _of_trace, without a call of it
    ways = known[1] if known is not None and known[0]() is trace else _of_trace(trace)
    return ways.get(form) or ways.setdefault(form, WaysBySize())


def known_ways(trace: Trace) -> tuple[Ways, ...]:
    """All that has been measured of a trace, the largest batches last."""
    return tuple(ways for by_size in [*_of_trace(trace).values()] for ways in by_size.known)


def _of_trace(trace: Trace) -> dict[object, WaysBySize]:
    key = id(trace)
    found = _ways.get(key)
    if found is not None and found[0]() is trace:
        return found[1]
    ways: dict[object, WaysBySize] = {}
    _ways[key] = (weakref.ref(trace, lambda _: _ways.pop(key, None)), ways)
    return ways
