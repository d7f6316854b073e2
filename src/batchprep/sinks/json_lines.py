"""Rows as lines of JSON, equal to what `json.loads` takes them back from.

Ints of any size and doubles are exact; NaN and infinities are `NaN`, `Infinity` and `-Infinity`
as json.dumps writes them. Dates, times and timestamps are texts as isoformat() gives them,
decimals texts, durations decimal seconds (which json.loads rounds beyond 2**53 ticks unless it is
given parse_float=Decimal); lists and maps are arrays (a map of pairs).
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import Any, Final

import pyarrow as pa
import pyarrow.types as pt

from batchprep.sinks.csv_lines import text_bytes
from batchprep.sinks.texts import (
    TEXT,
    compute,
    is_moment,
    is_text,
    joined,
    plain,
    texts,
    word,
)

ESCAPED: Final = r'[\x00-\x1f"\\]'
NULL: Final = "null"
NOT_FINITE: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def json_lines(batch: pa.RecordBatch) -> memoryview:
    r"""A JSON object of each row.

    >>> bytes(json_lines(pa.record_batch({"n": [1, None], "s": ["a", "\n"]})))
    b'{"n": 1, "s": "a"}\n{"n": null, "s": "\\n"}\n'
    """
    if not batch.num_columns:
        return memoryview(b"{}\n" * batch.num_rows)
    objects = _objects(batch.schema.names, batch.columns)
    return text_bytes(joined([objects, "\n"]))


def _values(array: Any) -> Any:
    """JSON of each value."""
    array = plain(array)
    dtype = array.type
    if pt.is_null(dtype):
        return pa.repeat(word(NULL), len(array))
    return compute.fill_null(_not_null(array, dtype), word(NULL))


def _not_null(array: Any, dtype: pa.DataType) -> Any:
    """JSON of each value, null where there is none."""
    if is_text(dtype):
        return _strings(array.cast(TEXT))
    if pt.is_floating(dtype):
        return _numbers(texts(array))
    if pt.is_struct(dtype):
        return _structs(array)
    if pt.is_map(dtype):
        return _maps(array)
    if pt.is_nested(dtype):
        return _lists(array)
    if is_moment(dtype) or pt.is_decimal(dtype):
        return _where_valid(array, joined(['"', texts(array), '"']))
    return texts(array)


def _where_valid(array: Any, found: Any) -> Any:
    if not array.null_count:
        return found
    return compute.if_else(array.is_valid(), found, pa.scalar(None, TEXT))


def _strings(array: Any) -> Any:
    found = _where_valid(array, joined(['"', array, '"']))
    special = compute.coalesce(
        compute.match_substring_regex(array, ESCAPED), pa.scalar(value=False)
    )
    if not compute.any(special).as_py():
        return found
    escaped = [encode_basestring(text) for text in array.filter(special).to_pylist()]
    return compute.replace_with_mask(found, special, pa.array(escaped, TEXT))


def _numbers(found: Any) -> Any:
    for text, name in NOT_FINITE.items():
        found = compute.if_else(compute.equal(found, word(text)), word(name), found)
    return found


def _structs(array: Any) -> Any:
    names = [field.name for field in array.type]
    if not names:
        return _where_valid(array, pa.repeat(word("{}"), len(array)))
    columns = [array.field(place) for place in range(len(names))]
    return _where_valid(array, _objects(names, columns))


def _objects(names: list[str], columns: list[Any]) -> Any:
    pieces: list[Any] = []
    for name, column in zip(names, columns, strict=True):
        start = ", " if pieces else "{"
        pieces += [f"{start}{encode_basestring(name)}: ", _values(column)]
    return joined([*pieces, "}"])


def _maps(array: Any) -> Any:
    offsets = array.offsets
    first, count = offsets[0].as_py(), offsets[-1].as_py() - offsets[0].as_py()
    keys = _values(array.keys.slice(first, count))
    items = _values(array.items.slice(first, count))
    starts = compute.subtract(offsets, offsets[0])
    return _arrays(array, starts, joined(["[", keys, ", ", items, "]"]))


def _lists(array: Any) -> Any:
    # Not by a cast: Arrow's own of a list view with a null gives an invalid list.
    lengths = compute.coalesce(compute.list_value_length(array), 0)
    ends = compute.cumulative_sum(lengths.cast(pa.int64()))
    starts = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    return _arrays(array, starts, _values(array.flatten()))


def _arrays(array: Any, starts: Any, values: Any) -> Any:
    """Arrays of values that are JSON already; `starts` say where each begins, and the end."""
    lists = pa.ListArray.from_arrays(starts.cast(pa.int32()), values)
    found = compute.binary_join(lists, word(", "))
    return _where_valid(array, joined(["[", found, "]"]))
