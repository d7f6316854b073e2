"""Whether a format can hold a schema, found out before any row is written."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from batchprep.sinks import messages
from batchprep.sinks.messages import ANY_TYPE
from batchprep.sinks.target import Format, Target

TEXT_REMEDY: Final = f"write Parquet or NDJSON (.ndjson), or {ANY_TYPE}"
BYTES_REMEDY: Final = f"decode it to text, write Parquet, or {ANY_TYPE}"


def check_schema(schema: pa.Schema, target: Target) -> None:
    """That the format holds every column.

    Errors:  TypeError naming column, type and remedy
    """
    _check_names(schema, target)
    for field in schema:
        _CHECKS[target.format](field, target)


def _check_names(schema: pa.Schema, target: Target) -> None:
    if not schema.names and target.format in {"parquet", "csv"}:
        raise TypeError(messages.no_columns_text(target.name, target.format))
    repeated = _repeated(schema.names)
    if repeated:
        raise ValueError(messages.repeated_columns_text(target.name, "the rows have", repeated))


def _repeated(names: list[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _check_ipc(field: pa.Field[Any], target: Target) -> None:
    """An Arrow file holds every Arrow type."""


def _check_parquet(field: pa.Field[Any], target: Target) -> None:
    _refuse_unions(field, target)
    try:
        _write_one_null(field)
    except (pa.ArrowException, OSError) as error:
        raise _refused(target, field.name, field.type, ANY_TYPE) from error


def _write_one_null(field: pa.Field[Any]) -> None:
    """What Parquet holds is decided by its writer, in part only when it is given rows."""
    nullable = field.with_nullable(nullable=True)
    table = pa.table([pa.nulls(1, field.type)], schema=pa.schema([nullable]))
    pq.write_table(table, io.BytesIO())


def _check_csv(field: pa.Field[Any], target: Target) -> None:
    _refuse_unions(field, target)
    dtype = _inner(field.type)
    if pt.is_nested(dtype):
        raise _refused(target, field.name, field.type, TEXT_REMEDY)
    if not _has_text(dtype):
        raise _refused(target, field.name, field.type, BYTES_REMEDY)


def _check_ndjson(field: pa.Field[Any], target: Target) -> None:
    _refuse_unions(field, target)
    for path, dtype in _types(field.type, field.name):
        if not pt.is_nested(dtype) and not _has_text(dtype):
            raise _refused(target, path, dtype, BYTES_REMEDY)
        if pt.is_struct(dtype):
            repeated = _repeated([child.name for child in _children(dtype)])
            if repeated:
                where = f"the structs of column {path!r} have"
                raise ValueError(messages.repeated_columns_text(target.name, where, repeated))


def _refuse_unions(field: pa.Field[Any], target: Target) -> None:
    for path, dtype in _types(field.type, field.name):
        if pt.is_union(dtype):
            kinds = [child.name for child in _children(dtype) if child.name != "none"]
            text = messages.union_column_text(target.name, path, kinds, target.format)
            raise TypeError(text)


def _refused(target: Target, path: str, dtype: pa.DataType, remedy: str) -> TypeError:
    text = messages.column_type_text(target.name, path, dtype, target.format, remedy)
    return TypeError(text)


def _has_text(dtype: pa.DataType) -> bool:
    """Whether a scalar type has a text that is valid UTF-8 and reads back."""
    return not (
        pt.is_binary(dtype)
        or pt.is_large_binary(dtype)
        or pt.is_binary_view(dtype)
        or pt.is_fixed_size_binary(dtype)
        or pt.is_interval(dtype)
    )


def _types(dtype: pa.DataType, path: str) -> Iterator[tuple[str, pa.DataType]]:
    """The type and all inside of it, each with its path: a.b[]."""
    dtype = _inner(dtype)
    yield path, dtype
    for child in _children(dtype):
        inner = f"{path}.{child.name}" if pt.is_struct(dtype) else f"{path}[]"
        yield from _types(child.type, inner)


def _children(dtype: pa.DataType) -> list[pa.Field[Any]]:
    return [dtype.field(place) for place in range(dtype.num_fields)]


def _inner(dtype: Any) -> pa.DataType:
    """The type of the values, without dictionary, run-end or extension types around them."""
    if isinstance(dtype, pa.BaseExtensionType):
        return _inner(dtype.storage_type)
    if pt.is_dictionary(dtype) or pt.is_run_end_encoded(dtype):
        return _inner(dtype.value_type)
    return dtype


_CHECKS: Final[dict[Format, Any]] = {
    "parquet": _check_parquet,
    "csv": _check_csv,
    "ndjson": _check_ndjson,
    "ipc": _check_ipc,
}
