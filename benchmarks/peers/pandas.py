"""pandas, vectorised: whole columns of a DataFrame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from benchmarks.tasks import Task

NAME = "pandas"
CONTAINER = "float64 Series, NaN for None"
MOST_ROWS = None


def arrow(task: Task) -> Callable[[Any], pd.Series]:
    import pandas as pd  # noqa: F401  to_pandas would import it at the first call

    evaluate = _evaluation(task)
    return lambda table: evaluate(table.to_pandas())


def records(task: Task) -> Callable[[Any], pd.Series]:
    import pandas as pd

    evaluate = _evaluation(task)
    return lambda rows: evaluate(pd.DataFrame(rows))


def _evaluation(task: Task) -> Callable[[pd.DataFrame], pd.Series]:
    import numpy as np

    from benchmarks.tasks import THRESHOLD

    def sqrt(frame: pd.DataFrame) -> pd.Series:
        value = frame["price"] * frame["volume"]
        return np.sqrt(value.where(value > THRESHOLD))

    def power(frame: pd.DataFrame) -> pd.Series:
        value = frame["price"] * frame["volume"]
        return value.where(value > THRESHOLD) ** 0.5

    return sqrt if task.root == "sqrt" else power
