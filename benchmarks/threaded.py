"""A loop written by hand, over threads, into buffers that are kept: the limit that we aim at."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

# Fewer rows are done before a second thread has woken up. A multiple of 8, as bitmaps need it.
ROWS_PER_THREAD: Final = 65_536


def threaded(
    loop: Callable[..., None], outputs: Mapping[str, Any], threads: int | None = None
) -> Callable[..., dict[str, np.ndarray]]:
    """Input arrays -> the outputs that the loop has filled, one slice of them for each core.

    A byte array among the inputs is a bitmap of 8 rows a byte. The outputs, whose types are given
    by name, are handed to the loop after the inputs and overwritten by the next call.
    """
    import numpy as np

    cores = threads or len(os.sched_getaffinity(0))
    pool = ThreadPoolExecutor(cores)
    kept: dict[str, np.ndarray] = {}

    def run(*columns: np.ndarray) -> dict[str, np.ndarray]:
        rows = len(columns[0])
        if not kept or len(next(iter(kept.values()))) != rows:
            kept.update({name: np.empty(rows, dtype) for name, dtype in outputs.items()})
        size = max(ROWS_PER_THREAD, (rows // cores + 8) & -8)
        spans = [slice(start, min(start + size, rows)) for start in range(0, rows, size)]

        def part(span: slice) -> None:
            loop(*_cut(columns, span), *(array[span] for array in kept.values()))

        if len(spans) == 1:
            part(spans[0])
        else:
            list(pool.map(part, spans))
        return kept

    return run


def _cut(columns: tuple[np.ndarray, ...], span: slice) -> list[np.ndarray]:
    bits = slice(span.start // 8, (span.stop + 7) // 8)
    return [column[bits] if column.itemsize == 1 else column[span] for column in columns]
