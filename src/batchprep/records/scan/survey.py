"""What is known of a scan's files before their rows are read: columns, types, numbers of rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from batchprep.batch.arrow_rows import check_distinct
from batchprep.errors import MissingColumnError
from batchprep.errors.nearest import nearest_names
from batchprep.records.scan.csv_layout import CsvColumns, CsvLayout
from batchprep.records.scan.files import DataFile, OpenFile, Storage, damage_named, is_url
from batchprep.records.scan.hive import constants_of, schema_of_keys
from batchprep.records.scan.messages import (
    key_in_file_text,
    repeated_in_file_text,
    unknown_column_text,
)
from batchprep.records.scan.reader import Reader
from batchprep.records.scan.unite import united

if TYPE_CHECKING:
    from batchprep.records.scan.csv_guess import Guess
    from batchprep.records.scan.json_typed import JsonReader


@dataclass(frozen=True)
class Survey:
    """The files' columns under one schema.

    constants  for each file the values of the columns that its folders give
    found      for each CSV file the columns of its header
    guess      where the first rows alone gave the types, which the rest is held against
    """

    files: tuple[DataFile, ...]
    storage: Storage
    layout: CsvLayout
    schema: pa.Schema
    constants: tuple[Mapping[str, Any], ...]
    declared: bool
    found: tuple[CsvColumns, ...] = ()
    total_rows: int | None = None
    guess: Guess | None = None

    @contextmanager
    def faults_named(self, number: int, place: Callable[[], str]) -> Generator[None]:
        """Turn what Arrow says of a file into an error that names the file and the place."""
        file = self.files[number]
        with damage_named(file, place):
            if not self.found:
                yield
                return
            try:
                yield
            except (pa.ArrowInvalid, NotImplementedError, OSError, UnicodeError) as error:
                from batchprep.records.scan.csv_faults import fault_text

                names = self.found[number].names
                text = fault_text(file, self.storage, self.layout, names, error)
                raise ValueError(text) from error


def survey_of(
    files: tuple[DataFile, ...],
    storage: Storage,
    layout: CsvLayout,
    schema: pa.Schema | None,
    columns: Sequence[str] | None,
) -> Survey:
    """Look at every file once; CSV files are read to their ends where types are inferred.

    Errors:  ValueError for files that are damaged or do not go together; KeyError for a column
             of `schema` or `columns` that no file has
    """
    keys = schema_of_keys([file.keys for file in files])
    constants = tuple(constants_of(file.keys, keys) for file in files)
    if files[0].format.name in {"csv", "tsv"}:
        return _survey_csv(files, storage, layout, schema, columns, keys, constants)
    if files[0].format.name == "ndjson" and schema is not None:
        wanted = _wanted(schema, schema, columns)
        return Survey(files, storage, layout, wanted, constants, declared=True)
    return _survey_arrow(files, storage, layout, schema, columns, keys, constants)


def first_survey(
    files: tuple[DataFile, ...],
    storage: Storage,
    layout: CsvLayout,
    columns: Sequence[str] | None,
    find: Callable[[], pa.Schema],
) -> Survey | None:
    """The survey of CSV files whose types are a guess; None where there is nothing to go by.

    find  gives the types of all rows
    """
    from batchprep.records.scan.csv_guess import Guess, first_types

    keys = schema_of_keys([file.keys for file in files])
    found = _found_columns(files, storage, layout, keys)
    typed = first_types(list(zip(files, found, strict=True)), storage, layout, columns)
    if typed is None:
        return None
    constants = tuple(constants_of(file.keys, keys) for file in files)
    wanted = _wanted(_with_keys(typed, keys), None, columns)
    guess = Guess(wanted, find)
    return Survey(
        files, storage, layout, wanted, constants, declared=False, found=found, guess=guess
    )


def _survey_csv(
    files: tuple[DataFile, ...],
    storage: Storage,
    layout: CsvLayout,
    schema: pa.Schema | None,
    columns: Sequence[str] | None,
    keys: pa.Schema,
    constants: tuple[Mapping[str, Any], ...],
) -> Survey:
    from batchprep.records.scan.csv_survey import inferred_schema, named_schema

    found = _found_columns(files, storage, layout, keys)
    typed = named_schema(found)
    _wanted(_with_keys(typed, keys), schema, columns)
    if schema is None:
        typed = inferred_schema(list(zip(files, found, strict=True)), storage, layout, columns)
    wanted = _wanted(_with_keys(typed, keys), schema, columns)
    declared = schema is not None
    return Survey(files, storage, layout, wanted, constants, declared=declared, found=found)


def _found_columns(
    files: Sequence[DataFile], storage: Storage, layout: CsvLayout, keys: pa.Schema
) -> tuple[CsvColumns, ...]:
    """The columns of each file, none of which comes from the folders too."""
    from batchprep.records.scan.csv_survey import found_columns, named_schema

    found = tuple(found_columns(file, storage, layout) for file in files)
    if keys.names:
        _check_keys(files, [named_schema([columns]) for columns in found], keys)
    return found


def _survey_arrow(
    files: tuple[DataFile, ...],
    storage: Storage,
    layout: CsvLayout,
    schema: pa.Schema | None,
    columns: Sequence[str] | None,
    keys: pa.Schema,
    constants: tuple[Mapping[str, Any], ...],
) -> Survey:
    blank = Survey(files, storage, layout, pa.schema([]), constants, declared=False)
    schemas: list[pa.Schema] = []
    rows: list[int | None] = []
    for number, file in enumerate(files):
        with opened_reader(blank, number) as reader:
            _check_distinct(reader.schema.names, file)
            schemas.append(reader.schema)
            rows.append(reader.total_rows)
    _check_keys(files, schemas, keys)
    if schema is None:
        relevant = schemas if columns is None else [_only(s, columns) for s in schemas]
        known = united(zip([file.name for file in files], relevant, strict=True))
        _wanted(_with_keys(_names_of(schemas), keys), None, columns)
    else:
        known = _names_of(schemas)
    wanted = _wanted(_with_keys(known, keys), schema, columns)
    counted = [count for count in rows if count is not None]
    total = sum(counted) if len(counted) == len(rows) else None
    return Survey(
        files, storage, layout, wanted, constants, declared=schema is not None, total_rows=total
    )


def _names_of(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The columns of all files, whatever their types."""
    fields = {field.name: field for schema in schemas for field in schema}
    return pa.schema(list(fields.values()))


def _only(schema: pa.Schema, columns: Sequence[str]) -> pa.Schema:
    return pa.schema([field for field in schema if field.name in set(columns)])


def _with_keys(schema: pa.Schema, keys: pa.Schema) -> pa.Schema:
    return pa.schema([*schema, *keys])


def _wanted(
    known: pa.Schema, declared: pa.Schema | None, columns: Sequence[str] | None
) -> pa.Schema:
    """The columns to read, with their types.

    Errors:  KeyError for one that is not known
    """
    if declared is not None:
        _check_known(declared.names, known.names)
    full = known if declared is None else declared
    full = full.remove_metadata()
    if columns is None:
        return full
    _check_known(columns, full.names)
    return pa.schema([full.field(name) for name in columns])


def _check_known(names: Sequence[str], known: Sequence[str]) -> None:
    have = set(known)
    for name in names:
        if name not in have:
            raise MissingColumnError(unknown_column_text(name, nearest_names(name, known), known))


def _check_distinct(names: Sequence[str], file: DataFile) -> None:
    try:
        check_distinct(names)
    except ValueError as error:
        raise ValueError(repeated_in_file_text(file.name, str(error))) from None


def _check_keys(files: Sequence[DataFile], schemas: Sequence[pa.Schema], keys: pa.Schema) -> None:
    """A column must not come from the folders and from the file too: which is right?"""
    for file, schema in zip(files, schemas, strict=True):
        twice = next((name for name in keys.names if name in set(schema.names)), None)
        if twice is not None:
            raise ValueError(key_in_file_text(file.name, twice))


@contextmanager
def opened_reader(survey: Survey, number: int) -> Generator[Reader]:
    """The reader of a file.

    Errors:  ValueError that names the file where it is damaged
    """
    file = survey.files[number]
    if file.format.name == "ndjson":
        yield _json_reader(survey, file)
        return
    with closing(OpenFile(survey.storage, file)) as held:
        with damage_named(file):
            reader = _OPENERS[file.format.name](survey, number, held)
        yield reader


def _json_reader(survey: Survey, file: DataFile) -> JsonReader:
    from batchprep.records.scan.json_typed import JsonReader

    names = [name for name in survey.schema.names if name not in dict(file.keys)]
    schema = pa.schema([survey.schema.field(name) for name in names])
    return JsonReader(file, survey.storage, schema, survey.layout.encoding)


def _parquet_reader(survey: Survey, number: int, held: OpenFile) -> Reader:
    from batchprep.records.scan.parquet import ParquetReader

    return ParquetReader(held.raw(), is_remote=is_url(survey.files[number].name))


def _csv_reader(survey: Survey, number: int, held: OpenFile) -> Reader:
    from batchprep.records.scan.csv_reader import CsvReader

    types = {field.name: field.type for field in survey.schema}
    nulls = survey.declared or survey.layout.infer
    layout, found = survey.layout, survey.found[number]
    return CsvReader(held, layout, found, types, nulls=nulls, guess=survey.guess)


def _arrow_reader(_survey: Survey, _number: int, held: OpenFile) -> Reader:
    from batchprep.records.scan.ipc import IpcReader

    return IpcReader(held)


_OPENERS: dict[str, Callable[[Survey, int, OpenFile], Reader]] = {
    "parquet": _parquet_reader,
    "csv": _csv_reader,
    "tsv": _csv_reader,
    "arrow": _arrow_reader,
}
