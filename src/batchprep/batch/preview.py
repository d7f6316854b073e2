"""The first rows of a batch as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from batchprep.batch.record_rows import dict_of_record

if TYPE_CHECKING:
    from batchprep.batch.batch import Batch

_ROWS: Final = 5
_COLUMNS: Final = 8
_WIDTH: Final = 20  # characters of a cell


def preview(batch: Batch) -> str:
    """Size, and a table of the first five rows and eight columns.

    Absent values are blank.
    """
    head = batch.records(np.arange(min(_ROWS, len(batch)), dtype=np.intp))
    rows = [dict_of_record(record) for record in head]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    title = f"Batch of {len(batch):,} rows"
    grid = [[str(name) for name in names[:_COLUMNS]]]
    grid += [[_cell(row, name) for name in names[:_COLUMNS]] for row in rows]
    lines = [title, *_aligned(grid)] if names else [title]
    if len(names) > _COLUMNS:
        lines.append(f"and {len(names) - _COLUMNS} more columns")
    return "\n".join(lines)


def _cell(row: dict[str, Any], name: str) -> str:
    if name not in row:
        return ""
    text = repr(row[name])
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _aligned(grid: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in grid
    ]
