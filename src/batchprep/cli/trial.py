"""One trial of the demo: a row function as a loop and compiled, timed and compared."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import eq
from typing import Any, Final

import pyarrow as pa

from batchprep.api import Vectorized, vectorize

RUNS: Final = 3  # timed calls, once the kernel is there
PATIENCE: Final = 20.0  # seconds that a compile in the background may take


@dataclass(frozen=True)
class Trial:
    """What was measured; times in seconds."""

    function: str
    given: str
    rows: int
    loop: float
    first: float
    steady: float
    backend: str
    deviations: int
    differing: int

    @property
    def speedup(self) -> float:
        """The loop's time over that of a call in steady state."""
        return self.loop / self.steady


def row_loop(
    function: Callable[[Any], Any], records: list[dict[str, Any]]
) -> tuple[list[Any], float]:
    """What the function gives row by row, and the seconds it took."""
    return timed(lambda: [function(record) for record in records])


def run_trial(
    function: Callable[[Any], Any], data: Any, given: str, expected: list[Any], loop: float
) -> Trial:
    """The function compiled, over the data, against what the loop gave."""
    compiled = vectorize(function)
    result, first = timed(lambda: compiled(data))
    differing = count_differing(_as_list(result), expected)
    _wait_for_kernel(compiled, data)
    times: list[float] = []
    for _ in range(RUNS):
        result, seconds = timed(lambda: compiled(data))
        times.append(seconds)
    differing += count_differing(_as_list(result), expected)
    (stage,) = compiled.report().stages
    return Trial(
        function=function.__name__,
        given=given,
        rows=len(expected),
        loop=loop,
        first=first,
        steady=statistics.median(times),
        backend=stage.backend,
        deviations=sum(stage.deviations.values()),
        differing=differing,
    )


def _wait_for_kernel(compiled: Vectorized, data: Any) -> None:
    """Call until the kernel that compiles in the background has taken over."""
    deadline = time.perf_counter() + PATIENCE
    while time.perf_counter() < deadline:
        compiled(data)
        (stage,) = compiled.report().stages
        # A reason stands there if the kernel will not come.
        if "numba" in stage.backend or not stage.compiled or stage.reason:
            return
        time.sleep(0.1)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What the call gives, and its seconds."""
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def count_differing(got: list[Any], expected: list[Any]) -> int:
    """Rows whose value, type, zero sign or key order differs from the loop's."""
    # repr tells 1 from 1.0 and True, 0.0 from -0.0, and nan equals nan.
    matching = sum(map(eq, map(repr, got), map(repr, expected)))
    return max(len(got), len(expected)) - matching


def _as_list(result: Any) -> list[Any]:
    if isinstance(result, pa.Table | pa.ChunkedArray):
        return result.to_pylist()
    return result


def worst(trials: Iterable[Trial]) -> int:
    """Rows that differ, over all trials."""
    return sum(trial.differing for trial in trials)
