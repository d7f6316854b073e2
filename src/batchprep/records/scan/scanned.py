"""The files that a caller names, read anew at each use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import pyarrow as pa

from batchprep.batch.batch import from_records
from batchprep.records.scan.csv_layout import CsvLayout
from batchprep.records.scan.files import DataFile, Storage
from batchprep.records.scan.formats import FormatName, format_named
from batchprep.records.scan.hive import constants_of, schema_of_keys
from batchprep.records.scan.messages import bad_option_type_text, untyped_text
from batchprep.records.scan.paths import PathLike, files_of
from batchprep.records.scan.ranges import Skip
from batchprep.records.scan.records_source import RecordFileSource
from batchprep.records.scan.source import FileSource
from batchprep.records.scan.survey import Survey, first_survey, survey_of
from batchprep.records.source import SourceKind

_INFERRED_RECORDS: Final = 10_000  # of NDJSON, for its schema
_MOST_SHOWN: Final = 3  # files, in the repr


class Scan:
    """Rows of files: iterate over it, hand it to a row function, or to whatever speaks Arrow.

    Nothing is kept but names and types: each use reads the files anew, so that a scan may be
    used many times, in many threads, and pickled. `files` names them in the order of the rows.
    """

    def __init__(
        self,
        files: tuple[DataFile, ...],
        storage: Storage,
        layout: CsvLayout,
        schema: pa.Schema | None,
        columns: tuple[str, ...] | None,
    ) -> None:
        self._files = files
        self._storage = storage
        self._layout = layout
        self._declared = schema
        self._columns = columns
        self._survey_: Survey | None = None
        self._schema_: pa.Schema | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files, in the order in which they are read."""
        return tuple(file.name for file in self._files)

    @property
    def format(self) -> FormatName:
        """What the files are: "parquet", "csv", "tsv", "ndjson" or "arrow"."""
        return self._files[0].format.name

    @property
    def kind(self) -> SourceKind:
        """What the rows are: "iterator" (records of NDJSON without a schema), else "arrow"."""
        untyped = self.format == "ndjson" and self._declared is None
        return "iterator" if untyped else "arrow"

    @property
    def schema(self) -> pa.Schema:
        """Columns and types of the rows; of NDJSON as its first 10,000 records show them."""
        if self.kind == "arrow":
            return self._survey.schema
        if self._schema_ is None:
            first = list(islice(self, _INFERRED_RECORDS))
            self._schema_ = from_records(first).to_arrow().schema
        return self._schema_

    def source(
        self, columns: Collection[str] | None = None, skip: Skip | None = None
    ) -> FileSource | RecordFileSource:
        """A source that reads the files from their beginning, and only these columns.

        `skip` is called for each row group of a Parquet file with the ranges of its columns;
        where it says True, no row of it can be of use and the row group is not read.
        """
        if self.kind == "iterator":
            wanted = self._columns if columns is None else _both(self._columns, columns)
            return RecordFileSource(
                self, self._with_constants(), self._storage, self._layout.encoding, wanted
            )
        survey = self._survey
        return FileSource(self, survey, survey.schema, None).narrowed(columns, skip)

    def early_source(self) -> FileSource | RecordFileSource:
        """The same of all columns, before the types of CSV files are known for sure.

        They are those of the first rows where its `settle` is there: see provisional.tried.
        """
        guessed = self._survey_ is None and self.format in {"csv", "tsv"} and self._layout.infer
        if not guessed or self._declared is not None:
            return self.source()
        survey = first_survey(
            self._files, self._storage, self._layout, self._columns, lambda: self._survey.schema
        )
        return self.source() if survey is None else FileSource(self, survey, survey.schema, None)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as dicts."""
        for batch in self.source().batches():
            yield from batch.records()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as Arrow, read as they are asked for; not of NDJSON without schema=."""
        if self.kind == "iterator":
            raise TypeError(untyped_text())
        reader = pa.RecordBatchReader.from_batches(self.schema, self._record_batches())
        return reader.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        more = f", ... ({len(self._files):,} files)" if len(self._files) > _MOST_SHOWN else ""
        files = ", ".join(map(repr, self.files[:_MOST_SHOWN])) + more
        return f"<Scan of {self.format}: {files}; {self._columns_text()}>"

    def _columns_text(self) -> str:
        """The columns, where they are known without a look into the files."""
        if self._survey_ is not None:
            fields = [f"{field.name}: {field.type}" for field in self._survey_.schema]
        elif self._declared is not None and self._columns is None:
            fields = [f"{field.name}: {field.type}" for field in self._declared]
        else:
            fields = list(self._columns or ["not looked at yet"])
        return f"columns {', '.join(fields)}"

    @property
    def _survey(self) -> Survey:
        if self._survey_ is None:
            self._survey_ = survey_of(
                self._files, self._storage, self._layout, self._declared, self._columns
            )
        return self._survey_

    def _with_constants(self) -> list[tuple[DataFile, Mapping[str, Any]]]:
        keys = schema_of_keys([file.keys for file in self._files])
        return [(file, constants_of(file.keys, keys)) for file in self._files]

    def _record_batches(self) -> Iterator[pa.RecordBatch]:
        schema = self.schema
        for batch in self.source().batches():
            yield from batch.to_arrow().cast(schema).to_batches()


def scan(
    paths: PathLike | Iterable[PathLike],
    *,
    schema: pa.Schema | None = None,
    columns: Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002  what readers of files call it
    infer: bool = True,
    delimiter: str = ",",
    quote: str | None = '"',
    header: bool = True,
    null_values: Sequence[str] = ("",),
    encoding: str = "utf-8",
    storage_options: Mapping[str, Any] | None = None,
) -> Scan:
    r"""The rows of Parquet, CSV, NDJSON or Arrow files, read a batch at a time.

    `paths` are files, globs (sorted), folders (their data files at any depth, sorted; names
    that begin with "." or "_" are skipped), fsspec URLs, or a list of them. Suffixes tell the
    format: .parquet .pq .csv .tsv .ndjson .jsonl .arrow .ipc .feather, those of text and of
    Arrow streams also with .gz or .zst behind; `format` goes before the suffix. Folders named
    year=2024 below a scanned folder or a glob's fixed part give a column `year`, at the end.

    Files of different columns give the union, a missing value null; ints and floats give
    doubles. `schema` fixes columns and types, `columns` which are read, and in what order.

    CSV types are inferred from all rows, in a first pass or as they are read: int64, double,
    bool, date32 (2024-01-31), timestamp (2024-01-31T12:30:00; in UTC with "Z"), else text.
    Integers with leading zeros ("007") or a plus, those beyond int64, and times of other zones
    stay text. `infer=False` gives every field as text, as csv.DictReader does. Blank lines are
    skipped.

    NDJSON without `schema` gives the records as json.loads does, absent keys absent.

    Nulls:   fields of CSV that are one of `null_values`, quoted or not; none under infer=False
    Errors:  FileNotFoundError that names near files; ValueError that names file and position
             for damaged files, ragged rows, values that do not fit, files that do not go
             together; KeyError for a column that no file has

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "trades.csv").write_text("id,price\n007,2.5\n008,\n")
    >>> list(scan(folder))
    [{'id': '007', 'price': 2.5}, {'id': '008', 'price': None}]
    """
    storage = Storage(dict(storage_options or {}))
    files = files_of(paths, storage, None if format is None else format_named(format))
    _check_options(schema, columns, null_values)
    layout = CsvLayout(
        delimiter=delimiter,
        quote=quote,
        header=header,
        null_values=tuple(null_values),
        encoding=encoding,
        infer=infer,
        names=() if schema is None or header else tuple(schema.names),
    )
    if files[0].format.name == "tsv":
        layout = layout.with_tabs()
    return Scan(files, storage, layout, schema, None if columns is None else tuple(columns))


def _check_options(schema: object, columns: object, null_values: object) -> None:
    if schema is not None and not isinstance(schema, pa.Schema):
        raise TypeError(bad_option_type_text("schema", schema, "a pyarrow.Schema"))
    if isinstance(columns, str):
        raise TypeError(bad_option_type_text("columns", columns, "a list of names"))
    if isinstance(null_values, str):
        raise TypeError(bad_option_type_text("null_values", null_values, "a list of texts"))


def _both(declared: tuple[str, ...] | None, columns: Collection[str]) -> tuple[str, ...]:
    if declared is None:
        return tuple(columns)
    return tuple(name for name in declared if name in set(columns))
