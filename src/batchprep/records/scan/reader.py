"""What the reader of each format gives."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Protocol

from batchprep.records.scan.ranges import Pruning
from batchprep.records.scan.rebatch import Chunk

if TYPE_CHECKING:
    import pyarrow as pa


class Reader(Protocol):
    """One opened file of columns.

    schema              its columns, in the types in which they are read
    total_rows          number of its rows, None where only reading tells
    bytes_read          of the file, so far
    row_groups_skipped  so far
    position            how far reading has come, as text; "" where nothing better is known
    """

    bytes_read: int
    row_groups_skipped: int

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def total_rows(self) -> int | None: ...

    def position(self) -> str: ...

    def chunks(
        self, columns: Sequence[str], rows: int, pruning: Pruning | None
    ) -> Generator[Chunk]:
        """Rows with these columns; with no columns at all, rows of any."""
        ...
