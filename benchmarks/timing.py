"""Interleaved timing: in each round every contender runs once, so that a busy spell hits all."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Call = Callable[[], Any]

# A sample lasts so long at least: below it, waking threads and the clock would be the measurement.
SAMPLE_SECONDS: Final = 0.002


@dataclass(frozen=True)
class Effort:
    """How much is measured of each contender."""

    least: int = 3
    most: int = 25
    seconds: float = 4.0


@dataclass
class Samples:
    """Seconds per call, one for each round."""

    seconds: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between which times half of the samples lie: the spread that noise makes."""
        if len(self.seconds) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, high

    def wants_more(self, effort: Effort, calls: int) -> bool:
        done = len(self.seconds)
        spent = sum(self.seconds) * calls
        return done < effort.least or (done < effort.most and spent < effort.seconds)


def seconds_of(call: Call, calls: int = 1) -> float:
    """Seconds per call; the last result is freed after the clock has stopped."""
    start = time.perf_counter()
    for _ in range(calls):
        result = call()
    elapsed = time.perf_counter() - start
    del result
    return elapsed / calls


def interleaved(contenders: Mapping[str, Call], effort: Effort) -> dict[str, Samples]:
    """Samples of warm calls: each has run before, if only to have its answer checked."""
    calls = {name: _calls_per_sample(call) for name, call in contenders.items()}
    samples = {name: Samples() for name in contenders}
    order = random.Random(0)
    gc.collect()
    while active := [name for name in calls if samples[name].wants_more(effort, calls[name])]:
        # What ran before leaves its data in the caches: it is to be another one each time.
        for name in order.sample(active, len(active)):
            samples[name].seconds.append(seconds_of(contenders[name], calls[name]))
    return samples


def _calls_per_sample(call: Call) -> int:
    return max(1, round(SAMPLE_SECONDS / max(seconds_of(call), 1e-7)))
