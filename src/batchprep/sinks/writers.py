"""Tables into the bytes of one file, one writer a format."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from batchprep.sinks.csv_lines import csv_header, csv_lines
from batchprep.sinks.json_lines import json_lines
from batchprep.sinks.output import OutputFile
from batchprep.sinks.target import Format, Target

ROW_GROUP_ROWS: Final = 1_048_576
ROW_GROUP_BYTES: Final = 128 << 20  # of Arrow data, where row_group_rows is not given
arrow: Any = pa  # its type stubs take no object that is like a file
parquet: Any = pq

LINES: Final = 65_536  # rows that become text at a time


class Writer(Protocol):
    """What turns tables into the bytes of one file."""

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        ...

    def close(self) -> None:
        """Write what is left; the bytes are a whole file then."""
        ...

    def abandon(self) -> None:
        """Write nothing more."""
        ...


def open_writer(file: OutputFile, schema: pa.Schema, target: Target) -> Writer:
    """A writer of the target's format into an open file."""
    return _WRITERS[target.format](file, schema, target)


class ParquetFile:
    """Parquet; rows are kept until they make a row group."""

    def __init__(self, file: OutputFile, schema: pa.Schema, target: Target) -> None:
        self._writer = parquet.ParquetWriter(
            file, schema, compression=target.compression, use_dictionary=_repeating(schema)
        )
        self._rows = target.row_group_rows or ROW_GROUP_ROWS
        self._bytes = ROW_GROUP_BYTES if target.row_group_rows is None else None
        self._kept: list[pa.Table] = []
        self._kept_rows = 0
        self._kept_bytes = 0

    def write(self, table: pa.Table) -> None:
        """Keep the rows, and write the row groups that they fill."""
        start = 0
        while start < table.num_rows:
            piece = table.slice(start, self._rows - self._kept_rows)
            start += piece.num_rows
            self._keep(piece)
            if self._is_full():
                self._write_group()

    def close(self) -> None:
        """Write the last row group and the footer."""
        if self._kept_rows:
            self._write_group()
        self._writer.close()

    def abandon(self) -> None:
        """Drop the rows that are kept."""
        self._kept.clear()
        with contextlib.suppress(Exception):  # the disk may be full: the file goes anyway
            self._writer.close()
        self._writer.is_open = False  # or its __del__ tries once more

    def _keep(self, piece: pa.Table) -> None:
        self._kept.append(piece)
        self._kept_rows += piece.num_rows
        self._kept_bytes += piece.nbytes

    def _is_full(self) -> bool:
        full = self._kept_rows >= self._rows
        return full or (self._bytes is not None and self._kept_bytes >= self._bytes)

    def _write_group(self) -> None:
        group = pa.concat_tables(self._kept)
        self._kept, self._kept_rows, self._kept_bytes = [], 0, 0
        self._writer.write_table(group, row_group_size=group.num_rows)


class ArrowFile:
    """The Arrow IPC file format."""

    def __init__(self, file: OutputFile, schema: pa.Schema, target: Target) -> None:
        compression = None if target.compression == "none" else target.compression
        options = arrow.ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=True)
        self._writer = arrow.ipc.new_file(file, schema, options=options)
        dictionaries = any(_has_dictionary(field.type) for field in schema)
        # Rows without any, whose dictionaries are all values so far; None without dictionaries.
        self._seen = schema.empty_table() if dictionaries else None

    def write(self, table: pa.Table) -> None:
        """Write each chunk as a batch."""
        for batch in self._unified(table).to_batches():
            if batch.num_rows:
                self._writer.write_batch(batch)

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()

    def abandon(self) -> None:
        """Let go of the file."""
        with contextlib.suppress(Exception):  # the disk may be full: the file goes anyway
            self._writer.close()

    def _unified(self, table: pa.Table) -> pa.Table:
        """The same rows; a dictionary begins with that of the rows before, as the format asks."""
        if self._seen is None:
            return table
        unified = pa.concat_tables([self._seen, table]).unify_dictionaries()
        self._seen = unified.slice(0, 0)
        return unified


class Lines:
    """Rows as lines of text, compressed or not."""

    def __init__(
        self,
        file: OutputFile,
        compression: str,
        lines: Callable[[pa.RecordBatch], memoryview],
        header: bytes = b"",
    ) -> None:
        self._out: Any = file
        if compression != "none":
            self._out = arrow.CompressedOutputStream(file, compression)
        self._lines = lines
        if header:
            self._out.write(header)

    def write(self, table: pa.Table) -> None:
        """Write a line of each row."""
        for batch in _small_batches(table):
            self._out.write(self._lines(batch))

    def close(self) -> None:
        """Write what the compressor holds."""
        self._out.close()

    def abandon(self) -> None:
        """Let go of the compressor."""
        with contextlib.suppress(Exception):  # the disk may be full: the file goes anyway
            self._out.close()


def _small_batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    yield from table.to_batches(max_chunksize=LINES)


def _csv(file: OutputFile, schema: pa.Schema, target: Target) -> Lines:
    return Lines(file, target.compression, csv_lines, csv_header(schema))


def _ndjson(file: OutputFile, schema: pa.Schema, target: Target) -> Lines:  # noqa: ARG001
    return Lines(file, target.compression, json_lines)


def _has_dictionary(dtype: Any) -> bool:
    if isinstance(dtype, pa.BaseExtensionType):
        return _has_dictionary(dtype.storage_type)
    children = [dtype.field(place).type for place in range(dtype.num_fields)]
    return pa.types.is_dictionary(dtype) or any(map(_has_dictionary, children))


_WRITERS: Final[dict[Format, Callable[[OutputFile, pa.Schema, Target], Writer]]] = {
    "parquet": ParquetFile,
    "ipc": ArrowFile,
    "csv": _csv,
    "ndjson": _ndjson,
}


def _repeating(schema: pa.Schema) -> Any:
    """Columns whose values are worth a dictionary; True for all.

    Of floats most are distinct: looking for repetitions takes a third of the time of writing, and
    the file gets larger.
    """
    if any(pa.types.is_nested(field.type) for field in schema):  # named by paths of their own
        return True
    return [field.name for field in schema if not pa.types.is_floating(field.type)]
