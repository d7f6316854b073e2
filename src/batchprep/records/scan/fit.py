"""Rows of one file in the columns and types of the whole scan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from batchprep.batch.batch import table_without_columns
from batchprep.records.scan.messages import misfit_text, null_text
from batchprep.records.scan.rebatch import Chunk, Rows

_Column = Any  # pa.Array or pa.ChunkedArray


def fitted(chunk: Chunk, target: pa.Schema, constants: Mapping[str, Any], file: str) -> Rows:
    """The chunk with exactly the target's columns: cast, or null where the file has none.

    Errors:  ValueError that names file, row, column and value where a value does not fit
    """
    data = chunk.data
    if not target.names:
        return table_without_columns(data.num_rows)
    if (
        data.schema.names == target.names
        and data.schema.types == target.types
        and _nullable(target)
    ):
        return data
    place = _Place(file, chunk.row)
    columns = [_column(data, field, constants, place) for field in target]
    return (
        pa.table(columns, schema=target) if isinstance(data, pa.Table) else _batch(columns, target)
    )


def _nullable(target: pa.Schema) -> bool:
    return all(field.nullable for field in target)


def _batch(columns: list[_Column], target: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(columns, schema=target)


class _Place:
    """Where a chunk begins, for what is said of its values."""

    def __init__(self, file: str, row: int) -> None:
        self.file = file
        self.row = row


def _column(
    data: Rows, field: pa.Field[Any], constants: Mapping[str, Any], place: _Place
) -> _Column:
    if field.name in constants:
        one = pa.array([constants[field.name]])
        cast: Any = cast_column(one, field, place.file, place.row)[0]
        return pa.repeat(cast, data.num_rows)
    position = data.schema.get_field_index(field.name)
    if position < 0:
        column: _Column = pa.nulls(data.num_rows, field.type)
    else:
        column = cast_column(data.column(position), field, place.file, place.row)
    if not field.nullable and column.null_count:
        row = pc.index(column.is_null(), True).as_py()
        raise ValueError(null_text(place.file, place.row + row, field.name))
    return column


def cast_column(column: _Column, field: pa.Field[Any], file: str, row: int) -> _Column:
    """The column in the type of the field; `row` is the number of its first row in the file.

    Errors:  ValueError that names file, row, column and value where a value does not fit
    """
    if column.type.equals(field.type):
        return column
    try:
        return _cast(column, field.type)
    except (pa.ArrowException, OverflowError) as error:
        at = _first_misfit(column, field.type)
        value = column[at].as_py() if at < len(column) else column.type
        raise ValueError(misfit_text(file, row + at, field.name, value, field.type)) from error


def _cast(column: _Column, dtype: pa.DataType) -> _Column:
    cast = column.cast(dtype)
    if _may_lose(column.type, dtype) and not cast.cast(column.type).equals(column):
        raise pa.ArrowInvalid("")
    return cast


def _may_lose(source: pa.DataType, dtype: pa.DataType) -> bool:
    """Whether Arrow's safe cast cuts values: the time of a day, numbers other than 0 and 1."""
    if pt.is_string(source) or pt.is_large_string(source):
        return False
    return pt.is_boolean(dtype) or (
        pt.is_timestamp(source) and (pt.is_date(dtype) or pt.is_time(dtype))
    )


def _first_misfit(column: _Column, dtype: pa.DataType) -> int:
    """Position of the first value that cannot be cast; the length where each one alone can."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(column.slice(low, middle - low), dtype):
            low = middle
        else:
            high = middle
    return low if high > low and not _fits(column.slice(low, 1), dtype) else len(column)


def _fits(part: _Column, dtype: pa.DataType) -> bool:
    try:
        _cast(part, dtype)
    except (pa.ArrowException, OverflowError):
        return False
    return True
