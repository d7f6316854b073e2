"""Rows of a batch with further columns of Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from batchprep.batch.column import Column
from batchprep.batch.encode import encode
from batchprep.batch.kinds import kinds_of
from batchprep.batch.rows import Indices, Rows
from batchprep.schema import Field, RecordForm

if TYPE_CHECKING:
    import pyarrow as pa


class GivenRows:
    """Rows with columns of Python values beside their own; as records they do not show them."""

    def __init__(self, inner: Rows, columns: Mapping[str, list[Any]]) -> None:
        self.inner = inner
        self.form: RecordForm = inner.form
        self.columns = columns

    def __len__(self) -> int:
        return len(self.inner)

    def names(self) -> tuple[str, ...]:
        return self.inner.names()

    def field(self, name: str) -> Field:
        values = self.columns.get(name)
        return self.inner.field(name) if values is None else Field(name, kinds_of(values))

    def column(self, name: str, field: Field) -> Column:
        values = self.columns.get(name)
        return self.inner.column(name, field) if values is None else encode(values, field)

    def null_free(self, name: str) -> bool:
        return name not in self.columns and self.inner.null_free(name)

    def records(self, indices: Indices | None) -> Sequence[Any]:
        return self.inner.records(indices)

    def dicts(self) -> list[dict[str, Any]]:
        return self.inner.dicts()

    def values(self, name: str, indices: Indices | None) -> list[Any]:
        values = self.columns.get(name)
        if values is None:
            return self.inner.values(name, indices)
        return values if indices is None else [values[row] for row in indices.tolist()]

    def arrow(self, name: str) -> pa.Array[Any]:
        return self.inner.arrow(name)
