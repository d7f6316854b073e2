"""Failed rows, streamed to a file of their own."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa

from batchprep.sinks.open import open_sink

BLOCK: Final = 10_000  # rows


class FailuresSink:
    """A sink that takes one row at a time; threads may share it."""

    def __init__(
        self, target: str | os.PathLike[str], schema: pa.Schema, *, overwrite: bool = False
    ) -> None:
        self._sink = open_sink(target, schema, overwrite=overwrite)
        self._schema = schema
        self._rows: list[object] = []
        self._lock = threading.Lock()

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._sink.rows + len(self._rows)

    def add(self, row: object) -> None:
        """Keep a row: an object with an attribute for each column."""
        with self._lock:
            self._rows.append(row)
            if len(self._rows) >= BLOCK:
                self._write()

    def close(self) -> int:
        """Write what is left, give the file its final name; bytes written in all."""
        with self._lock:
            self._write()
            return self._sink.close()

    def abort(self) -> None:
        """Remove what was written."""
        with self._lock:
            self._sink.abort()

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

    def _write(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            columns = [_column(rows, field) for field in self._schema]
            self._sink.write(pa.Table.from_arrays(columns, schema=self._schema))


def failures_sink(
    target: str | os.PathLike[str], schema: pa.Schema, *, overwrite: bool = False
) -> FailuresSink:
    """A file that failed rows are streamed to, in any of the formats.

    `schema` names the attributes of a row that become columns.
    """
    return FailuresSink(target, schema, overwrite=overwrite)


def _column(rows: list[object], field: pa.Field[Any]) -> pa.Array[Any]:
    return pa.array([getattr(row, field.name) for row in rows], field.type)
