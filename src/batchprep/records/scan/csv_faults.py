"""Where in a CSV file it is that Arrow's reader stumbled: found by reading it again, in Python."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from batchprep.records.scan.csv_layout import CsvLayout, fields_of_any_length, text_lines
from batchprep.records.scan.files import DataFile, Storage, decompressed
from batchprep.records.scan.messages import (
    bad_bytes_text,
    bad_field_text,
    damaged_text,
    long_row_text,
    no_csv_type_text,
    ragged_text,
)

if TYPE_CHECKING:
    import pyarrow as pa

_CONVERSION: Final = re.compile(
    r"In CSV column #\d+: .*?conversion error to (.*?): invalid value '(.*)'", re.DOTALL
)
_RAGGED: Final = re.compile(r"Expected (\d+) columns?, got (\d+)")
_BLOCK: Final = 1 << 20


def fault_text(
    file: DataFile, storage: Storage, layout: CsvLayout, names: tuple[str, ...], error: Exception
) -> str:
    """What is wrong with the file, with the line or the byte where it is."""
    said = str(error)
    if isinstance(error, UnicodeError) or "invalid UTF8" in said:
        found = _bad_bytes(file, storage, layout)
    elif "straddles" in said:
        return long_row_text(file.name)
    elif isinstance(error, NotImplementedError):
        return no_csv_type_text(file.name, said)
    else:
        found = _bad_row(file, storage, layout, names, said)
    return found or damaged_text(file.name, file.format.name, "", said)


def _bad_row(
    file: DataFile, storage: Storage, layout: CsvLayout, names: tuple[str, ...], said: str
) -> str | None:
    conversion = _CONVERSION.search(said)
    if conversion is None and not _RAGGED.search(said):
        return None
    dtype, value = conversion.groups() if conversion is not None else ("", None)
    try:
        with text_lines(file, storage, layout) as lines, fields_of_any_length():
            for row, line, fields in _numbered(layout, lines):
                if len(fields) != len(names):
                    return ragged_text(file.name, line, len(names), fields)
                if value is not None and value in fields:
                    return bad_field_text(
                        file.name, line, row, names[fields.index(value)], value, dtype
                    )
    except (UnicodeError, OSError, csv.Error):
        return None
    return None


def _numbered(layout: CsvLayout, lines: Iterator[str]) -> Iterator[tuple[int, int, list[str]]]:
    """Each row's number, the line on which it begins, and its fields; without the header."""
    reader = layout.rows(lines)
    row, line = (-1 if layout.header else 0), 1
    for fields in reader:
        if fields and row >= 0:
            yield row, line, fields
        row += bool(fields)
        line = reader.line_num + 1


def _bad_bytes(file: DataFile, storage: Storage, layout: CsvLayout) -> str | None:
    """The first bytes that are no text; read in blocks, each cut at the end of a line."""
    at, line, rest = 0, 1, b""
    with storage.open(file) as raw:
        stream: pa.NativeFile = decompressed(raw, file)
        while block := stream.read(_BLOCK):
            whole, newline, tail = (rest + block).rpartition(b"\n")
            held = whole + newline
            error = _decoding_error(held, layout.encoding)
            if error is not None:
                line += held.count(b"\n", 0, error.start)
                return bad_bytes_text(file.name, at + error.start, line, layout.encoding)
            at, line, rest = at + len(held), line + held.count(b"\n"), tail
    error = _decoding_error(rest, layout.encoding)
    return (
        None
        if error is None
        else bad_bytes_text(file.name, at + error.start, line, layout.encoding)
    )


def _decoding_error(held: bytes, encoding: str) -> UnicodeDecodeError | None:
    try:
        held.decode(encoding)
    except UnicodeDecodeError as error:
        return error
    return None
