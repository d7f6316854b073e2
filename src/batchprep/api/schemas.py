"""Schemas of what explain() is given, and a record of what the front end asked."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, cast

import pyarrow as pa

from batchprep.batch.arrow_types import field_of_type
from batchprep.dtypes import KINDS, Kind
from batchprep.errors import messages
from batchprep.records import open_source
from batchprep.records.list import ListSource
from batchprep.schema import Field, RecordForm, Schema

KIND_OF_TYPE: Final[dict[object, Kind]] = {
    type(None): "none",
    None: "none",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    date: "date",
    datetime: "datetime",
    timedelta: "timedelta",
    list: "list",
    tuple: "tuple",
    dict: "struct",
}
COLUMNAR: Final = frozenset({"arrow", "pandas", "polars"})
TYPE_NAMES: Final = frozenset({"bool", "int", "float", "str"})
ABSENT: Final[frozenset[Kind]] = frozenset({"absent"})


class FieldsSchema:
    """A schema of known fields; any other field is absent."""

    def __init__(self, fields: Iterable[Field], form: RecordForm = "mapping") -> None:
        self._fields = {field.name: field for field in fields}
        self._form: RecordForm = form

    @property
    def form(self) -> RecordForm:
        return self._form

    @property
    def closed(self) -> bool:
        return True

    def field(self, name: str) -> Field:
        return self._fields.get(name) or Field(name, ABSENT)

    def names(self) -> tuple[str, ...]:
        return tuple(self._fields)


class ColumnsSchema(FieldsSchema):
    """A schema of columns that exist as such: nothing is read out of records."""


def has_columns(schema: Schema) -> bool:
    """Whether the data of a schema are columns already."""
    return isinstance(schema, ColumnsSchema) or getattr(schema, "kind", "") in COLUMNAR


class AskedSchema:
    """A schema that remembers which fields were asked for, and with which kinds."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.asked: dict[str, Field] = {}

    @property
    def form(self) -> RecordForm:
        return self._schema.form

    @property
    def closed(self) -> bool:
        return self._schema.closed

    def field(self, name: str) -> Field:
        found = self.asked[name] = self._schema.field(name)
        return found

    def names(self) -> tuple[str, ...]:
        return self._schema.names()


def schema_of(data: object, name: str) -> Schema:
    """The schema of records, a table, a pyarrow.Schema, or a dict of types.

    Errors:  TypeError for an iterator, which explaining would use up; ValueError for no records
    """
    if isinstance(data, pa.Schema):
        return ColumnsSchema(field_of_type(f.name, f.type, nullable=f.nullable) for f in data)
    typed = typed_fields(data)
    if typed is not None:
        return FieldsSchema(typed)
    source = open_source(data)
    if source.kind == "record":
        source = open_source([data])
    if source.kind == "iterator":
        raise TypeError(messages.explain_iterator_text(name))
    if source.kind == "list" and source.length == 0:  # a table without rows has its columns
        raise ValueError(messages.no_records_text(name))
    return source


def typed_fields(data: object) -> list[Field] | None:
    """Fields of {"price": float, "note": str | None}; None if a value is not a type."""
    if type(data) is not dict or not data:
        return None
    specs = cast("dict[str, Any]", data)
    _refuse_type_names(specs)
    fields = [_typed_field(name, spec) for name, spec in specs.items()]
    return None if None in fields else cast("list[Field]", fields)


def _refuse_type_names(specs: Mapping[str, Any]) -> None:
    """Refuse {"price": "float"}: as a record its price would be a text, which nobody means."""
    if all(type(spec) is str and spec in TYPE_NAMES for spec in specs.values()):
        name, spec = next(iter(specs.items()))
        raise TypeError(messages.type_name_text(name, spec))


def _typed_field(name: str, spec: Any) -> Field | None:
    if isinstance(spec, pa.DataType):
        return field_of_type(name, spec, nullable=True)
    if isinstance(spec, set | frozenset):
        kinds = cast("frozenset[Kind]", frozenset(cast("set[Any]", spec)))
        return Field(name, kinds) if kinds and kinds.issubset(KINDS) else None
    members = typing.get_args(spec) if _is_union(spec) else (spec,)
    if not all(isinstance(m, type) or m is None for m in members) or members == (None,):
        return None
    return Field(name, frozenset(KIND_OF_TYPE.get(member, "other") for member in members))


def _is_union(spec: object) -> bool:
    return isinstance(spec, types.UnionType) or typing.get_origin(spec) is typing.Union


def same_fields(asked: Mapping[str, Field], schema: Schema) -> bool:
    """Whether a schema would answer as before.

    Cost:  of a list of records a few are read, and more only where these look different
    """
    glance = schema.glance() if isinstance(schema, ListSource) else schema
    return all(
        glance.field(name) == field or schema.field(name) == field for name, field in asked.items()
    )
