"""Who takes part: one file each, with the same names in each.

NAME       as the tables print it
CONTAINER  what its answer comes in
MOST_ROWS  where it stops, since more rows would only take longer to say the same; None if nowhere
arrow      task -> (Arrow table -> answer)
records    task -> (list of dicts -> answer)

What a peer imports, compiles or connects to happens in arrow() and records(), not on import.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from benchmarks.tasks import Task

ROW_LOOP: Final = "row_loop"
PEERS: Final = (
    "batchprep",
    ROW_LOOP,
    "numpy",
    "pandas",
    "polars",
    "duckdb",
    "pyarrow",
    "numexpr",
    "by_hand",
    "pandas_apply",
    "polars_elements",
)
FORMS: Final = ("arrow", "records")


def peer(name: str) -> ModuleType:
    """The peer's file."""
    return import_module(f"{__name__}.{name}")


def runner(name: str, task: Task, form: str) -> Callable[[Any], Any]:
    """Data in that form ("arrow" or "records") -> the peer's answer to the task."""
    return getattr(peer(name), form)(task)
