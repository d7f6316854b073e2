"""Rows as lines of CSV (RFC 4180, but lines end in a newline alone).

Nulls:  a null is an empty field, an empty text is `""`; only a null of a table of one column is
        `""` too, as csv.writer does, since readers skip empty lines
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa

from batchprep.sinks.texts import TEXT, compute, is_text, joined, plain, texts, word

QUOTED: Final = '[",\r\n]|^$'


def csv_header(schema: pa.Schema) -> bytes:
    r"""The names of the columns.

    >>> csv_header(pa.schema([("id", pa.int64()), ("a,b", pa.string())]))
    b'id,"a,b"\n'
    """
    return (",".join(_quoted(pa.array(schema.names, TEXT)).to_pylist()) + "\n").encode()


def csv_lines(batch: pa.RecordBatch) -> memoryview:
    r"""A line of each row.

    >>> bytes(csv_lines(pa.record_batch({"x": [0.5, None], "s": ["", "a, b"]})))
    b'0.5,""\n,"a, b"\n'
    """
    cells = [_cells(column) for column in batch.columns]
    if len(cells) == 1:
        cells[0] = compute.fill_null(cells[0], word('""'))
    cells[-1] = joined([cells[-1], "\n"])
    return text_bytes(joined(cells, ","))


def text_bytes(array: Any) -> memoryview:
    """The bytes of all texts of a column without nulls, one after the other, not copied."""
    _, offsets, data = array.buffers()
    if len(array) == 0 or data is None:
        return memoryview(b"")
    bounds = memoryview(offsets).cast("B").cast("q")
    first, last = bounds[array.offset], bounds[array.offset + len(array)]
    return memoryview(data)[first:last]


def _cells(column: Any) -> Any:
    column = plain(column)
    found = texts(column)
    return _quoted(found) if is_text(column.type) else found


def _quoted(found: Any) -> Any:
    special = compute.match_substring_regex(found, QUOTED)
    if not compute.any(special).as_py():
        return found
    doubled = compute.replace_substring(found, '"', '""')
    return compute.if_else(special, joined(['"', doubled, '"']), found)
