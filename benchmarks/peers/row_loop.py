"""The row loop, which is the specification; it is given dicts in either form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.tasks import Task

NAME = "row loop"
CONTAINER = "list, from dicts that exist already"
MOST_ROWS = 100_000  # beyond it once, to check the others


def records(task: Task) -> Callable[[list[dict[str, Any]]], list[float | None]]:
    function = task.function
    return lambda rows: [function(row) for row in rows]


arrow = records
