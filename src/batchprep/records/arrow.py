"""Arrow data: tables, record batches, streams, and whatever speaks the Arrow C interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from batchprep.batch.arrow_rows import ArrowRows, check_distinct, field_of_schema
from batchprep.batch.batch import Batch
from batchprep.batch.messages import no_columns_text
from batchprep.records.source import ROWS, SourceKind
from batchprep.schema import Field, RecordForm

_IN_MEMORY = (pa.Table, pa.RecordBatch)


class ArrowSource:
    """Columns whose kinds the schema declares; batches are views of the data's own chunks."""

    form: RecordForm = "mapping"

    def __init__(self, data: Any, *, kind: SourceKind = "arrow", table: Any = None) -> None:
        self.kind: SourceKind = kind
        self.data = data
        self._table: Any = _opened(data if table is None else table)
        self._schema: pa.Schema = self._table.schema
        check_distinct(self._schema.names)

    @property
    def schema(self) -> pa.Schema:
        """Types of the columns."""
        return self._schema

    @property
    def length(self) -> int | None:
        """Number of rows; None for a stream."""
        return self._table.num_rows if isinstance(self._table, _IN_MEMORY) else None

    def field(self, name: str) -> Field:
        return field_of_schema(self._schema, name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def batches(self, rows: int = ROWS) -> Iterator[Batch]:
        start = 0
        for part in _slices(_chunks(self._table), rows):
            yield Batch(ArrowRows(part), start)
            start += part.num_rows


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


def _chunks(table: Any) -> Iterable[pa.RecordBatch]:
    if isinstance(table, pa.RecordBatch):
        return (table,)
    return table.to_batches() if isinstance(table, pa.Table) else table


def _slices(chunks: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    for chunk in chunks:
        for start in range(0, chunk.num_rows, rows):
            yield chunk if chunk.num_rows <= rows else chunk.slice(start, rows)
