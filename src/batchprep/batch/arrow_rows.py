"""Rows of an Arrow table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from batchprep.batch.arrow_columns import column_of_array, has_nulls
from batchprep.batch.arrow_types import field_of_type
from batchprep.batch.arrow_values import python_values
from batchprep.batch.column import Column, Payloads, build_column
from batchprep.batch.joining import joined
from batchprep.batch.messages import repeated_names_text
from batchprep.batch.result_writer import dicts_of
from batchprep.batch.rows import Indices, picked
from batchprep.schema import Field, RecordForm


class ArrowRows:
    """A table or record batch; columns are viewed, not copied (but several chunks are joined).

    The names of the columns are distinct: whoever opens the data sees to that. `settle` is called
    before records are made, which are for Python: it makes sure of types that are a guess.
    """

    form: RecordForm = "mapping"
    divisible = True

    def __init__(
        self, data: pa.Table | pa.RecordBatch, settle: Callable[[], None] | None = None
    ) -> None:
        self.data = data
        self._settle = settle
        self._arrays: dict[str, pa.Array[Any]] = {}
        self._names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return self.data.num_rows

    def names(self) -> tuple[str, ...]:
        if self._names is None:
            self._names = tuple(self.data.schema.names)
        return self._names

    def field(self, name: str) -> Field:
        return field_of_schema(self.data.schema, name)

    def column(self, name: str, field: Field) -> Column:
        if name not in self._arrays and _place(self.data.schema, name) < 0:  # records without it
            return build_column(field, "absent", Payloads({}), len(self))
        return column_of_array(self.arrow(name), field)

    def null_free(self, name: str) -> bool:
        return not has_nulls(self.arrow(name))

    def records(self, indices: Indices | None) -> Sequence[Any]:
        if self._settle is not None:
            self._settle()
        return self._dicts(indices)

    def part(self, start: int, end: int) -> ArrowRows:
        """Some of the rows."""
        return ArrowRows(self.data.slice(start, end - start), self._settle)

    def dicts(self) -> list[dict[str, Any]]:
        return self._dicts(None)

    def values(self, name: str, indices: Indices | None) -> list[Any]:
        return _taken(self.arrow(name), indices)

    def arrow(self, name: str) -> pa.Array[Any]:
        found = self._arrays.get(name)
        if found is None:
            found = self._arrays[name] = joined(self.data.column(name))
        return found

    def _dicts(self, indices: Indices | None) -> list[dict[str, Any]]:
        length = len(self) if indices is None else len(indices)
        columns = [self.values(name, indices) for name in self.names()]
        return dicts_of(self.names(), columns, length)


def field_of_schema(schema: pa.Schema, name: str) -> Field:
    """The field that a schema declares; of kind "absent" where it has none of that name."""
    position = _place(schema, name)
    if position < 0:
        return Field(name, frozenset({"absent"}))
    declared = schema.field(position)
    return field_of_type(name, declared.type, nullable=declared.nullable)


def _place(schema: pa.Schema, name: str) -> int:
    # A look into schema.names would make a list of them, for each of perhaps 10,000 columns.
    return schema.get_field_index(name) if type(name) is str else -1


def check_distinct(names: Sequence[Any]) -> None:
    """ValueError that names the column names which occur twice: a record holds each key once."""
    if len(set(names)) < len(names):
        twice = sorted(str(name) for name, count in Counter(names).items() if count > 1)
        raise ValueError(repeated_names_text(twice))


def _taken(array: pa.Array[Any], indices: Indices | None) -> list[Any]:
    if indices is None:
        return python_values(array)
    try:
        return python_values(array.take(pa.array(indices, pa.int64())))
    except pa.ArrowNotImplementedError:  # string_view, run-end encoded
        return list(picked(python_values(array), indices))
