"""NumPy: one pass over memory for each operation."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from benchmarks.tasks import Task

NAME = "NumPy"
CONTAINER = "float64 array, NaN for None"
MOST_ROWS = None

Columns = tuple["np.ndarray", "np.ndarray"]


def arrow(task: Task) -> Callable[[Any], np.ndarray]:
    evaluate = _evaluation(task)
    return lambda table: evaluate(*columns_of_table(table))


def records(task: Task) -> Callable[[Any], np.ndarray]:
    evaluate = _evaluation(task)
    columns = columns_of_records(task)
    return lambda rows: evaluate(*columns(rows))


def _evaluation(task: Task) -> Callable[[Any, Any], np.ndarray]:
    import numpy as np

    from benchmarks.tasks import THRESHOLD

    def sqrt(price: np.ndarray, volume: np.ndarray) -> np.ndarray:
        value = price * volume
        return np.where(value > THRESHOLD, np.sqrt(value), np.nan)

    def power(price: np.ndarray, volume: np.ndarray) -> np.ndarray:
        value = price * volume
        return np.where(value > THRESHOLD, value**0.5, np.nan)

    return sqrt if task.root == "sqrt" else power


def columns_of_table(table: Any) -> Columns:
    """The two columns: without a copy, or with NaN where there are nulls."""
    return table["price"].to_numpy(), table["volume"].to_numpy()


def columns_of_records(task: Task) -> Callable[[Any], Columns]:
    """Dicts -> the two columns, the fastest way that plain NumPy has."""
    import numpy as np

    price, volume = itemgetter("price"), itemgetter("volume")

    def full(rows: list[dict[str, Any]]) -> Columns:
        return (
            np.fromiter(map(price, rows), np.float64, len(rows)),
            np.fromiter(map(volume, rows), np.int64, len(rows)),
        )

    def with_nulls(rows: list[dict[str, Any]]) -> Columns:
        # fromiter refuses None, array makes a NaN of it.
        return (
            np.array(list(map(price, rows)), np.float64),
            np.array(list(map(volume, rows)), np.float64),
        )

    return with_nulls if task.null_share else full
