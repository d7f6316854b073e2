"""Every text about files that are not there, do not go together, or are damaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

_LONGEST: Final = 60  # characters of a value or a line
_MOST_LISTED: Final = 12  # names


def no_paths_text() -> str:
    """scan() of an empty list."""
    return "no path was given; pass a path, a glob such as 'trades/*.parquet', a folder, or a list"


def not_paths_text(path: object) -> str:
    """scan() of something that names no file."""
    return (
        f"{_short(path)} is of type {type(path).__name__}, not a path; pass a str or Path, a glob, "
        "a folder, a URL, or a list of them"
    )


def missing_file_text(name: str, near: Sequence[str]) -> str:
    """A path that leads nowhere."""
    hint = f"; near names there: {', '.join(near)}" if near else "; check the folder and the name"
    return f"{name}: there is no such file or folder{hint}"


def no_match_text(pattern: str) -> str:
    """A glob that matches nothing."""
    return (
        f"no file matches {pattern}; check the folder, or write ** for folders at any depth "
        "(trades/**/*.parquet)"
    )


def empty_folder_text(folder: str) -> str:
    """A folder without data files."""
    return (
        f"{folder}: no data file in this folder; files need a suffix such as .parquet, .csv, "
        '.ndjson or .arrow (else pass format=), and names that begin with "." or "_" are skipped'
    )


def mixed_formats_text(first: str, one: str, other_file: str, other: str) -> str:
    """Files of different formats in one scan."""
    return (
        f"{first} is {one} and {other_file} is {other}; scan files of one format at a time, or "
        "name the format of all with format="
    )


def suffix_text(path: str, suffixes: Sequence[str]) -> str:
    """A suffix that says nothing of the format."""
    return (
        f"{path}: its suffix names no format; known are {', '.join(suffixes)} (text also with .gz "
        'or .zst behind); pass format="csv" or the like'
    )


def unknown_format_text(name: object, names: Sequence[str]) -> str:
    """format= that is none."""
    return f"format={name!r} is not one of {', '.join(map(repr, names))}"


def compressed_text(path: str) -> str:
    """A Parquet file that is compressed as a whole."""
    return (
        f"{path}: a Parquet file is read at many places and cannot be compressed as a whole; "
        "decompress it first (Parquet compresses its own pages)"
    )


def compressed_arrow_text(path: str) -> str:
    """An Arrow file, not a stream, that is compressed as a whole."""
    return (
        f"{path}: an Arrow file is read at many places and cannot be compressed as a whole; "
        "decompress it first, or write it as an Arrow stream"
    )


def feather_one_text(path: str) -> str:
    """The first version of Feather."""
    return (
        f"{path}: this is Feather version 1; read it with pyarrow.feather.read_table and write it "
        "anew with pyarrow.feather.write_feather"
    )


def no_fsspec_text(url: str) -> str:
    """A URL without fsspec."""
    return f"{url}: reading URLs needs fsspec\n  Type: pip install 'batchprep[remote]'"


def damaged_text(file: str, format_name: str, where: str, said: str) -> str:
    """Bytes that are not what the format asks for."""
    place = f", {where}" if where else ""
    return (
        f"{file}{place}: the file is damaged, cut short or not {format_name} ({_line(said)}); "
        "copy it again, or leave it out of the scan"
    )


def empty_compressed_text(file: str, compression: str) -> str:
    """A compressed file of no bytes."""
    return (
        f"{file}, byte 0: the file is empty, which no {compression} file is: it was cut short; "
        "copy it again, or leave it out of the scan"
    )


def row_group_text(number: int, count: int) -> str:
    """A place in a Parquet file."""
    return f"row group {number:,} of {count:,}"


def after_line_text(line: int) -> str:
    """A place in a text file."""
    return f"after line {line:,}"


def record_batch_text(number: int) -> str:
    """A place in an Arrow file."""
    return f"record batch {number:,}"


def no_end_text(file: str, batches: int) -> str:
    """An Arrow stream that stops between two batches."""
    return (
        f"{file}, after record batch {batches - 1:,}: the Arrow stream ends without its end "
        "marker, so batches may be missing; copy it again, or write it with a writer that is closed"
    )


def more_after_end_text(file: str, batches: int) -> str:
    """Bytes behind the end of an Arrow stream."""
    return (
        f"{file}, after record batch {batches - 1:,}: there are more bytes behind the end of the "
        "Arrow stream; write several streams to several files"
    )


def empty_csv_text(file: str) -> str:
    """A CSV file without a header line."""
    return (
        f"{file}, line 1: the file is empty, so it has no header line; leave it out of the scan, "
        "or pass header=False"
    )


def bad_header_text(file: str, why: str) -> str:
    """A first line that Python's csv module cannot read."""
    return (
        f"{file}, line 1: {why}; check that the file is CSV and that delimiter= and quote= are "
        "those that it was written with"
    )


def names_count_text(file: str, count: int, names: int) -> str:
    """A schema for a file without a header that has another number of columns."""
    return (
        f"{file}, line 1: {count:,} fields, but schema= names {names:,} columns; with header=False "
        "it names every column of the file, in order"
    )


def ragged_text(file: str, line: int, wanted: int, fields: Sequence[str]) -> str:
    """A CSV row with more or fewer fields than the header."""
    return (
        f"{file}, line {line:,}: {len(fields):,} fields where the header has {wanted:,}: "
        f"{_cut(','.join(fields))}; correct the line (a field with the delimiter inside needs "
        "quotes), or pass delimiter="
    )


def bad_field_text(file: str, line: int, row: int, column: str, value: str, dtype: str) -> str:
    """A CSV field that is not of the declared type."""
    return (
        f"{file}, line {line:,} (row {row:,}), column {column!r}: {_short(value)} is no {dtype}; "
        "correct it, or give the column another type in schema="
    )


def no_csv_type_text(file: str, said: str) -> str:
    """A declared type that no text of CSV is read as."""
    return (
        f"{file}: {_line(said)}; declare the column a string in schema=, and make the value of it "
        "in the row function"
    )


def long_row_text(file: str) -> str:
    """A CSV row longer than any block."""
    return (
        f"{file}: a row is longer than 1 GiB, as happens where a quote is never closed; close the "
        "quote, or pass quote=None if the file has no quoted fields"
    )


def bad_bytes_text(file: str, at: int, line: int, encoding: str) -> str:
    """Bytes that are no text."""
    return (
        f"{file}, byte {at:,} (line {line:,}): the bytes are no {encoding}; pass "
        'encoding="latin-1" (or whichever it is), or correct the file'
    )


def bad_line_text(file: str, line: int, text: str, why: str) -> str:
    """A line that is no JSON."""
    return (
        f"{file}, line {line:,}: {_cut(text)!r} is no JSON ({_line(why)}); correct or remove the "
        "line (a file that was cut short ends in half a line)"
    )


def not_object_text(file: str, line: int, text: str) -> str:
    """A line of JSON that is no record."""
    return (
        f"{file}, line {line:,}: {_cut(text)!r} is JSON, but no object; each line holds one "
        'record, for example {"price": 2.5}'
    )


def line_misfit_text(file: str, line: int, column: str, value: object, dtype: Any) -> str:
    """A value of NDJSON that is not of the declared type."""
    return (
        f"{file}, line {line:,}, column {column!r}: {_short(value)} does not fit {dtype}; correct "
        "it, give the column another type in schema=, or scan without schema="
    )


def misfit_text(file: str, row: int, column: str, value: object, dtype: Any) -> str:
    """A value that is not of its column's type."""
    return (
        f"{file}, row {row:,}, column {column!r}: {_short(value)} does not fit {dtype}; correct "
        "it, or give the column another type in schema="
    )


def null_text(file: str, row: int, column: str) -> str:
    """A null in a column that was declared to have none."""
    return (
        f"{file}, row {row:,}, column {column!r}: the value is missing, but schema= declares the "
        "column not null; declare it nullable"
    )


def conflict_text(column: str, first: str, one: Any, file: str, other: Any) -> str:
    """Files whose columns have no common type."""
    return (
        f"column {column!r} is {one} in {first} and {other} in {file}, which have no common type; "
        "fix it with schema=, leave the column out with columns=, or scan the files apart"
    )


def unknown_column_text(name: str, near: Sequence[str], known: Sequence[str]) -> str:
    """A column that no file has."""
    if near:
        return f"no file has a column {name!r}; nearest: {', '.join(near)}"
    more = ", ..." if len(known) > _MOST_LISTED else ""
    return f"no file has a column {name!r}; there are {', '.join(known[:_MOST_LISTED])}{more}"


def repeated_in_file_text(file: str, text: str) -> str:
    """Columns of a file share a name."""
    return f"{file}: {text}"


def key_in_file_text(file: str, column: str) -> str:
    """A column that the folders give and the file has too."""
    return (
        f"{file}: the column {column!r} is in the file, and a folder of its path ({column}=...) "
        "gives it too; rename the folder or the column, or name each file in the scan"
    )


def key_in_record_text(file: str, line: int, column: str) -> str:
    """A key that the folders give and a record has too."""
    return f"line {line:,} of {key_in_file_text(file, column)}"


def bad_character_text(name: str, value: object) -> str:
    """A delimiter or quote that is none."""
    return f"{name}={value!r}: it takes one ASCII character" + (
        " or None" if name == "quote" else ', for example ";" or "\\t"'
    )


def unknown_encoding_text(encoding: str) -> str:
    """encoding= that Python does not know."""
    return f'encoding={encoding!r} is unknown; write "utf-8", "latin-1", "utf-16" or the like'


def bad_option_type_text(name: str, value: object, wanted: str) -> str:
    """An option of a wrong type."""
    return f"{name}={_short(value)} is of type {type(value).__name__}; it takes {wanted}"


def untyped_text() -> str:
    """Arrow is asked of records without types."""
    return (
        "NDJSON without schema= holds records, not columns of fixed types; pass schema=, for "
        "example scan(path, schema=scan(path).schema)"
    )


def _short(value: object) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _line(said: str) -> str:
    """What Arrow says, on one line and without its own call stack."""
    first = said.strip().partition("\n")[0].rstrip(". ")
    return first if len(first) <= 2 * _LONGEST else f"{first[: 2 * _LONGEST - 1]}…"
