"""The rows of a stream of tables, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from batchprep.feed.block import Block
from batchprep.feed.layout import Layout
from batchprep.feed.packing import Lane, open_lane, pack

if TYPE_CHECKING:
    import pyarrow as pa


class Rows(Protocol):
    """Rows that are read once, in order."""

    def fill(self, block: Block) -> int:
        """Fill the block from its first row on; the number of rows, 0 only at the end."""
        ...


class TableRows:
    """The rows of tables, in their order, whatever chunks they come in."""

    def __init__(self, tables: Iterator[pa.Table], layout: Layout) -> None:
        self._pieces = _pieces(tables)
        self._layout = layout
        self._schema: pa.Schema | None = None
        self._places: Sequence[int] = ()
        self._lanes: list[Lane] = []
        self._first_row = 0  # of the open piece, in the stream
        self._length = 0  # of the open piece
        self._at = 0

    def fill(self, block: Block) -> int:
        """Rows of one piece at most; a row that cannot be packed raises when it comes first."""
        if self._at == self._length and not self._open_next():
            return 0
        count = min(len(block), self._length - self._at)
        packed = pack(self._lanes, self._at, block.rows(0, count), first_row=self._first_row)
        self._at += packed
        return packed

    def _open_next(self) -> bool:
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._first_row += self._length
        self._length, self._at = piece.num_rows, 0
        if piece.schema != self._schema:
            self._places = self._layout.places(piece.schema, self._first_row)
            self._schema = piece.schema
        self._lanes = [
            open_lane(piece.column(place), role, name, target)
            for place, (role, name, target) in zip(self._places, self._layout.lanes(), strict=True)
        ]
        return True


class Staged:
    """The rows of another, packed many at a time.

    Small batches are copied from there: an assignment for each column costs 0.5 us, whether of 32
    rows or of a thousand.
    """

    def __init__(self, rows: Rows, stage: Block) -> None:
        self._rows = rows
        self._stage = stage
        self._at = 0
        self._packed = 0

    def fill(self, block: Block) -> int:
        """Rows of one stage at most."""
        if self._at == self._packed:
            self._at, self._packed = 0, self._rows.fill(self._stage)
        count = min(len(block), self._packed - self._at)
        block.rows(0, count).copy(self._stage.rows(self._at, self._at + count))
        self._at += count
        return count


def read_full(rows: Rows, block: Block) -> int:
    """Fill the block; fewer rows than it has only at the end of the rows."""
    filled = 0
    while filled < len(block):
        count = rows.fill(block.rows(filled, len(block)))
        if count == 0:
            break
        filled += count
    return filled


def _pieces(tables: Iterator[pa.Table]) -> Iterator[pa.RecordBatch]:
    for table in tables:
        for piece in table.to_batches():
            if piece.num_rows:
                yield piece
