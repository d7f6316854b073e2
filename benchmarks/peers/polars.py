"""polars: a lazy expression on its streaming engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from benchmarks.tasks import Task

NAME = "polars"
CONTAINER = "Series"
MOST_ROWS = None


def arrow(task: Task) -> Callable[[Any], pl.Series]:
    import polars as pl

    expression = _expression(task)
    return lambda table: _collected(pl.from_arrow(table), expression)


def records(task: Task) -> Callable[[Any], pl.Series]:
    import polars as pl

    expression = _expression(task)
    schema = {"price": pl.Float64, "volume": pl.Int64}
    return lambda rows: _collected(pl.DataFrame(rows, schema=schema), expression)


def _collected(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    return frame.lazy().select(expression).collect(engine="streaming").to_series()


def _expression(task: Task) -> pl.Expr:
    import polars as pl

    from benchmarks.tasks import THRESHOLD

    value = pl.col("price") * pl.col("volume")
    root = value.sqrt() if task.root == "sqrt" else value**0.5
    return pl.when(value > THRESHOLD).then(root)
