"""A sink: tables in, one file or a folder of parts under the final name once all are in."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from types import TracebackType
from typing import Self

import pyarrow as pa

from batchprep.sinks import messages
from batchprep.sinks.columns import fitted
from batchprep.sinks.output import OutputFile
from batchprep.sinks.remote import RemoteFile, RemoteFolder
from batchprep.sinks.staging import LocalFile, LocalFolder, Staging
from batchprep.sinks.target import Target
from batchprep.sinks.writers import Writer, open_writer


class Sink:
    """Where rows are written. Nothing is under the final name until `close`.

    As a context manager it closes at the end, and aborts where an exception (or Ctrl-C) ends the
    block. Any error in `write` or `close` aborts too. Not shared between threads.

    Errors:  OSError naming the file; TypeError where the columns of the rows change
    """

    def __init__(self, target: Target, schema: pa.Schema) -> None:
        self.schema = schema
        self.rows = 0
        self._target = target
        self._part_rows = 0
        self._parts = 0
        self._done_bytes = 0
        self._closed = False
        with self._failing():
            self._staging = _open_staging(target)
            try:
                self._file, self._writer = self._open_part()
            except BaseException:
                self._staging.abort()
                raise

    @property
    def bytes(self) -> int:
        """Bytes written so far; Parquet keeps the rows of a row group until it is full."""
        return self._done_bytes + self._file.bytes

    def write(self, table: pa.Table) -> None:
        """Add the rows of a table with the columns and types of the schema."""
        if self._closed:
            raise ValueError(messages.closed_text(self._target.name))
        with self._aborting():
            first = self.rows
            with self._failing(first, first + table.num_rows):
                for piece in self._pieces(fitted(table, self.schema, self._target)):
                    self._writer.write(piece)
                    self.rows += piece.num_rows
                    self._part_rows += piece.num_rows

    def close(self) -> int:
        """Write what is left, give it the final name; bytes written in all."""
        if not self._closed:
            with self._aborting(), self._failing(0, self.rows):
                self._finish_part()
                self._staging.commit()
                self._closed = True
        return self.bytes

    def abort(self) -> None:
        """Remove what was written; fine if it is closed or aborted."""
        if self._closed:
            return
        self._closed = True
        self._writer.abandon()
        with contextlib.suppress(OSError):  # the disk may be full: the file goes anyway
            self._file.discard()
        self._staging.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _pieces(self, table: pa.Table) -> Iterator[pa.Table]:
        """The table cut where a part is full; the next part opens when rows are left."""
        most = self._target.rows_per_file
        if most is None:
            yield table
            return
        start = 0
        while start < table.num_rows:
            if self._part_rows >= most:
                self._finish_part()
                self._file, self._writer = self._open_part()
            piece = table.slice(start, most - self._part_rows)
            start += piece.num_rows
            yield piece

    def _open_part(self) -> tuple[OutputFile, Writer]:
        file = self._staging.open(f"part-{self._parts:05}{self._target.part_suffix}")
        self._parts += 1
        self._part_rows = 0
        try:
            return file, open_writer(file, self.schema, self._target)
        except BaseException:
            file.discard()
            raise

    def _finish_part(self) -> None:
        self._writer.close()
        self._file.finish()
        self._done_bytes += self._file.bytes
        self._file.bytes = 0

    @contextlib.contextmanager
    def _aborting(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            self.abort()
            raise

    @contextlib.contextmanager
    def _failing(self, first: int = 0, last: int = 0) -> Generator[None]:
        """Errors of the system and of Arrow, with the name of the target."""
        name = self._target.name
        try:
            yield
        except MemoryError:
            raise
        except (pa.ArrowException, ValueError) as error:
            raise ValueError(messages.bad_rows_text(name, first, last, str(error))) from error
        except OSError as error:
            if name in str(error):
                raise
            reason = error.strerror or str(error)
            text = messages.write_failed_text(name, reason)
            raise (OSError(error.errno, text) if error.errno else OSError(text)) from error


def _open_staging(target: Target) -> Staging:
    if target.remote:
        return RemoteFolder(target) if target.folder else RemoteFile(target)
    return LocalFolder(target) if target.folder else LocalFile(target)
