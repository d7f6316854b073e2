"""Parquet files, streamed row group by row group."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from batchprep.records.scan.messages import row_group_text
from batchprep.records.scan.ranges import Pruning, RowGroupRanges, is_ranged, places_of
from batchprep.records.scan.rebatch import BATCH_BYTES, Chunk

_LARGE: Final = 1 << 27  # bytes of a row group; larger ones are read through buffers
_BUFFERS: Final = 1 << 25  # bytes of all columns' buffers together
_FEWEST_ROWS: Final = 1_024  # of a batch, however wide
# To look at the first rows takes a millisecond: row groups of few rows are read at once instead.
_PROBED_ROWS: Final = 8 * _FEWEST_ROWS
_PROBE_BUFFER: Final = 1 << 16  # bytes of a column that are read then


class ParquetReader:
    """A Parquet file; the rows of neighbouring row groups come joined, by Arrow's own reader."""

    def __init__(self, raw: pa.NativeFile, *, is_remote: bool) -> None:
        self._raw = raw
        self._metadata = pq.read_metadata(raw)
        self._file = pq.ParquetFile(
            raw,
            metadata=self._metadata,
            buffer_size=_buffer_size(self._metadata),
            # One request for a whole row group; on a local disk it gains nothing and holds more.
            pre_buffer=is_remote,
            page_checksum_verification=True,
        )
        self._schema = self._file.schema_arrow  # made anew each time
        self._group = 0
        self._probed: dict[tuple[str, ...], int] = {}
        self.bytes_read = 0
        self.row_groups_skipped = 0

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    @property
    def total_rows(self) -> int | None:
        return self._metadata.num_rows

    def position(self) -> str:
        return row_group_text(self._group, self._metadata.num_row_groups)

    def chunks(
        self, columns: Sequence[str], rows: int, pruning: Pruning | None
    ) -> Generator[Chunk]:
        row = 0
        for run in self._runs(pruning):
            self._group = run[0]
            row = self._first_row(run[0])
            for batch in self._batches(run, columns, rows):
                if batch.num_rows:
                    yield Chunk(batch, row)
                row += batch.num_rows
                while self._group < run[-1] and self._first_row(self._group + 1) <= row:
                    self._group += 1

    def _batches(
        self, run: list[int], columns: Sequence[str], rows: int
    ) -> Iterator[pa.RecordBatch]:
        count, weight = self._size(run, columns)
        limit = _rows_of_batch(rows, count, self._width(run, columns))
        for batch in self._file.iter_batches(limit, row_groups=run, columns=list(columns)):
            self.bytes_read += weight * batch.num_rows // max(count, 1)
            # Arrow selects by path: "a" is the column a, and also one that is named "a.b".
            yield batch if batch.schema.names == columns else batch.select(list(columns))

    def _runs(self, pruning: Pruning | None) -> Iterator[list[int]]:
        """Neighbouring row groups that are read; decided no sooner than they are reached."""
        groups = range(self._metadata.num_row_groups)
        if pruning is None:
            yield from ([list(groups)] if groups else [])
            return
        names = frozenset(f.name for f in self.schema if is_ranged(f.type)) & pruning.names
        places = places_of(self._file.schema, names)
        run: list[int] = []
        for group in groups:
            ranges = RowGroupRanges(self._metadata.row_group(group), places, pruning.constants)
            if not pruning.skip(ranges):
                run.append(group)
                continue
            self.row_groups_skipped += 1
            if run:
                yield run
            run = []
        if run:
            yield run

    def _first_row(self, group: int) -> int:
        return self._starts[group]

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for group in range(self._metadata.num_row_groups):
            starts.append(starts[-1] + self._metadata.row_group(group).num_rows)
        return starts

    def _size(self, run: list[int], columns: Sequence[str]) -> tuple[int, int]:
        """Rows of these row groups, and the bytes of the columns in the file."""
        leaves = self._leaves(columns)
        weight = 0
        for number in run:
            group = self._metadata.row_group(number)
            weight += sum(group.column(leaf).total_compressed_size for leaf in leaves)
        return self._starts[run[-1] + 1] - self._starts[run[0]], weight

    def _width(self, run: list[int], columns: Sequence[str]) -> int:
        """About how many bytes the columns take in memory, over the largest row group's rows."""
        group = max(
            (self._metadata.row_group(number) for number in run), key=lambda g: g.total_byte_size
        )
        encoded = sum(group.column(i).total_uncompressed_size for i in self._leaves(columns))
        types = [self.schema.field(name).type for name in columns]
        least = max(encoded // max(group.num_rows, 1), sum(map(_width_of, types)))
        if group.num_rows <= _PROBED_ROWS:
            return least
        repeating = tuple(name for name in columns if self._repeats(group, name))
        if repeating not in self._probed:
            self._probed[repeating] = self._seen_width(run[0], repeating) if repeating else 0
        return max(least, self._probed[repeating])

    def _repeats(self, group: pq.RowGroupMetaData, name: str) -> bool:
        """Whether the bytes in the file do not tell how many they are in memory.

        A text may lie there once for all the rows that hold it, and a list as a few bits.
        """
        if pa.types.is_dictionary(self.schema.field(name).type):
            return False
        schema: Any = self._file.schema
        return any(
            chunk.has_dictionary_page
            and (
                chunk.physical_type == "BYTE_ARRAY" or schema.column(leaf).max_repetition_level > 0
            )
            for leaf in self._leaves([name])
            for chunk in [group.column(leaf)]
        )

    def _seen_width(self, group: int, columns: Sequence[str]) -> int:
        """Bytes that a row of the columns takes in memory, over the first of a row group."""
        file = pq.ParquetFile(self._raw, metadata=self._metadata, buffer_size=_PROBE_BUFFER)
        batches = file.iter_batches(_FEWEST_ROWS, row_groups=[group], columns=list(columns))
        first = next(iter(batches), None)
        return 0 if first is None else first.nbytes // max(first.num_rows, 1)

    def _leaves(self, columns: Sequence[str]) -> list[int]:
        return sorted({leaf for name in columns for leaf in self._leaves_by_name.get(name, ())})

    @cached_property
    def _leaves_by_name(self) -> dict[str, list[int]]:
        """The columns in the file that a name selects: Arrow's is a path or its beginning."""
        schema: Any = self._file.schema
        found: dict[str, list[int]] = {}
        for leaf in range(len(schema)):
            path = schema.column(leaf).path
            for name in {path, path.partition(".")[0]}:
                found.setdefault(name, []).append(leaf)
        return found


def _width_of(dtype: pa.DataType) -> int:
    try:
        return max(dtype.bit_width // 8, 1)
    except ValueError:  # strings, lists
        return 16


def _rows_of_batch(rows: int, count: int, width: int) -> int:
    bounded = max(BATCH_BYTES // max(width, 1), _FEWEST_ROWS)
    return max(min(rows, bounded, max(count, 1)), 1)


def _buffer_size(metadata: Any) -> int:
    """0 reads the chunk of a column at once, as is fastest; large row groups are streamed."""
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    largest = max((group.total_byte_size for group in groups), default=0)
    return 0 if largest <= _LARGE else max(_BUFFERS // max(metadata.num_columns, 1), 1 << 16)
