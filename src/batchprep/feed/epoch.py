"""One pass over the data: tables to batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from batchprep.feed.block import NUMPY, Block, Buffers, handed_over
from batchprep.feed.layout import Layout, Wanted, layout_of
from batchprep.feed.packing import SHORTEST_TILE, tile_rows
from batchprep.feed.rows import Rows, Staged, TableRows, read_full
from batchprep.feed.shuffle import Shuffled

Tables = Callable[[], Iterator[pa.Table]]


@dataclass(frozen=True)
class Epoch:
    """How the rows of a pass become batches."""

    wanted: Wanted
    batch_size: int  # rows
    drop_last: bool
    window_rows: int | None  # None: rows stay in their order
    seed: tuple[int, int]  # the user's, and the number of the epoch
    buffers: Buffers

    def rows(self, tables: Iterator[pa.Table], layout: Layout) -> Rows:
        """The rows of the tables in the order of this epoch."""
        rows = TableRows(tables, layout)
        if self.window_rows is not None:
            window = layout.block(self.window_rows, NUMPY)
            return Shuffled(rows, window, np.random.default_rng(self.seed))
        if self.batch_size < SHORTEST_TILE:
            return Staged(rows, layout.block(tile_rows(len(layout.features)), NUMPY))
        return rows


class Batches:
    """The batches of one epoch; close() closes the tables.

    No generator, whose frame would still hold the batch that it has handed out.
    """

    def __init__(self, tables: Tables, epoch: Epoch) -> None:
        self._open = tables
        self._epoch = epoch
        self._tables: Iterator[pa.Table] = iter(())
        self._layout: Layout | None = None
        self._rows: Rows | None = None

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        if self._rows is None or self._layout is None:
            self._rows, self._layout = self._started()
        size = self._epoch.batch_size
        block = self._layout.block(size, self._epoch.buffers)
        count = read_full(self._rows, block)
        if count < size:
            if count == 0 or self._epoch.drop_last:
                raise StopIteration
            block = self._shortened(block, count, self._layout)
        return handed_over(block, self._epoch.buffers)

    def close(self) -> None:
        """Close the tables, where they are a generator or the like."""
        close: Any = getattr(self._tables, "close", None)
        if close is not None:
            close()

    def _started(self) -> tuple[Rows, Layout]:
        self._tables = iter(self._open())
        first = next(self._tables)  # no table, no batch: its StopIteration is ours
        layout = layout_of(first.schema, self._epoch.wanted)
        return self._epoch.rows(chain([first], self._tables), layout), layout

    def _shortened(self, block: Block, count: int, layout: Layout) -> Block:
        """The rows that there are, in memory of their own."""
        short = layout.block(count, self._epoch.buffers)
        short.copy(block.rows(0, count))
        return short
