"""How CSV text is written, and the columns that a file of it has."""

from __future__ import annotations

import codecs
import csv
import io
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from batchprep.batch.arrow_rows import check_distinct
from batchprep.records.scan.files import DataFile, Storage, decompressed
from batchprep.records.scan.messages import (
    bad_character_text,
    empty_csv_text,
    names_count_text,
    repeated_in_file_text,
    unknown_encoding_text,
)

_BUFFER: Final = 1 << 20
_LONGEST_FIELD: Final = 2**31 - 1  # characters; Python's reader takes 131,072 unless told
_limit_lock: Final = threading.Lock()


@dataclass(frozen=True)
class CsvLayout:
    """Delimiter, quote and the other choices that a caller makes about CSV text.

    `names` are the columns of files without a header line; () numbers them f0, f1, ...
    """

    delimiter: str = ","
    quote: str | None = '"'
    header: bool = True
    null_values: tuple[str, ...] = ("",)
    encoding: str = "utf-8"
    infer: bool = True
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _is_character(self.delimiter):
            raise ValueError(bad_character_text("delimiter", self.delimiter))
        if self.quote is not None and not _is_character(self.quote):
            raise ValueError(bad_character_text("quote", self.quote))
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise ValueError(unknown_encoding_text(self.encoding)) from error

    @property
    def codec(self) -> str:
        """The encoding; of UTF-8 the form that leaves out a byte order mark."""
        name = codecs.lookup(self.encoding).name
        return "utf-8-sig" if name == "utf-8" else name

    def with_tabs(self) -> CsvLayout:
        """The layout of a .tsv file: tabs, unless the caller chose another delimiter."""
        return replace(self, delimiter="\t") if self.delimiter == "," else self

    def rows(self, lines: Iterator[str]) -> Any:
        """Python's own reader of these lines, with its `line_num`."""
        if self.quote is None:
            return csv.reader(lines, delimiter=self.delimiter, quoting=csv.QUOTE_NONE)
        return csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote)


@dataclass(frozen=True)
class CsvColumns:
    """Names of a file's columns, and whether any row follows the header line."""

    names: tuple[str, ...]
    has_rows: bool


def _is_character(text: Any) -> bool:
    return isinstance(text, str) and len(text) == 1 and text.isascii() and text not in "\r\n"


@contextmanager
def fields_of_any_length() -> Generator[None]:
    """Python's reader takes long fields; its limit is one for the whole process."""
    with _limit_lock:
        before = csv.field_size_limit(_LONGEST_FIELD)
        try:
            yield
        finally:
            csv.field_size_limit(before)


@contextmanager
def text_lines(file: DataFile, storage: Storage, layout: CsvLayout) -> Generator[Iterator[str]]:
    """The file's lines with their ends, whichever of the three kinds these are."""
    with storage.open(file) as raw:
        stream: Any = decompressed(raw, file)
        with closing(
            io.TextIOWrapper(io.BufferedReader(stream, _BUFFER), encoding=layout.codec, newline="")
        ) as text:
            yield iter(text)


def columns_of(file: DataFile, storage: Storage, layout: CsvLayout) -> CsvColumns:
    """The columns as the header line names them, or by number.

    Errors:  ValueError for a file without a header line, and for names that occur twice
    """
    with text_lines(file, storage, layout) as lines:
        with fields_of_any_length():
            first = next((row for row in layout.rows(lines) if row), None)
        if not layout.header:
            return CsvColumns(_given(file, layout, first), has_rows=first is not None)
        if first is None:
            raise ValueError(empty_csv_text(file.name))
        has_rows = any(line.strip("\r\n") for line in chain(lines))
    try:
        check_distinct(first)
    except ValueError as error:
        raise ValueError(repeated_in_file_text(file.name, str(error))) from None
    return CsvColumns(tuple(first), has_rows)


def _given(file: DataFile, layout: CsvLayout, first: list[str] | None) -> tuple[str, ...]:
    count = len(first or ())
    if layout.names and first is not None and len(layout.names) != count:
        raise ValueError(names_count_text(file.name, count, len(layout.names)))
    return layout.names or tuple(f"f{number}" for number in range(count))
