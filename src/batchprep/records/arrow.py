"""Arrow data: tables, record batches, streams, and whatever speaks the Arrow C interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import pyarrow as pa

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch
from batchprep.batch.joining import dictionary_places, is_joinable
from batchprep.batch.messages import no_columns_text
from batchprep.records.arrow_schemas import arrow_fields
from batchprep.records.source import SourceKind
from batchprep.schema import Field, RecordForm

_IN_MEMORY = (pa.Table, pa.RecordBatch)
Chunk: TypeAlias = pa.RecordBatch | pa.Table
# Of a batch: columns are views, and results take 4 MiB each, or 8 of a table that is held whole
# anyway. A few of them fit the last cache.
ARROW_ROWS: Final = 524_288
TABLE_ROWS: Final = 1_048_576
SMALL_ROWS: Final = 65_536  # chunks below this are joined with their neighbours


class ArrowSource:
    """Columns whose kinds the schema declares; batches are views of the data's own chunks.

    Small chunks of a table are joined, since each batch costs about 50 us beside its rows; those
    of a stream are handed out as they come.
    """

    form: RecordForm = "mapping"
    closed = True

    def __init__(self, data: Any, *, kind: SourceKind = "arrow", table: Any = None) -> None:
        self.kind: SourceKind = kind
        self.data = data
        self._table: Any = _opened(data if table is None else table)
        self.fields = arrow_fields(self._table.schema)

    @property
    def schema(self) -> pa.Schema:
        """Types of the columns."""
        return self._table.schema

    @property
    def length(self) -> int | None:
        """Number of rows; None for a stream."""
        return self._table.num_rows if isinstance(self._table, _IN_MEMORY) else None

    def field(self, name: str) -> Field:
        return self.fields.field(name)

    def names(self) -> tuple[str, ...]:
        return self.fields.names

    def batches(self, rows: int | None = None) -> Iterator[Batch]:
        start, length = 0, self.length
        rows = rows or (ARROW_ROWS if length is None else TABLE_ROWS)
        is_small = bool(length) and length <= min(rows, SMALL_ROWS)
        if is_small and is_joinable(self._table, self.fields.dictionaries):
            yield Batch(ArrowRows(self._table))  # its chunks are joined when they are read
            return
        for part in _slices(_chunks(self._table, min(rows, SMALL_ROWS)), rows):
            yield Batch(ArrowRows(part), start)
            start += part.num_rows

    def whole(self) -> Batch:
        """All rows that are left, as one batch, so that no rows are one too."""
        held = isinstance(self._table, _IN_MEMORY)
        return Batch(ArrowRows(self._table if held else self._table.read_all()))


def is_arrow(data: Any) -> bool:
    """Whether data speaks the Arrow C interface."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _opened(data: Any) -> pa.Table | pa.RecordBatch | pa.RecordBatchReader:
    if isinstance(data, (*_IN_MEMORY, pa.RecordBatchReader)):
        return data
    _check_columns(data)
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data)
    return pa.record_batch(data)


def _check_columns(data: Any) -> None:
    if isinstance(data, (pa.Array, pa.ChunkedArray)) and not pa.types.is_struct(data.type):
        raise TypeError(no_columns_text(data.type))


def _chunks(table: Any, small: int) -> Iterable[Chunk]:
    if isinstance(table, pa.RecordBatch):
        return (table,)
    return _joined(table.to_batches(), small) if isinstance(table, pa.Table) else table


def _joined(chunks: Iterable[pa.RecordBatch], small: int) -> Iterator[Chunk]:
    """The chunks, neighbours below that size as one table, whose columns are joined when read.

    They stay apart where a column of theirs would have to become one of another type.
    """
    waiting: list[pa.RecordBatch] = []
    count = 0
    for chunk in chunks:
        if chunk.num_rows >= small or count >= small:
            yield from _one(waiting)
            waiting, count = [], 0
        waiting.append(chunk)
        count += chunk.num_rows
    yield from _one(waiting)


def _one(chunks: list[pa.RecordBatch]) -> Iterator[Chunk]:
    if len(chunks) <= 1:
        yield from chunks
        return
    table = pa.Table.from_batches(chunks)
    if is_joinable(table, dictionary_places(table.schema)):
        yield table
    else:
        yield from chunks


def _slices(chunks: Iterable[Chunk], rows: int) -> Iterator[Chunk]:
    for chunk in chunks:
        for start in range(0, chunk.num_rows, rows):
            yield chunk if chunk.num_rows <= rows else chunk.slice(start, rows)
