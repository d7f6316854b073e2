"""pyarrow.compute: one function for each operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from benchmarks.tasks import Task

NAME = "pyarrow"
CONTAINER = "ChunkedArray"
MOST_ROWS = None


def arrow(task: Task) -> Callable[[pa.Table], pa.ChunkedArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    from benchmarks.tasks import THRESHOLD

    nothing = pa.scalar(None, pa.float64())

    def run(table: pa.Table) -> pa.ChunkedArray:
        value = pc.multiply(table["price"], table["volume"])
        root = pc.sqrt(value) if task.root == "sqrt" else pc.power(value, 0.5)
        return pc.if_else(pc.greater(value, THRESHOLD), root, nothing)

    return run


def records(task: Task) -> Callable[[list[dict[str, Any]]], pa.ChunkedArray]:
    import pyarrow as pa

    run = arrow(task)
    return lambda rows: run(pa.Table.from_pylist(rows))
