"""A function that cannot be compiled: what batchprep costs on top of the plain loop."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from benchmarks import contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.aims import Aim, at_most
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run
from benchmarks.trades import as_records, trades

TITLE: Final = "A function that falls back whole, from dicts"
SEED: Final = 7
DRAW: Final = random.Random(SEED)
MOST: Final = 1.1
CONTESTANTS: Final = Contestants()
Record = dict[str, Any]


def jittered(r: Record) -> float:
    # Its answer depends on the calls before: no compiler may touch it.
    return r["price"] * r["volume"] + DRAW.random()


def measure(run: Run) -> list[Case]:
    """One case: the loop, and the call that falls back whole."""
    run.say("whole fallback")
    (rows,) = run.sizes(full=(100_000,), quick=(20_000,))
    records = as_records(trades(rows))
    DRAW.seed(SEED)
    expected = [jittered(r) for r in records]

    def check(name: str, _answer: Any) -> Rounding:
        DRAW.seed(SEED)
        if CONTESTANTS[name].prepare(None)(records) != expected:
            raise WrongAnswerError(name, "not the row loop's answer")
        return Rounding()

    data = {"records": records}
    return [
        contest.hold(
            run,
            CONTESTANTS,
            None,
            data,
            check,
            labels={},
            rows=rows,
            form="records",
            notes=reason,
        )
    ]


def reason(report: Any) -> dict[str, Any]:
    """Why it was not compiled."""
    (stage,) = report.stages
    if stage.compiled:
        raise WrongAnswerError("jittered", "was compiled, the benchmark needs another function")
    return {"reason": stage.reason}


def aims(cases: list[Case]) -> Iterator[Aim]:
    """Falling back whole costs at most a tenth."""
    for case in cases:
        yield at_most("whole fallback, times the loop", 1 / case["times"][ROW_LOOP]["ratio"], MOST)


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep", settles=True)
def _batchprep(_task: None) -> Callable[[list[Record]], list[float]]:
    import batchprep as bp

    return bp.vectorize(jittered, on_unsupported="ignore")


@CONTESTANTS.enter(ROW_LOOP, "row loop")
def _row_loop(_task: None) -> Callable[[list[Record]], list[float]]:
    return lambda records: [jittered(r) for r in records]
