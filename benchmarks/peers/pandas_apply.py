"""pandas, row by row: the row function through DataFrame.apply(axis=1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from benchmarks.tasks import Task

NAME = "pandas.apply"
CONTAINER = "float64 Series, NaN for None"
MOST_ROWS = 100_000


def arrow(task: Task) -> Callable[[Any], pd.Series]:
    import pandas as pd  # noqa: F401  to_pandas would import it at the first call

    return lambda table: table.to_pandas().apply(task.function, axis=1)


def records(task: Task) -> Callable[[Any], pd.Series]:
    import pandas as pd

    return lambda rows: pd.DataFrame(rows).apply(task.function, axis=1)
