"""batchprep itself, as it comes: backend "auto"."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from batchprep.api import Vectorized
    from benchmarks.tasks import Task

NAME = "batchprep"
CONTAINER = "ChunkedArray from Arrow, list from dicts"
MOST_ROWS = None


def arrow(task: Task) -> Vectorized:
    import batchprep as bp

    return bp.vectorize(task.function)


records = arrow


def settle(function: Vectorized, data: Any, patience: float) -> None:
    """Call until the kernel that compiles beside the calls has taken over."""
    deadline = time.perf_counter() + patience
    while time.perf_counter() < deadline:
        function(data)
        (stage,) = function.report().stages
        # A reason stands there if the kernel will not come.
        if "numba" in stage.backend or not stage.compiled or stage.reason:
            return
        time.sleep(0.001)
