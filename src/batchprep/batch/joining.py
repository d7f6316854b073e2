"""The chunks of a column as one array, also where Arrow cannot put them together as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_buffers import data_view, decoded

_REACH: Final = 2**31 - 1  # bytes of texts, by offsets of 32 bits
_ArrowError: Final = (pa.ArrowInvalid, pa.ArrowNotImplementedError)


def joined(column: Any) -> pa.Array[Any]:
    """One array of the chunks, of their type where one array of it can hold them all.

    It cannot where texts take 2 GiB or more, or where all words of the chunks' dictionaries are
    too many for their index type: it is then of a type with wider offsets, or of the plain values.
    """
    if isinstance(column, pa.Array):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    try:
        return column.combine_chunks()
    except _ArrowError:
        return _joined_by_value(column)


def concatenated(arrays: Sequence[pa.Array[Any]]) -> pa.Array[Any]:
    """As joined, of arrays of one type."""
    try:
        return pa.concat_arrays(arrays)
    except _ArrowError:
        return _joined_by_value(pa.chunked_array(list(arrays)))


def dictionary_places(schema: pa.Schema) -> tuple[int, ...]:
    """The places of the columns that are dictionaries."""
    return tuple(place for place, field in enumerate(schema) if pt.is_dictionary(field.type))


def is_joinable(table: pa.Table | pa.RecordBatch, dictionaries: Iterable[int]) -> bool:
    """Whether each column of a table can be one array of the type that it has.

    `dictionaries` are the places of those that are dictionaries.
    """
    if isinstance(table, pa.RecordBatch):
        return True
    if table.get_total_buffer_size() >= _REACH and table.nbytes >= _REACH:
        return False
    for place in dictionaries:
        column: Any = table.column(place)
        if column.num_chunks > 1 and not _has_room(column, column.type):
            return False
    return True


def _has_room(column: pa.ChunkedArray[Any], dtype: pa.DictionaryType[Any, Any, Any]) -> bool:
    """Whether one dictionary of the type can have the words of all chunks."""
    index: Any = dtype.index_type
    room = 1 << index.bit_width - pt.is_signed_integer(index)
    words: list[Any] = [cast("Any", chunk).dictionary for chunk in column.chunks]
    if sum(map(len, words)) <= room:
        return True
    try:
        return len(pa.concat_arrays(words).unique()) <= room
    except _ArrowError:  # words of no type that Arrow compares
        return False


def _joined_by_value(column: pa.ChunkedArray[Any]) -> pa.Array[Any]:
    """Without the dictionaries: Arrow unites none with a null or a list among its words."""
    if pt.is_struct(column.type):
        return _joined_structs(column)
    if pt.is_union(column.type) and cast("Any", column.type).mode == "sparse":
        return _joined_unions(column)
    plain = [_plain(chunk) for chunk in column.chunks]
    try:
        values = pa.concat_arrays(plain)
    except pa.ArrowInvalid:  # 32-bit offsets do not reach so far
        return pa.concat_arrays([chunk.cast(_wide_type(chunk.type)) for chunk in plain])
    return _encoded(values, column.type) if pt.is_dictionary(column.type) else values


def _joined_structs(column: Any) -> pa.Array[Any]:
    """Field by field."""
    own = _joined_fields(column)
    fields = [field.with_type(array.type) for field, array in zip(column.type, own, strict=True)]
    mask = column.is_null().combine_chunks() if column.null_count else None
    make: Any = pa.StructArray.from_arrays
    return make(own, fields=fields, mask=mask)


def _joined_unions(column: Any) -> pa.Array[Any]:
    """Member by member."""
    codes = [data_view(chunk, np.int8) for chunk in column.chunks]
    names = [field.name for field in column.type]
    make: Any = pa.UnionArray.from_sparse
    places = pa.array(np.concatenate(codes), pa.int8())
    return make(places, _joined_fields(column), names, column.type.type_codes)


def _joined_fields(column: Any) -> list[pa.Array[Any]]:
    return [
        concatenated([chunk.field(place) for chunk in column.chunks])
        for place in range(column.type.num_fields)
    ]


def _plain(array: pa.Array[Any]) -> pa.Array[Any]:
    array = decoded(array)
    dtype = _plain_type(array.type)
    return array if dtype == array.type else array.cast(dtype)


def _plain_type(dtype: Any) -> pa.DataType:
    """The type without dictionaries, at any depth of structs and lists."""
    if pt.is_dictionary(dtype):
        return _plain_type(dtype.value_type)
    return _with_children(dtype, _plain_type)


def _wide_type(dtype: Any) -> pa.DataType:
    """The type with offsets of 64 bits."""
    if pt.is_string(dtype):
        return pa.large_string()
    if pt.is_binary(dtype):
        return pa.large_binary()
    if pt.is_list(dtype):
        return pa.large_list(dtype.value_field.with_type(_wide_type(dtype.value_type)))
    return _with_children(dtype, _wide_type)


def _with_children(dtype: Any, changed: Any) -> pa.DataType:
    if pt.is_struct(dtype):
        return pa.struct([field.with_type(changed(field.type)) for field in dtype])
    if pt.is_list(dtype):
        return pa.list_(dtype.value_field.with_type(changed(dtype.value_type)))
    if pt.is_large_list(dtype):
        return pa.large_list(dtype.value_field.with_type(changed(dtype.value_type)))
    return cast("pa.DataType", dtype)


def _encoded(values: Any, dtype: Any) -> pa.Array[Any]:
    """The values with a dictionary; as they are where none of that type can hold them."""
    try:
        found = values.dictionary_encode()
        indices = found.indices.cast(dtype.index_type)
        return pa.DictionaryArray.from_arrays(indices, found.dictionary, ordered=dtype.ordered)
    except _ArrowError:
        return values
