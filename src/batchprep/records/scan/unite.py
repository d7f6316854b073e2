"""One schema for files of different schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import pyarrow as pa
import pyarrow.types as pt

from batchprep.records.scan.messages import conflict_text

_is = Callable[[Any], bool]
# Types of one family have a common type that changes no value.
_FAMILIES: Final[tuple[_is, ...]] = (
    pt.is_integer,
    lambda t: pt.is_string(t) or pt.is_large_string(t),
    lambda t: pt.is_binary(t) or pt.is_large_binary(t),
    pt.is_decimal,
    pt.is_date,
    pt.is_timestamp,
    pt.is_time,
    pt.is_duration,
    pt.is_nested,
)


def united(schemas: Iterable[tuple[str, pa.Schema]]) -> pa.Schema:
    """Columns of all files in order of first sight, each of a type that holds its values.

    A column that a file lacks is nullable; metadata is dropped.

    Errors:  ValueError that names the files, the column and its two types
    """
    fields: dict[str, pa.Field[Any]] = {}
    origins: dict[str, str] = {}
    previous: list[str] = []
    for file, schema in schemas:
        for field in schema:
            known = fields.get(field.name)
            if known is None:
                nullable = field.nullable or bool(previous)
                fields[field.name] = pa.field(field.name, field.type, nullable)
                origins[field.name] = file
            else:
                fields[field.name] = _merged(known, field, origins[field.name], file)
        for name in fields.keys() - set(schema.names):
            fields[name] = fields[name].with_nullable(nullable=True)
        previous.append(file)
    return pa.schema(list(fields.values()))


def _merged(known: pa.Field[Any], field: pa.Field[Any], first: str, file: str) -> pa.Field[Any]:
    dtype = common_type(known.type, field.type)
    if dtype is None:
        raise ValueError(conflict_text(field.name, first, known.type, file, field.type))
    return pa.field(field.name, dtype, known.nullable or field.nullable)


def common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The type that holds the values of both, None where there is none.

    >>> common_type(pa.int32(), pa.float32())
    DataType(double)
    """
    if one.equals(other) or pt.is_null(other):
        return one
    if pt.is_null(one):
        return other
    if pt.is_dictionary(one) or pt.is_dictionary(other):
        return common_type(_values_of(one), _values_of(other))
    if _is_number(one) and _is_number(other) and (pt.is_floating(one) or pt.is_floating(other)):
        return pa.float64()
    if any(family(one) and family(other) for family in _FAMILIES):
        return _permissive(one, other)
    return None


def _permissive(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    schemas = [pa.schema([pa.field("", dtype)]) for dtype in (one, other)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def _is_number(dtype: pa.DataType) -> bool:
    return pt.is_integer(dtype) or pt.is_floating(dtype)


def _values_of(dtype: pa.DataType) -> pa.DataType:
    return dtype.value_type if pt.is_dictionary(dtype) else dtype
