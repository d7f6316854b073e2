"""Arrow columns to row-major rows, exactly or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from batchprep.batch.arrow_buffers import data_view, valid_rows
from batchprep.batch.arrow_types import numpy_type
from batchprep.feed import messages
from batchprep.feed.block import Array, Block
from batchprep.feed.layout import FLOAT32, INT64

# A tile of rows is filled column by column while it lies in the second-level cache. 262,144 rows
# of 32 doubles on one core of an AMD EPYC (1 MiB of it), bytes read and written, best of 7:
# 5.8 GB/s in tiles of 4,096 rows, 1.8 in one, 1.4 by np.column_stack(...).astype, 23 by memcpy.
TILE_BYTES: Final = 512 * 1024
SHORTEST_TILE: Final = 1_024  # rows; below it the 0.5 us of each assignment show


class Lane(NamedTuple):
    """A column of a record batch on its way into a block."""

    role: str
    name: str
    values: Array  # under nulls anything
    wrong: int  # first row that cannot be packed whatever the others hold; the end if there is none
    array: pa.Array[Any]


def open_lane(array: pa.Array[Any], role: str, name: str, target: np.dtype[Any]) -> Lane:
    """The column's values as they lie in memory, and the first row without one."""
    if pa.types.is_boolean(array.type):
        filled: Any = array.fill_null(False)  # noqa: FBT003
        values = filled.to_numpy(zero_copy_only=False)
    else:
        values = data_view(array, numpy_type(array.type))
    wrong = len(array)
    valid = valid_rows(array)
    if valid is not None:
        wrong = int(np.argmin(valid))
    if values.dtype == np.uint64 and target == INT64:
        wrong = min(wrong, _first(values > np.uint64(2**63 - 1)))
    return Lane(role, name, values, wrong, array)


def tile_rows(lanes: int) -> int:
    """Rows of so many lanes that are packed at a time."""
    return max(SHORTEST_TILE, TILE_BYTES // (FLOAT32.itemsize * lanes))


def pack(lanes: Sequence[Lane], start: int, block: Block, *, first_row: int) -> int:
    """Fill the block with the lanes' rows from start on, up to the first that cannot be packed.

    Gives the number of rows, at least 1. `first_row` is the number in the stream of the lanes'
    row 0, for messages.

    Errors:  ValueError where the row at start has a null, a finite float beyond float32 or an
             unsigned label beyond int64: of several, in the first column
    """
    wrong = min(lane.wrong for lane in lanes)
    rows = min(len(block), wrong - start)
    height = tile_rows(len(lanes))
    for low in range(0, rows, height):
        tile = block.rows(low, min(low + height, rows))
        if not _fill(tile, lanes, start + low):
            rows = low + _rows_that_fit(tile, lanes, start + low)
            break
    if rows <= 0:
        raise ValueError(_fault_of(lanes, block, start, first_row + start))
    return rows


def _fill(tile: Block, lanes: Sequence[Lane], start: int) -> bool:
    """Fill the tile; whether every finite value stayed finite."""
    end = start + len(tile)
    try:
        # The CPU's own overflow flag, raised just where a finite value became infinite: no pass
        # over the data is spent on the question.
        with np.errstate(over="raise", under="ignore", invalid="ignore"):
            for target, lane in zip(tile.lanes(), lanes, strict=True):
                target[:] = lane.values[start:end]
    except FloatingPointError:
        return False
    return True


def _rows_that_fit(tile: Block, lanes: Sequence[Lane], start: int) -> int:
    """Rows before the first overflow; they are filled, column by column, as the others are."""
    lost = np.zeros(len(tile), np.bool_)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for target, lane in zip(tile.lanes(), lanes, strict=True):
            values = lane.values[start : start + len(tile)]
            target[:] = values
            lost |= _overflowed(values, target)
    return _first(lost)


def _overflowed(values: Array, packed: Array) -> Array:
    return np.isinf(packed) & np.isfinite(values)


def _fault_of(lanes: Sequence[Lane], block: Block, at: int, row: int) -> str:
    """Why the lanes' row cannot be packed; `row` is its number in the stream."""
    pairs = zip(lanes, block.lanes(), strict=True)
    texts = (_fault(lane, target.dtype, at, row) for lane, target in pairs)
    return next(text for text in texts if text)


def _fault(lane: Lane, target: np.dtype[Any], at: int, row: int) -> str:
    """Why the lane's row cannot be packed; "" where it can."""
    if not lane.array[at].is_valid:
        return messages.null_text(lane.name, lane.role, row)
    value = lane.values[at]
    if lane.wrong == at:
        return messages.label_range_text(lane.name, row, int(value))
    if target == FLOAT32 and _overflows(value):
        return messages.overflow_text(lane.name, lane.role, row, float(value))
    return ""


def _overflows(value: Any) -> bool:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return bool(_overflowed(value, np.asarray(value).astype(FLOAT32)))


def _first(mask: Array) -> int:
    """First row that is set; the number of rows where none is."""
    return int(np.argmax(mask)) if mask.any() else len(mask)
