"""One thread and all: what is gained, what stays serial, and what that means for more cores."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from benchmarks import contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.contest import OURS, Contestants
from benchmarks.limit import Limit
from benchmarks.suite import Case, Run, skipped
from benchmarks.tasks import article, wide
from benchmarks.trades import trades

TITLE: Final = "One thread and all, from Arrow"
ONE: Final = "batchprep_one"
MANY_CORES: Final = 64
REPORTS: Final = 9
FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "root": article.sqrt_value,
    "wide": wide.features,
}
WORDS: Final = {"root": "the root above 50,000", "wide": "eight features"}
CONTESTANTS: Final = Contestants()
Call = Callable[[Any], Any]


def measure(run: Run) -> list[Case]:
    """Medians per function, with the serial share and Amdahl's estimate."""
    (rows,) = run.sizes(full=(3_000_000,), quick=(100_000,))
    tables = {"root": partial(trades, rows), "wide": partial(wide.table, rows)}
    return [_case(run, name, rows, make) for name, make in tables.items()]


def _case(run: Run, name: str, rows: int, make: Callable[[], Any]) -> Case:
    labels = {"function": name}
    if run.over:
        return skipped(labels, rows)
    run.say(f"scaling: {WORDS[name]}, {rows:,} rows")
    table = make()
    with_one = _limited(FUNCTIONS[name], 1)
    expected = with_one(table)
    _check_part(name, table, expected)

    def check(who: str, answer: Any) -> Rounding:
        if who in {OURS, ONE} and answer != expected:
            raise WrongAnswerError(who, "another answer than on one thread")
        return Rounding()

    found = contest.hold(run, CONTESTANTS, name, {"arrow": table}, check, labels=labels, rows=rows)
    cores = len(os.sched_getaffinity(0))
    found["notes"] |= {"threads": cores, **parts(with_one, table)}
    found["notes"] |= estimated(found["times"], found["notes"], cores, run.limit)
    return found


def _check_part(name: str, table: Any, answer: Any) -> None:
    """That the first rows are the row loop's: the tasks of their own check all of them."""
    rows = 1_000
    expected = [FUNCTIONS[name](r) for r in table.slice(0, rows).to_pylist()]
    if answer.slice(0, rows).to_pylist() != expected:
        raise WrongAnswerError(OURS, "not the row loop's answer")


def parts(call: Call, table: Any) -> dict[str, float]:
    """Seconds of a call on one thread within its stages and outside of them, as it reports them."""
    import batchprep as bp

    inside, outside = [], []
    for _ in range(REPORTS):
        call(table)
        report = bp.last_report()
        assert report is not None
        inside.append(sum(stage.seconds for stage in report.stages))
        outside.append(report.seconds - inside[-1])
    return {
        "stages_seconds": statistics.median(inside),
        "outside_seconds": statistics.median(outside),
    }


def estimated(
    times: Mapping[str, Any], notes: Mapping[str, float], cores: int, limit: Limit | None
) -> dict[str, float]:
    """The serial share, from the report and from the gain, and Amdahl's estimate of many cores.

    The report's share is the least that it can be: a stage has serial work inside, too. The gain's
    takes for serial whatever a busy or memory-bound machine withholds. The estimates between the
    two take bandwidth to grow with the cores, which `bandwidth_gain` doubts.
    """
    gain = times[ONE]["ratio"]
    reported = notes["outside_seconds"] / (notes["outside_seconds"] + notes["stages_seconds"])
    found = {
        "gain": gain,
        "serial_share_by_report": max(0.0, reported),
        "serial_share_by_gain": serial_share(gain, cores),
    }
    for way in ("report", "gain"):
        share = found[f"serial_share_by_{way}"]
        found[f"gain_at_{MANY_CORES}_by_{way}"] = amdahl(share, MANY_CORES)
    if limit is not None:
        found["bandwidth_gain"] = limit.triad_all_threads / limit.triad_one_thread
    return found


def serial_share(gain: float, cores: int) -> float:
    """The share of one thread's time that more threads do not shorten (Karp and Flatt 1990)."""
    if cores == 1:
        return 1.0
    return min(1.0, max(0.0, (1 / gain - 1 / cores) / (1 - 1 / cores)))


def amdahl(serial: float, cores: int) -> float:
    """How many times as fast so many cores are, if that share stays serial (Amdahl 1967)."""
    return 1 / (serial + (1 - serial) / cores)


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep, all threads", settles=True)
def _all_threads(name: str) -> Call:
    return _limited(FUNCTIONS[name], None)


@CONTESTANTS.enter(ONE, "batchprep, one thread", settles=True)
def _one_thread(name: str) -> Call:
    return _limited(FUNCTIONS[name], 1)


@CONTESTANTS.enter("by_hand", "numba by hand, all threads")
def _by_hand(name: str) -> Call:
    return _written(name, None)


@CONTESTANTS.enter("by_hand_one", "numba by hand, one thread")
def _by_hand_one(name: str) -> Call:
    return _written(name, 1)


def _written(name: str, threads: int | None) -> Call:
    return wide.by_hand(threads) if name == "wide" else article.by_hand(article.SQRT, threads)


def _limited(function: Callable[[Any], Any], threads: int | None) -> Call:
    import batchprep as bp

    compiled = bp.vectorize(function)

    def run(table: Any) -> Any:
        with bp.use(threads=threads):
            return compiled(table)

    return run
