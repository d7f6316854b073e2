"""Command line of the fuzzer: `python -m tests.fuzz --functions 1000 --backend numba`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import secrets
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass

from tests.fuzz.campaign import bound_process, run_shard
from tests.fuzz.counts import Counts, table
from tests.fuzz.records import Grammar

SHARD = 20  # functions
SHARDS_A_PROCESS = 25  # numba frees no kernel: an hour in one process takes 5 GiB
FIRST_SEED = 1000  # of the derandomized run; the seeds below are those of the test suite


@dataclass(frozen=True)
class Campaign:
    """How long to run, on what, and with which seeds."""

    backends: tuple[str, ...]
    functions: int | None
    seconds: float | None
    first_seed: int
    grammar: Grammar = "core"

    def shards(self) -> Iterator[tuple[int, int]]:
        """Seed and size of each shard, until there are enough functions or time is up."""
        started, number, left = time.monotonic(), self.first_seed, self.functions
        while left is None or left > 0:
            if self.seconds is not None and time.monotonic() - started > self.seconds:
                return
            size = SHARD if left is None else min(SHARD, left)
            yield number, size
            number += 1
            left = None if left is None else left - size


def run(campaign: Campaign) -> int:
    """Exit code: 0 when no function differs from its loop."""
    counts, started = Counts(), time.monotonic()
    spawn = multiprocessing.get_context("spawn")
    workers = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(
        workers, spawn, initializer=bound_process, max_tasks_per_child=SHARDS_A_PROCESS
    ) as pool:
        for shard, done in _completed(pool, campaign):
            if error := done.exception():
                print(
                    f"in the shard of --grammar {campaign.grammar} --seed {shard}", file=sys.stderr
                )
                pool.shutdown(cancel_futures=True)
                print(error, file=sys.stderr)
                return 1
            counts.add(Counts.from_dict(done.result()))
            print(_progress(counts, time.monotonic() - started), flush=True)
    print(table(counts))
    return 0


def _completed(pool: ProcessPoolExecutor, campaign: Campaign) -> Iterator[tuple[int, Future[dict]]]:
    """Shards as they end. Of a process that dies, the oldest shard is named: it or the next."""
    # A few shards ahead: with a time limit there is no knowing how many will be wanted.
    running: dict[Future[dict], int] = {}
    for number, size in campaign.shards():
        running[_submit(pool, campaign, number, size)] = number
        if len(running) > len(os.sched_getaffinity(0)):
            done = wait(running, return_when=FIRST_COMPLETED).done
            yield from sorted(
                (running.pop(future), future) for future in list(running) if future in done
            )
    yield from sorted((number, future) for future, number in running.items())


def _submit(pool: ProcessPoolExecutor, campaign: Campaign, number: int, size: int) -> Future[dict]:
    return pool.submit(run_shard, campaign.backends, number, size, campaign.grammar)


def _progress(counts: Counts, seconds: float) -> str:
    ran = ", ".join(f"{n:,} on {backend}" for backend, n in sorted(counts.functions.items()))
    return f"{seconds:6.0f} s  {ran} functions"


def _campaign(arguments: list[str]) -> Campaign:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--functions", type=int, help="stop after so many")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--backend", choices=("python", "numpy", "numba"), default=None)
    parser.add_argument("--grammar", choices=("core", "nested"), default="core")
    parser.add_argument("--derandomize", action="store_true", help="the same functions each time")
    parser.add_argument("--seed", type=int, help="first seed, as a failure prints it")
    options = parser.parse_args(arguments)
    if options.functions is None and options.minutes is None:
        options.functions = 200
    backends = (options.backend,) if options.backend else ("numpy", "numba")
    fresh = FIRST_SEED if options.derandomize else secrets.randbelow(2**40)
    return Campaign(
        backends=backends,
        functions=options.functions,
        seconds=options.minutes and options.minutes * 60,
        first_seed=fresh if options.seed is None else options.seed,
        grammar=options.grammar,
    )


if __name__ == "__main__":
    sys.exit(run(_campaign(sys.argv[1:])))
