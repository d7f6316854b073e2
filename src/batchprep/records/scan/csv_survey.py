"""The columns and types of CSV files, inferred over all of their rows."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from contextlib import closing
from typing import Final

import pyarrow as pa

from batchprep.records.scan.csv_faults import fault_text
from batchprep.records.scan.csv_layout import CsvColumns, CsvLayout, columns_of
from batchprep.records.scan.csv_reader import CsvReader
from batchprep.records.scan.csv_types import ALL, CsvType, narrowed, type_of
from batchprep.records.scan.files import DataFile, OpenFile, Storage, damage_named
from batchprep.records.scan.messages import bad_header_text

_Candidates = dict[str, frozenset[CsvType]]
_FAULTS: Final = (pa.ArrowInvalid, OSError, UnicodeError)


def found_columns(file: DataFile, storage: Storage, layout: CsvLayout) -> CsvColumns:
    """Columns of one file.

    Errors:  ValueError that names file and byte where the text is broken
    """
    with damage_named(file):
        try:
            return columns_of(file, storage, layout)
        except csv.Error as error:
            raise ValueError(bad_header_text(file.name, str(error))) from error
        except UnicodeError as error:
            raise ValueError(fault_text(file, storage, layout, (), error)) from error


def inferred_schema(
    files: Sequence[tuple[DataFile, CsvColumns]],
    storage: Storage,
    layout: CsvLayout,
    columns: Collection[str] | None,
) -> pa.Schema:
    """The columns of all files in order of first sight, typed by every value in them."""
    candidates: _Candidates = {}
    for _, found in files:
        for name in found.names:
            candidates.setdefault(name, ALL)
    wanted = set(candidates) if columns is None else set(columns)
    if layout.infer:
        for file, found in files:
            _narrow(candidates, file, storage, layout, found, wanted)
    types = {
        name: type_of(kept) if layout.infer else pa.string() for name, kept in candidates.items()
    }
    return pa.schema(list(types.items()))


def _narrow(
    candidates: _Candidates,
    file: DataFile,
    storage: Storage,
    layout: CsvLayout,
    found: CsvColumns,
    wanted: Collection[str],
) -> None:
    open_names = [name for name in found.names if candidates[name] and name in wanted]
    if not open_names:
        return
    with closing(OpenFile(storage, file)) as held:
        reader = CsvReader(held, layout, found, {}, nulls=True)
        try:
            for block in reader.blocks(open_names):
                for name in open_names:
                    candidates[name] = narrowed(candidates[name], block.column(name))
        except _FAULTS as error:
            text = fault_text(file, storage, layout, found.names, error)
            raise ValueError(text) from error


def named_schema(found: Sequence[CsvColumns]) -> pa.Schema:
    """The columns of all files in order of first sight, as text."""
    names = dict.fromkeys(name for columns in found for name in columns.names)
    return pa.schema([(name, pa.string()) for name in names])
