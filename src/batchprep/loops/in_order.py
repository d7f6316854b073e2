"""The columns that steps in sequence go over: the rows that reach one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from batchprep.loops.columns import Rows, SlotColumn
from batchprep.loops.sequences import step_columns
from batchprep.loops.split import Step


def reached_rows(steps: Sequence[Step], slots: Mapping[str, SlotColumn], limit: int) -> Rows:
    """The rows before the limit that reach any of the steps."""
    mask = np.zeros(limit, np.bool_)
    for step in steps:
        if step.key in slots:
            mask[slots[step.key].rows[: np.searchsorted(slots[step.key].rows, limit)]] = True
    return np.flatnonzero(mask)


def columns_of(step: Step, slots: Mapping[str, SlotColumn], reached: Rows) -> list[list[Any]]:
    """Whether each of those rows reaches the step, and the values of its slots."""
    count = len(reached)
    if step.key not in slots:
        return [[False] * count, *([None] * count for _ in step_columns(step)[1:])]
    mask = np.isin(reached, slots[step.key].rows, assume_unique=True)
    own = int(np.count_nonzero(mask))  # the rest of its rows come after the end
    if own == count:
        return [[True] * count, *(slots[key].values[:count] for key in step.slots)]
    columns: list[list[Any]] = [mask.tolist()]
    for key in step.slots:
        values = np.full(count, None, np.object_)
        chosen = slots[key].values[:own]
        values[mask] = np.fromiter(chosen, np.object_, len(chosen))
        columns.append(values.tolist())
    return columns
