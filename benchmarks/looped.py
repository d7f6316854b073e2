"""The row loop over a table, a block of dicts at a time: memory for all of them is not needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pyarrow as pa

from benchmarks.timing import seconds_of

LOOP_ROWS: Final = 100_000  # whose answer becomes columns at once

Record = dict[str, Any]


def looped(
    function: Callable[[Record], Record], table: pa.Table, gives: pa.Schema
) -> tuple[float, pa.Table]:
    """Seconds that the row loop takes over dicts that exist already, and its answer."""
    seconds, parts = 0.0, []
    for start in range(0, table.num_rows, LOOP_ROWS):
        records = table.slice(start, LOOP_ROWS).to_pylist()
        answer: list[Record] = []
        seconds += seconds_of(partial(_loop, function, records, answer))
        parts.append(pa.Table.from_pylist(answer, gives))
    return seconds, pa.concat_tables(parts).combine_chunks()


def _loop(
    function: Callable[[Record], Record], records: list[Record], answer: list[Record]
) -> None:
    answer[:] = [function(r) for r in records]
