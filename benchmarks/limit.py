"""What the machine itself can move: triad and copy over arrays that no cache holds.

A triad is a[i] = b[i] + factor * c[i], 24 bytes a row as STREAM counts them; a copy is 16.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

ROUNDS: Final = 7
# Which loop, the bytes of a row, and whether all threads share it.
_WAYS: Final = {
    "triad_one_thread": ("triad", 24, False),
    "triad_all_threads": ("triad", 24, True),
    "copy_one_thread": ("copy", 16, False),
    "copy_all_threads": ("copy", 16, True),
}


@dataclass(frozen=True)
class Limit:
    """Bytes per second, the best of a few rounds, on one thread and on all.

    steadiness  how far the triad before and after the task agree: 1, or the smaller part of the
                larger where others used the machine meanwhile
    """

    threads: int
    triad_one_thread: float
    triad_all_threads: float
    copy_one_thread: float
    copy_all_threads: float
    steadiness: float = 1.0

    def share(self, moved: float, seconds: float) -> float:
        """What part of the bandwidth moving so many bytes in that time is."""
        # On a busy machine two threads may be slower than one, and are no limit then.
        return moved / max(self.triad_one_thread, self.triad_all_threads) / seconds

    def against(self, after: Limit) -> Limit:
        """The same, with what a measurement after the task says of its steadiness."""
        found = self.triad_one_thread, after.triad_one_thread
        return replace(self, steadiness=min(found) / max(found))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(array_bytes: int) -> Limit:
    """The limit, over arrays of that size each: three of them, freed at the end."""
    import numpy as np

    rows = array_bytes // 8
    # Written, not only reserved: a page that has never been touched costs a fault.
    arrays = [np.full(rows, value) for value in (0.0, 1.0, 2.0)]
    threads = len(os.sched_getaffinity(0))
    best = dict.fromkeys(_WAYS, 0.0)
    with ThreadPoolExecutor(threads) as pool:
        # In rounds, so that a busy spell does not hit one way alone.
        for _ in range(ROUNDS):
            for name, (loop, row_bytes, shared) in _WAYS.items():
                seconds = _seconds(pool, arrays, loop, threads if shared else 1)
                best[name] = max(best[name], rows * row_bytes / seconds)
    return Limit(threads, **best)


def _seconds(pool: ThreadPoolExecutor, arrays: list[np.ndarray], loop: str, threads: int) -> float:
    from benchmarks.loops import limit as loops

    run = getattr(loops, loop)
    run(*(array[:8] for array in arrays))  # compiled before the clock starts
    rows = len(arrays[0])
    spans = [slice(rows * t // threads, rows * (t + 1) // threads) for t in range(threads)]
    start = time.perf_counter()
    list(pool.map(lambda span: run(*(array[span] for array in arrays)), spans))
    return time.perf_counter() - start
