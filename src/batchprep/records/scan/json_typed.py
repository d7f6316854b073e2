"""NDJSON files as columns of declared types."""

from __future__ import annotations

import datetime as dt
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import pyarrow as pa

from batchprep.batch.arrow_build import array_of_values
from batchprep.records.scan.files import DataFile, Storage
from batchprep.records.scan.json_lines import Records, is_spelled, records_of
from batchprep.records.scan.messages import line_misfit_text
from batchprep.records.scan.ranges import Pruning
from batchprep.records.scan.rebatch import Chunk, rebatched


class JsonReader:
    """An NDJSON file under a schema: absent keys are null, keys that it does not name are left out.

    Dates, times, timestamps and decimals are read from text, as Arrow reads them.
    """

    row_groups_skipped = 0
    total_rows: int | None = None

    def __init__(self, file: DataFile, storage: Storage, schema: pa.Schema, encoding: str) -> None:
        self._file = file
        self._storage = storage
        self._schema = schema
        self._encoding = encoding
        self.bytes_read = 0

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def position(self) -> str:
        return ""

    def chunks(
        self,
        columns: Sequence[str],
        rows: int,
        pruning: Pruning | None,  # noqa: ARG002  text holds no statistics
    ) -> Generator[Chunk]:
        yield from rebatched(self._batches(list(columns) or self._schema.names[:1]), rows)

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        fields = [self._schema.field(name).with_nullable(nullable=True) for name in columns]
        for part in records_of(self._file, self._storage, self._encoding):
            self.bytes_read = part.bytes_read
            arrays = [self._column(part, field) for field in fields]
            yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _column(self, part: Records, field: pa.Field[Any]) -> pa.Array[Any]:
        values = [record.get(field.name) for record in part.records]
        try:
            return _array(values, field)
        except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:
            raise self._misfit(part, values, field) or error from error

    def _misfit(self, part: Records, values: list[Any], field: pa.Field[Any]) -> ValueError | None:
        for line, value in zip(part.lines, values, strict=True):
            try:
                _array([value], field)
            except (ValueError, TypeError, OverflowError, pa.ArrowException):
                name = self._file.name
                return ValueError(line_misfit_text(name, line, field.name, value, field.type))
        return None


def _array(values: list[Any], field: pa.Field[Any]) -> pa.Array[Any]:
    dtype = field.type
    if pa.types.is_dictionary(dtype):
        return _array(values, field.with_type(dtype.value_type)).cast(dtype)
    if not is_spelled(dtype):
        return array_of_values(values, field.name, dtype)
    if pa.types.is_time(dtype):  # Arrow casts no text to a time
        times = [None if v is None else dt.time.fromisoformat(v) for v in values]
        return pa.array(times, dtype)
    texts = [str(v) if _is_number(v) and pa.types.is_decimal(dtype) else v for v in values]
    return pa.array(texts, pa.string()).cast(dtype)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
