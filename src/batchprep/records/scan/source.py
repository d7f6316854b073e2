"""The columns of files as a source: read anew, file by file, batch by batch."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import pyarrow as pa

from batchprep.batch.arrow_rows import ArrowRows, field_of_schema
from batchprep.batch.batch import Batch, Origin
from batchprep.records.arrow import ARROW_ROWS
from batchprep.records.scan.fit import fitted
from batchprep.records.scan.ranges import Pruning, Range, Skip, order_of
from batchprep.records.scan.reader import Reader
from batchprep.records.scan.rebatch import Chunk, Rows
from batchprep.records.scan.survey import Survey, opened_reader
from batchprep.records.source import SourceKind
from batchprep.schema import Field, RecordForm


class FileSource:
    """Rows of files whose columns have types; only these columns are read.

    total_rows          of all files, from Parquet's metadata; None for other formats
    total_bytes         size of all files
    bytes_read          so far, of the files
    row_groups_skipped  so far, where `skip` said that none of their rows is needed
    settle              of types that are a guess: makes sure of them, or raises TypesChanged
    """

    kind: SourceKind = "arrow"
    form: RecordForm = "mapping"
    closed = True

    def __init__(self, scan: Any, survey: Survey, schema: pa.Schema, skip: Skip | None) -> None:
        self.data = scan
        self.schema = schema
        self._survey = survey
        self.settle = None if survey.guess is None else survey.guess.settle
        self._skip = skip
        self._finished = 0  # bytes of the files that are done
        self._reader: Reader | None = None
        self._skipped = 0

    @property
    def length(self) -> int | None:
        """Number of rows; None where it is not known, or where rows may be skipped."""
        return self.total_rows if self._skip is None else None

    @property
    def total_rows(self) -> int | None:
        return self._survey.total_rows

    @property
    def total_bytes(self) -> int:
        return sum(self._survey.storage.size(file) for file in self._survey.files)

    @property
    def bytes_read(self) -> int:
        reader = self._reader
        return self._finished + (0 if reader is None else reader.bytes_read)

    @property
    def row_groups_skipped(self) -> int:
        reader = self._reader
        return self._skipped + (0 if reader is None else reader.row_groups_skipped)

    def narrowed(self, columns: Collection[str] | None, skip: Skip | None) -> FileSource:
        """A source that reads the files from their beginning, and only these columns."""
        wanted = None if columns is None else set(columns)
        fields = [field for field in self.schema if wanted is None or field.name in wanted]
        return FileSource(self.data, self._survey, pa.schema(fields), skip)

    def field(self, name: str) -> Field:
        return field_of_schema(self.schema, name)

    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names)

    def whole(self) -> Batch:
        """All rows as one batch, so that no rows are one too."""
        parts = [_table(batch) for batch in self.batches()]
        if len(parts) == 1:
            return Batch(self._rows(parts[0]))
        table = pa.concat_tables(parts) if parts else self.schema.empty_table()
        return Batch(self._rows(table))

    def _rows(self, data: Rows) -> ArrowRows:
        return ArrowRows(data, self.settle)

    def batches(self, rows: int = ARROW_ROWS) -> Iterator[Batch]:
        """Batches of one file each; rows of skipped row groups count in `start`."""
        start = 0
        for number, file in enumerate(self._survey.files):
            end = start
            with self._read(number) as reader:
                for chunk in self._chunks(reader, number, rows):
                    end = start + chunk.row + chunk.data.num_rows
                    origin = Origin(file.name, chunk.row)
                    yield Batch(self._rows(chunk.data), start + chunk.row, origin)
                start = end if reader.total_rows is None else start + reader.total_rows

    def _chunks(self, reader: Reader, number: int, rows: int) -> Iterator[Chunk]:
        """The rows of one file in the types of all."""
        file, constants = self._survey.files[number], self._survey.constants[number]
        have = set(reader.schema.names)
        wanted = [name for name in self.schema.names if name in have]
        pruning = self._pruning(reader.schema, constants)
        # What is read ahead ends here, also where nobody wants the rest, and then the file closes.
        with (
            self._survey.faults_named(number, reader.position),
            closing(reader.chunks(wanted, rows, pruning)) as chunks,
        ):
            for chunk in chunks:
                yield Chunk(fitted(chunk, self.schema, constants, file.name), chunk.row)

    @contextmanager
    def _read(self, number: int) -> Generator[Reader]:
        with opened_reader(self._survey, number) as reader:
            self._reader = reader
            try:
                yield reader
            finally:
                self._reader = None
                self._finished += reader.bytes_read
                self._skipped += reader.row_groups_skipped

    def _pruning(self, read: pa.Schema, constants: Mapping[str, Any]) -> Pruning | None:
        if self._skip is None:
            return None
        orders = {field.name: order_of(field.type) for field in self._survey.schema}
        alike = {f.name for f in read if orders.get(f.name) == order_of(f.type) is not None}
        fixed = {n: Range(v, v, 0) for n, v in constants.items() if v is not None}
        return Pruning(self._skip, frozenset(alike - constants.keys()), fixed)


def _table(batch: Batch) -> pa.Table:
    data: Any = batch.to_arrow() if not isinstance(batch.rows, ArrowRows) else batch.rows.data
    return data if isinstance(data, pa.Table) else pa.Table.from_batches([data])
