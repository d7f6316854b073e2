"""The limit: numba loops written for this task alone, over threads, into a buffer that is kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from benchmarks.peers.numpy import columns_of_records, columns_of_table

if TYPE_CHECKING:
    import numpy as np

    from benchmarks.tasks import Task

NAME = "numba by hand"
CONTAINER = "float64 array, NaN for None, reused by the next call"
MOST_ROWS = None

# Fewer rows are done before a second thread has woken up. A multiple of 8, as bitmaps need it.
ROWS_PER_THREAD: Final = 65_536


def arrow(task: Task) -> Callable[[Any], np.ndarray]:
    from benchmarks.peers import by_hand_loops as loops

    if task.null_share:
        run = _threaded(loops.roots_of_valid)
        return lambda table: run(*_columns_and_bitmaps(table))
    run = _threaded(_loop(task))
    return lambda table: run(*columns_of_table(table))


def records(task: Task) -> Callable[[Any], np.ndarray]:
    columns = columns_of_records(task)
    run = _threaded(_loop(task))
    return lambda rows: run(*columns(rows))


def _loop(task: Task) -> Callable[..., None]:
    from benchmarks.peers import by_hand_loops as loops

    return loops.roots if task.root == "sqrt" else loops.powers


def _threaded(loop: Callable[..., None]) -> Callable[..., np.ndarray]:
    """The loop over slices of its arrays, one for each core."""
    import numpy as np

    cores = len(os.sched_getaffinity(0))
    pool = ThreadPoolExecutor(cores)
    kept = np.empty(0)

    def run(*columns: np.ndarray) -> np.ndarray:
        nonlocal kept
        rows = len(columns[0])
        if len(kept) != rows:
            kept = np.empty(rows)
        size = max(ROWS_PER_THREAD, (rows // cores + 8) & -8)
        spans = [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
        if len(spans) == 1:
            loop(*columns, kept)
        else:
            list(pool.map(lambda span: loop(*_cut(columns, span), kept[span]), spans))
        return kept

    return run


def _cut(columns: tuple[np.ndarray, ...], span: slice) -> list[np.ndarray]:
    bits = slice(span.start // 8, (span.stop + 7) // 8)
    return [column[bits] if column.itemsize == 1 else column[span] for column in columns]


def _columns_and_bitmaps(table: Any) -> list[np.ndarray]:
    import numpy as np

    arrays = [table[name].chunk(0) for name in ("price", "volume")]
    buffers = [array.buffers() for array in arrays]
    values = [
        np.frombuffer(data, dtype, len(array))
        for array, (_, data), dtype in zip(arrays, buffers, (np.float64, np.int64), strict=True)
    ]
    return [*values, *(np.frombuffer(validity, np.uint8) for validity, _ in buffers)]
