"""Arrow IPC: files and streams, told apart by their first bytes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from batchprep.records.scan.files import OpenFile
from batchprep.records.scan.messages import (
    compressed_arrow_text,
    feather_one_text,
    more_after_end_text,
    no_end_text,
    record_batch_text,
)
from batchprep.records.scan.ranges import Pruning
from batchprep.records.scan.rebatch import Chunk, rebatched

_FILE_MAGIC: Final = b"ARROW1"
_FEATHER_ONE: Final = b"FEA1"


class IpcReader:
    """An Arrow file or stream; its record batches are joined where they are small."""

    row_groups_skipped = 0
    total_rows: int | None = None

    def __init__(self, held: OpenFile) -> None:
        self._held = held
        file = self._file = held.file
        self._batch = 0
        self.bytes_read = 0
        magic = self._magic()
        if magic.startswith(_FEATHER_ONE):
            raise ValueError(feather_one_text(file.name))
        self._is_file = magic.startswith(_FILE_MAGIC)
        if self._is_file and file.format.compression is not None:
            raise ValueError(compressed_arrow_text(file.name))
        self._schema: pa.Schema = self._opened(None).schema

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def position(self) -> str:
        return record_batch_text(self._batch)

    def chunks(
        self,
        columns: Sequence[str],
        rows: int,
        pruning: Pruning | None,  # noqa: ARG002  Arrow files hold no statistics
    ) -> Generator[Chunk]:
        yield from rebatched(self._batches(list(columns)), rows)

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        indices = sorted(self._schema.get_field_index(name) for name in columns)
        opened = self._opened(indices or None)
        for batch in self._of_file(opened) if self._is_file else opened:
            self._batch += 1
            self.bytes_read = self._held.reached
            yield batch if batch.schema.names == columns or not columns else batch.select(columns)
        if not self._is_file:
            self._check_end()

    def _of_file(self, opened: Any) -> Iterator[pa.RecordBatch]:
        return (opened.get_batch(i) for i in range(opened.num_record_batches))

    def _opened(self, indices: list[int] | None) -> Any:
        options = (
            pa.ipc.IpcReadOptions()
            if indices is None
            else pa.ipc.IpcReadOptions(included_fields=indices)
        )
        if self._is_file:
            return pa.ipc.open_file(self._held.raw(), options=options)
        stream: Any = _Stream(self._held.stream())
        self._stream: _Stream = stream
        return pa.ipc.open_stream(pa.PythonFile(stream, mode="r"), options=options)

    def _check_end(self) -> None:
        """A stream that was cut between two batches reads like a shorter one, but for its end."""
        if self._stream.ran_dry:
            raise ValueError(no_end_text(self._file.name, self._batch))
        if self._stream.read(1):
            raise ValueError(more_after_end_text(self._file.name, self._batch))

    def _magic(self) -> bytes:
        return self._held.stream().read(8)


class _Stream:
    """A stream that knows whether more was asked of it than it had."""

    closed = False

    def __init__(self, stream: pa.NativeFile) -> None:
        self._stream = stream
        self.ran_dry = False

    def read(self, count: int) -> Any:
        """That many bytes, fewer at the end; a buffer, not copied."""
        data = self._stream.read_buffer(count)
        self.ran_dry = self.ran_dry or (count > 0 and data.size == 0)
        return data

    def close(self) -> None:
        """Nothing: the file below is closed by whoever opened it."""
