"""DuckDB: a query over the Arrow table; dicts have to become one first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from benchmarks.tasks import Task

NAME = "DuckDB"
CONTAINER = "Arrow table"
MOST_ROWS = None


def arrow(task: Task) -> Callable[[pa.Table], pa.Table]:
    import duckdb

    from benchmarks.tasks import THRESHOLD

    value = "price * volume"
    root = f"sqrt({value})" if task.root == "sqrt" else f"pow({value}, 0.5)"
    query = f"select case when {value} > {THRESHOLD} then {root} end as value from trades"
    connection = duckdb.connect()

    def run(trades: pa.Table) -> pa.Table:
        connection.register("trades", trades)
        return connection.sql(query).to_arrow_table()

    return run


def records(task: Task) -> Callable[[list[dict[str, Any]]], pa.Table]:
    import pyarrow as pa

    run = arrow(task)
    return lambda rows: run(pa.Table.from_pylist(rows))
