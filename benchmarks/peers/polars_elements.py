"""polars, row by row: the row function through map_elements on a struct."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from benchmarks.tasks import Task

NAME = "polars map_elements"
CONTAINER = "Series"
MOST_ROWS = 100_000


def arrow(task: Task) -> Callable[[Any], pl.Series]:
    import polars as pl

    expression = _expression(task)
    return lambda table: pl.from_arrow(table).select(expression).to_series()


def records(task: Task) -> Callable[[Any], pl.Series]:
    import polars as pl

    expression = _expression(task)
    schema = {"price": pl.Float64, "volume": pl.Int64}
    return lambda rows: pl.DataFrame(rows, schema=schema).select(expression).to_series()


def _expression(task: Task) -> pl.Expr:
    import polars as pl

    return pl.struct("price", "volume").map_elements(task.function, return_dtype=pl.Float64)
