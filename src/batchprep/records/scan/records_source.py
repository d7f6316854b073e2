"""Untyped NDJSON files: their records, as they stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from batchprep.batch.batch import Batch, Origin
from batchprep.batch.record_rows import RecordRows
from batchprep.records.iterator import ITERATOR_ROWS, IteratorSource
from batchprep.records.scan.files import DataFile, Storage
from batchprep.records.scan.json_lines import records_of
from batchprep.records.scan.messages import key_in_record_text


class RecordFileSource(IteratorSource):
    """Records of NDJSON files, whose batches know the file they come from.

    `total_rows` is not known; `total_bytes` are those of the files, `bytes_read` those so far.
    """

    total_rows: int | None = None
    row_groups_skipped = 0

    def __init__(
        self,
        scan: Any,
        files: Sequence[tuple[DataFile, Mapping[str, Any]]],
        storage: Storage,
        encoding: str,
        columns: Collection[str] | None,
    ) -> None:
        self._files = files
        self._storage = storage
        self._encoding = encoding
        self._columns = columns
        self._starts: list[int] = []  # number of each opened file's first row
        self._finished = 0  # bytes of the files that are done
        self._reached = 0  # bytes of the file that is open
        self._opened = self._records()
        super().__init__(self._opened)
        self.data = scan

    @property
    def total_bytes(self) -> int:
        return sum(self._storage.size(file) for file, _ in self._files)

    @property
    def bytes_read(self) -> int:
        return self._finished + self._reached

    def batches(self, rows: int = ITERATOR_ROWS) -> Iterator[Batch]:
        """Batches of records of one file each; where nobody reads on, the file is closed."""
        start = 0
        with closing(self._opened):
            for batch in super().batches(rows):
                for part, origin in self._by_file(batch.records(), start):
                    yield Batch(RecordRows(part, batch.form), start, origin)
                    start += len(part)

    def _by_file(
        self, records: Sequence[Any], start: int
    ) -> Iterator[tuple[Sequence[Any], Origin]]:
        done = 0
        while done < len(records):
            number = bisect_right(self._starts, start + done)
            end = self._starts[number] - start if number < len(self._starts) else len(records)
            first = self._starts[number - 1]
            origin = Origin(self._files[number - 1][0].name, start + done - first)
            yield records[done:end], origin
            done = min(end, len(records))

    def _records(self) -> Generator[dict[str, Any]]:
        count = 0
        for file, constants in self._files:
            self._starts.append(count)
            for part in records_of(file, self._storage, self._encoding):
                self._reached = part.bytes_read
                count += len(part.records)
                yield from _completed(part.records, part.lines, file, constants, self._columns)
            self._finished, self._reached = self._finished + self._reached, 0


def _completed(
    records: list[dict[str, Any]],
    lines: list[int],
    file: DataFile,
    constants: Mapping[str, Any],
    columns: Collection[str] | None,
) -> list[dict[str, Any]]:
    """The records with the columns that their folders give, and only the wanted keys."""
    if constants:
        for record, line in zip(records, lines, strict=True):
            twice = next((key for key in constants if key in record), None)
            if twice is not None:
                raise ValueError(key_in_record_text(file.name, line, twice))
            record.update(constants)
    if columns is None:
        return records
    return [{name: record[name] for name in columns if name in record} for record in records]
