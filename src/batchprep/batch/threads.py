"""Chunks of a batch over threads."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Final

# Large enough to hide the 20 us that a chunk costs beside its rows, small enough that the
# columns of a chunk stay in the second-level cache.
CHUNK_ROWS: Final = 65_536
# Chunks that are run at once, so that they hide what a call costs all the better: their kind
# codes fit the cache as well. A thread takes so large a part of its share of what is left: the
# first spans are large, and the last ones, which even out the times, are single chunks.
MOST_JOINED: Final = 4
PART_OF_SHARE: Final = 2

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()
_worker = threading.local()


def chunk_bounds(rows: int) -> list[tuple[int, int]]:
    """First row and end of each chunk of a batch.

    >>> chunk_bounds(70_000)
    [(0, 65536), (65536, 70000)]
    """
    return [(start, min(start + CHUNK_ROWS, rows)) for start in range(0, rows, CHUNK_ROWS)]


def count_chunks(rows: int) -> int:
    """How many chunks that are.

    >>> count_chunks(70_000)
    2
    """
    return -(-rows // CHUNK_ROWS)


def _spans(chunks: list[tuple[int, int]], threads: int) -> list[tuple[int, int]]:
    """The chunks, joined where many are left for each thread."""
    spans: list[tuple[int, int]] = []
    at, count = 0, len(chunks)
    while at < count:
        joined = -(-(count - at) // (PART_OF_SHARE * threads)) if threads > 1 else count - at
        end = at + min(MOST_JOINED, joined)
        spans.append((chunks[at][0], chunks[end - 1][1]))
        at = end
    return spans


def for_each_chunk(
    work: Callable[[int, int], None], rows: int, threads: int, *, joined: bool = False
) -> None:
    """Run the work on every chunk; one chunk, or one thread, stays on the calling thread.

    `joined`: of a large batch, it gets several neighbouring chunks at once.
    """
    if rows <= CHUNK_ROWS:
        if rows:
            work(0, rows)
        return
    bounds = chunk_bounds(rows)
    if joined:
        bounds = _spans(bounds, max(threads, 1))
    if threads <= 1 or len(bounds) <= 1 or getattr(_worker, "busy", False):
        for start, end in bounds:
            work(start, end)
        return
    waiting, taking = iter(bounds), threading.Lock()

    def work_on() -> None:
        while True:
            with taking:
                chunk = next(waiting, None)
            if chunk is None:
                return
            work(*chunk)

    _with_helpers(work_on, min(threads, len(bounds)) - 1)


@contextmanager
def lent(work: Callable[[int], Any], threads: int) -> Generator[int]:
    """Run the work on so many other threads, if they are free, while the block runs on this one.

    Gives how many there are; each gets its number, from 1 on. One that has not begun when the
    block ends never does; the others are not waited for.
    """
    if threads < 1 or getattr(_worker, "busy", False):
        yield 0
        return
    pool = _pool(threads)
    running = [pool.submit(work, number) for number in range(1, threads + 1)]
    try:
        yield threads
    finally:
        for one in running:
            one.cancel()


def _with_helpers(work_on: Callable[[], None], helpers: int) -> None:
    """Run it on the calling thread and on so many others, until all are done."""
    # The caller's context: precision of decimals, what NumPy makes of a division by zero.
    running = [
        _pool(helpers).submit(contextvars.copy_context().run, work_on) for _ in range(helpers)
    ]
    _worker.busy = True
    try:
        work_on()
    finally:
        _worker.busy = False
        # One that no CPU was free for has nothing left to do: nobody waits for its turn.
        begun = [helper for helper in running if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        pool = _pools.get(threads)
        if pool is None:
            pool = ThreadPoolExecutor(threads, "batchprep", initializer=_mark_worker)
            _pools[threads] = pool
        return pool


def _mark_worker() -> None:
    # A call made inside a worker runs there: waiting for a free worker could wait for ever.
    _worker.busy = True


def _forget_pools() -> None:
    # The threads of the parent process do not exist in its child, and its lock may be held.
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()
    _pools.clear()
    _worker.busy = False


os.register_at_fork(after_in_child=_forget_pools)
