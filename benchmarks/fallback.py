"""A function that cannot be compiled: what batchprep costs on top of the plain loop."""

from __future__ import annotations

import random
from functools import partial
from typing import Any, Final

import batchprep as bp
from benchmarks.agreement import WrongAnswerError
from benchmarks.suite import Case, Run
from benchmarks.timing import interleaved
from benchmarks.trades import as_records, trades

SEED: Final = 7
DRAW: Final = random.Random(SEED)


def jittered(r: dict[str, Any]) -> float:
    # Its answer depends on the calls before: no compiler may touch it.
    return r["price"] * r["volume"] + DRAW.random()


def _loop(records: list[dict[str, Any]]) -> list[float]:
    return [jittered(r) for r in records]


def measure(run: Run) -> list[Case]:
    """One case: the loop, and the call that falls back whole."""
    run.say("whole fallback")
    records = as_records(trades(run.scale.fallback_rows))
    falls_back = bp.vectorize(jittered, on_unsupported="ignore")
    if _reseeded(falls_back, records) != _reseeded(_loop, records):
        raise WrongAnswerError("fallback", "not the row loop's answer")
    (stage,) = falls_back.report().stages
    if stage.compiled:
        raise WrongAnswerError("jittered", "was compiled, the benchmark needs another function")
    samples = interleaved(
        {"row_loop": partial(_loop, records), "fallback": partial(falls_back, records)},
        run.scale.effort,
    )
    medians = {name: found.median for name, found in samples.items()}
    return [
        {
            "rows": len(records),
            "reason": stage.reason,
            "loop_seconds": medians["row_loop"],
            "fallback_seconds": medians["fallback"],
            "ratio_to_loop": medians["fallback"] / medians["row_loop"],
        }
    ]


def _reseeded(function: Any, records: list[dict[str, Any]]) -> list[float]:
    DRAW.seed(SEED)
    return function(records)
