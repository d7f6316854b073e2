"""Records of NDJSON files: what json.loads makes of each line."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import pyarrow as pa

from batchprep.records.scan.files import DataFile, Storage, damage_named, decompressed
from batchprep.records.scan.messages import (
    after_line_text,
    bad_bytes_text,
    bad_line_text,
    not_object_text,
)

BLOCK: Final = 1 << 20  # bytes that are decoded at a time
_SCAN: Final = vars(json.JSONDecoder())["scan_once"]


class Lines(NamedTuple):
    """Lines of a file, the number of the first (from 1), and the bytes that were read for them."""

    texts: list[str]
    first: int
    bytes_read: int


class Records(NamedTuple):
    """Records of a file, the line of each, and the bytes that were read for them."""

    records: list[dict[str, Any]]
    lines: list[int]
    bytes_read: int


def records_of(file: DataFile, storage: Storage, encoding: str) -> Iterator[Records]:
    """The file's records, some at a time; blank lines are left out.

    Errors:  ValueError that names file and line, when the records before it have been given
    """
    for lines in lines_of(file, storage, encoding):
        records: list[dict[str, Any]] = []
        numbers: list[int] = []
        error: ValueError | None = None
        for number, text in enumerate(lines.texts, lines.first):
            if text and not text.isspace():
                try:
                    records.append(_record(text, number, file))
                except ValueError as caught:
                    error = caught
                    break
                numbers.append(number)
        yield Records(records, numbers, lines.bytes_read)
        if error is not None:
            raise error


def _record(text: str, line: int, file: DataFile) -> dict[str, Any]:
    try:
        value = _value(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(bad_line_text(file.name, line, text, str(error))) from error
    if type(value) is not dict:
        raise ValueError(not_object_text(file.name, line, text))
    return value  # pyright: ignore[reportUnknownVariableType]


def _value(text: str) -> Any:
    # The scanner alone takes a third less than json.loads, which first looks for blanks; where
    # anything but one value fills the line, json.loads decides.
    try:
        value, end = _SCAN(text, 0)
    except StopIteration:
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def lines_of(file: DataFile, storage: Storage, encoding: str) -> Iterator[Lines]:
    """Lines without their ends; a line feed alone ends one, as texts hold other separators."""
    name = codecs.lookup(encoding).name
    decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)()
    first, read, waiting = 1, 0, list[str]()
    with storage.open(file) as raw:
        with damage_named(file):
            stream = decompressed(raw, file)
        while True:
            with damage_named(file, partial(after_line_text, first - 1)):
                block = stream.read(BLOCK)
            text = _decoded(decoder, block, read, first, file)
            read += len(block)
            if not block:
                yield Lines(["".join([*waiting, text])], first, raw.tell())
                return
            if "\n" not in text:
                waiting.append(text)
                continue
            lines = "".join([*waiting, text]).split("\n")
            waiting = [lines.pop()]
            yield Lines([_bare(line) for line in lines], first, raw.tell())
            first += len(lines)


def _bare(line: str) -> str:
    return line[:-1] if line[-1:] == "\r" else line


def _decoded(decoder: Any, block: bytes, before: int, first: int, file: DataFile) -> str:
    try:
        return decoder.decode(block, final=not block)
    except UnicodeDecodeError as error:
        held = len(error.object) - len(block)  # bytes of a character that the last block began
        line = first + error.object.count(b"\n", 0, error.start)
        at = before - held + error.start
        raise ValueError(bad_bytes_text(file.name, at, line, error.encoding)) from error


def is_spelled(dtype: pa.DataType) -> bool:
    """Whether JSON spells values of the type as text."""
    return (
        pa.types.is_temporal(dtype)
        or pa.types.is_decimal(dtype)
        or pa.types.is_binary(dtype)
        or pa.types.is_large_binary(dtype)
    )
