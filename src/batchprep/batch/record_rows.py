"""Rows that are the caller's own records."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from batchprep.batch.access import (
    fetch,
    form_of_type,
    names_of_record,
    read_field,
    types_of_records,
)
from batchprep.batch.arrow_build import array_of_numbers, array_of_values
from batchprep.batch.arrow_types import field_of_type
from batchprep.batch.column import Column
from batchprep.batch.encode import encode
from batchprep.batch.kinds import is_int64, kind_of, kinds_of_types
from batchprep.batch.messages import not_record_text, shrunk_text
from batchprep.batch.record_columns import columns_of_dicts, kinds_of_dicts
from batchprep.batch.record_reader import loaded_for, reader_for
from batchprep.batch.rows import Indices, picked
from batchprep.dtypes import EMPTY, NUMERIC, Kind
from batchprep.schema import Field, RecordForm

if TYPE_CHECKING:
    import pyarrow as pa


_FEW: Final = 16  # records


class _Values(NamedTuple):
    """A field of each record, and the types that occur among them."""

    values: list[Any]
    types: frozenset[type]


class RecordRows:
    """Dicts, dataclass instances or named tuples; only the columns asked for are read.

    `part` are the places of these rows among the records; None for all of them.
    """

    divisible = True
    closed = False

    def __init__(
        self,
        records: Sequence[Any],
        form: RecordForm,
        schema: pa.Schema | None = None,
        part: range | None = None,
    ) -> None:
        self.form: RecordForm = form
        self._whole = records
        self._part = part
        self._length = len(records if part is None else part)
        self.schema = schema
        self._read: dict[str, _Values] = {}
        self.kinds_seconds = 0.0  # what it took to find kinds, on the wall
        self._is_strange = False  # not only plain dicts, or a key runs code that raises

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _records(self) -> Sequence[Any]:
        # Not before it is needed: a slice touches every record, which takes 8 ns each.
        part = self._part
        return self._whole if part is None else self._whole[part.start : part.stop]

    def names(self) -> tuple[str, ...]:
        if self.schema is not None:
            return tuple(self.schema.names)
        return names_of_records(self._records)

    def field(self, name: str) -> Field:
        declared = self._declared(name)
        if declared is not None:
            return field_of_type(name, declared.type, nullable=declared.nullable)
        begun = time.perf_counter()
        kinds = self._kinds_at_sight(name)
        if kinds is None:
            found = self._read[name] = self._values(name)
            kinds = kinds_of_types(found.types, found.values)
        self.kinds_seconds += time.perf_counter() - begun
        return Field(name, kinds)

    def _kinds_at_sight(self, name: str) -> frozenset[Kind] | None:
        """The kinds of a field whose values machine code can look through; None."""
        listed, reader = self._listed(), loaded_for(len(self))
        if listed is None or reader is None or type(name) is not str:
            return None
        kinds = kinds_of_dicts(listed, self._places(), name, reader)
        if kinds is None or "int" not in kinds:
            return kinds
        values = (record.get(name) for record in self._records)
        return kinds if any(map(is_int64, values)) else None

    def _listed(self) -> list[Any] | None:
        """The whole list that the rows are a part of; None where not all are plain dicts in one."""
        whole: Any = self._whole
        is_plain = self.form == "mapping" and type(whole) is list and not self._is_strange
        return whole if is_plain else None

    def _places(self) -> range:
        """Where the rows are in the whole list."""
        return range(self._length) if self._part is None else self._part

    def column(self, name: str, field: Field) -> Column:
        # What was read for the field serves once more, and is kept no longer than that.
        found = self._read.pop(name, None)
        if found is None:
            columns = self.columns((field,)) if field.name == name else None
            if columns is not None:
                return columns[name]
            found = self._values(name)
        return encode(found.values, field, found.types)

    def columns(self, fields: Sequence[Field], threads: int = 1) -> dict[str, Column] | None:
        """All these columns in one pass; None where there is no such way: column() has one."""
        listed = self._listed()
        if not fields or listed is None:
            return None
        reader = reader_for(len(self))
        if reader is None or not all(type(field.name) is str for field in fields):
            return None
        columns = columns_of_dicts(listed, self._places(), fields, reader, threads)
        self._is_strange = columns is None
        for name in columns or ():
            self._read.pop(name, None)
        return columns

    def null_free(self, name: str) -> bool:
        declared = self._declared(name)
        return declared is not None and not declared.nullable

    def records(self, indices: Indices | None) -> Sequence[Any]:
        if indices is not None and self._part is not None:
            start = self._part.start
            self._check(min(len(self._whole) - start, self._length))
            return picked(self._whole, indices + start)
        records = self._records
        self._check(len(records))
        return picked(records if len(records) == self._length else records[: self._length], indices)

    def part(self, start: int, end: int) -> RecordRows:
        """Some of the rows."""
        return RecordRows(self._whole, self.form, self.schema, self._places()[start:end])

    def dicts(self) -> list[dict[str, Any]]:
        return [dict_of_record(record) for record in self._records]

    def values(self, name: str, indices: Indices | None) -> list[Any]:
        return fetch(self.records(indices), name, self.form)

    def read(self, name: str) -> list[Any]:
        """The field of each record: its value, ABSENT, or MISFIT where only the caller may read it.

        Errors:  RuntimeError where records are gone
        """
        values = read_field(self._records, name, self.form, self._types)
        self._check(len(values))
        return values if len(values) == self._length else values[: self._length]

    def arrow(self, name: str) -> pa.Array[Any]:
        declared = self._declared(name)
        numbers = self._numbers(name) if declared is None else None
        if numbers is not None:
            return numbers
        values = self.read(name)
        return array_of_values(values, name, None if declared is None else declared.type)

    def _numbers(self, name: str) -> pa.Array[Any] | None:
        """A field of floats, of ints or of bools, and nulls; None where it is not one."""
        kind = self._first_kind(name)
        if kind not in NUMERIC or self._listed() is None:
            return None
        kinds: frozenset[Kind] = frozenset({kind, *EMPTY})
        columns = self.columns((Field(name, kinds),))
        return None if columns is None else array_of_numbers(columns[name], kind)

    def _first_kind(self, name: str) -> Kind:
        """What the first of a few plain dicts has that has a value; "none" where none has."""
        places = self._places()[:_FEW]
        for record in self._whole[places.start : places.stop]:
            kind = kind_of(record.get(name)) if type(record) is dict else "none"
            if kind != "none":
                return kind
        return "none"

    @cached_property
    def _types(self) -> frozenset[type]:
        return types_of_records(self._records)

    def _values(self, name: str) -> _Values:
        values = self.read(name)
        return _Values(values, frozenset(map(type, values)))

    def _check(self, found: int) -> None:
        """Raise where rows are gone: another thread may have changed the list meanwhile.

        A kernel would read beyond the end of a column that is shorter than the others.
        """
        if found < self._length:
            raise RuntimeError(shrunk_text(self._length, found))

    def _declared(self, name: str) -> pa.Field[Any] | None:
        if self.schema is None:
            return None
        position = self.schema.get_field_index(name)
        return None if position < 0 else self.schema.field(position)


def names_of_records(records: Sequence[Any]) -> tuple[str, ...]:
    """Every field name of the records, in the order in which they first occur."""
    if types_of_records(records) == frozenset({dict}):
        first = tuple(records[0])
        # A set is told of a dict's keys with their hashes: a third of the time.
        is_all = len(set[str]().union(*records)) == len(first)
        return first if is_all else tuple(dict.fromkeys(chain.from_iterable(records)))
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(names_of_record(record)))
    return tuple(names)


def dict_of_record(record: Any) -> dict[str, Any]:
    """The record itself where it is a dict, else a dict of its fields."""
    if isinstance(record, dict):
        return record  # pyright: ignore[reportUnknownVariableType]
    if isinstance(record, Mapping):
        return dict(record)  # pyright: ignore[reportUnknownVariableType]
    if form_of_type(type(record)) is None:
        raise TypeError(not_record_text(record))
    return {
        name: getattr(record, name) for name in names_of_record(record) if hasattr(record, name)
    }
