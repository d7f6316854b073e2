"""Types of CSV columns that the first rows show, held against every value that is read later.

A column's type is the first in an order as which all of its texts parse. Types that come before
the one that the first rows show are ruled out by those rows. So that type is the one of all rows
exactly where every later text parses as it, too, and that is what `Guess.values` looks at. It
gives the values that Arrow's reader would give, since a text that is left parses in one way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from typing import Any, Final

import pyarrow as pa

from batchprep.records.scan.csv_layout import CsvColumns, CsvLayout
from batchprep.records.scan.csv_reader import CsvReader
from batchprep.records.scan.csv_types import ALL, TYPES, CsvType, narrowed, type_of, values_of
from batchprep.records.scan.files import DataFile, OpenFile, Storage

FIRST_BYTES: Final = 1 << 16  # of a file, whose rows show the types
FIRST_FILES: Final = 16  # whose first rows are looked at
_NAMES: Final[dict[pa.DataType, CsvType]] = {TYPES[name]: name for name in TYPES}
_UNREADABLE: Final = (pa.ArrowInvalid, OSError, UnicodeError)


class TypesChanged(BaseException):
    """A value is of another type than the first rows showed.

    Not an Exception: whatever handles the exceptions of users' functions has to let it pass.
    """


class Guess:
    """Types of columns, as the first rows show them; `find` gives those of all rows.

    settled  whether `find` has been asked and gave the same types
    """

    def __init__(self, schema: pa.Schema, find: Callable[[], pa.Schema]) -> None:
        self.schema = schema
        self.settled = False
        self._find = find
        self._asking = threading.Lock()
        self._names: dict[str, CsvType | None] = {
            field.name: _NAMES.get(field.type) for field in schema
        }

    def values(self, column: str, texts: pa.Array[Any]) -> pa.Array[Any]:
        """The values of these texts, nulls where they are null.

        Errors:  TypesChanged where one of them is of another type
        """
        name = self._names[column]
        values = texts if name is None else values_of(texts, name)
        if values is None:
            raise TypesChanged
        return values

    def settle(self) -> None:
        """Make sure of the types before anything happens that could not be done again.

        Errors:  TypesChanged where all rows show other types; what `find` raises
        """
        if self.settled:
            return
        with self._asking:
            self.settled = self.settled or self._find().equals(self.schema)
        if not self.settled:
            raise TypesChanged


def first_types(
    files: Sequence[tuple[DataFile, CsvColumns]],
    storage: Storage,
    layout: CsvLayout,
    columns: Collection[str] | None,
) -> pa.Schema | None:
    """The columns of all files in order of first sight, typed by the first rows; None: unknown."""
    candidates = {name: ALL for _, found in files for name in found.names}
    for file, found in files[:FIRST_FILES]:
        names = [name for name in found.names if columns is None or name in columns]
        try:
            first = _first_rows(file, storage, layout, found, names)
        except _UNREADABLE:
            return None  # the survey of all rows says what is wrong
        if first is None:
            return None
        candidates |= {name: narrowed(candidates[name], first.column(name)) for name in names}
    return pa.schema([(name, type_of(kept)) for name, kept in candidates.items()])


def _first_rows(
    file: DataFile, storage: Storage, layout: CsvLayout, found: CsvColumns, names: Sequence[str]
) -> pa.RecordBatch | None:
    """The rows of the first block; None where the last of them may be cut."""
    with closing(OpenFile(storage, file)) as held:
        stream = held.stream()
        start = stream.read_buffer(2 * FIRST_BYTES)
        is_cut = bool(stream.read(1))
        reader = CsvReader(held, layout, found, {}, nulls=True, start=start)
        blocks = reader.blocks(names, FIRST_BYTES)
        first = next(blocks, None)
        if first is None:
            return pa.RecordBatch.from_pylist([], pa.schema([(n, pa.string()) for n in names]))
        # Only the last block ends where the bytes do, perhaps within a row or a number.
        return first if not is_cut or _goes_on(blocks) else None


def _goes_on(blocks: Iterator[pa.RecordBatch]) -> bool:
    try:
        return next(blocks, None) is not None
    except _UNREADABLE:
        return True
