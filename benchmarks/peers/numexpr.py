"""numexpr: the formula in cache-sized blocks over threads, on NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.peers.numpy import columns_of_records, columns_of_table

if TYPE_CHECKING:
    import numpy as np

    from benchmarks.tasks import Task

NAME = "numexpr"
CONTAINER = "float64 array, NaN for None"
MOST_ROWS = None


def arrow(task: Task) -> Callable[[Any], np.ndarray]:
    evaluate = _evaluation(task)
    return lambda table: evaluate(*columns_of_table(table))


def records(task: Task) -> Callable[[Any], np.ndarray]:
    evaluate = _evaluation(task)
    columns = columns_of_records(task)
    return lambda rows: evaluate(*columns(rows))


def _evaluation(task: Task) -> Callable[[Any, Any], np.ndarray]:
    import math

    import numexpr

    from benchmarks.tasks import THRESHOLD

    value = "(price * volume)"
    root = f"sqrt({value})" if task.root == "sqrt" else f"{value} ** 0.5"
    formula = f"where({value} > {THRESHOLD}, {root}, nothing)"

    def evaluate(price: np.ndarray, volume: np.ndarray) -> np.ndarray:
        columns = {"price": price, "volume": volume, "nothing": math.nan}
        return numexpr.evaluate(formula, columns)

    return evaluate
