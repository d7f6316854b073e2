"""polars frames: read through Arrow, answered as polars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from batchprep.batch.arrow_build import array_of_values
from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch
from batchprep.batch.column import Column
from batchprep.batch.encode import encode
from batchprep.batch.messages import not_frame_text
from batchprep.batch.rows import Indices, picked
from batchprep.dtypes import Kind
from batchprep.records.arrow import ArrowSource
from batchprep.schema import Field


def is_polars(data: Any) -> bool:
    """Whether data is a polars object; polars is not imported to find out."""
    return type(data).__module__.partition(".")[0] == "polars"


def open_polars(data: Any) -> ArrowSource:
    """Source over a DataFrame, which is viewed and not copied."""
    if type(data).__name__ != "DataFrame":
        raise TypeError(not_frame_text(data))
    if _exports(data):
        return ArrowSource(data, kind="polars", table=_table(data))
    return PolarsSource(data, [name for name in data.columns if not _exports(data.select(name))])


class PolarsSource(ArrowSource):
    """A frame with columns that only polars itself can read: one batch of all rows."""

    def __init__(self, data: Any, inner: list[str]) -> None:
        super().__init__(data, kind="polars", table=_table(data.drop(inner)))
        self._rows = PolarsRows(data, self._table, {n: data.get_column(n) for n in inner})

    @property
    def length(self) -> int | None:
        return len(self._rows)

    def field(self, name: str) -> Field:
        return self._rows.field(name)

    def names(self) -> tuple[str, ...]:
        return self._rows.names()

    def batches(self, rows: int | None = None) -> Iterator[Batch]:  # noqa: ARG002  see below
        """One batch: the Arrow type of such a column follows from all its values."""
        if self.length:
            yield self.whole()

    def whole(self) -> Batch:
        return Batch(self._rows)


class PolarsRows(ArrowRows):
    """Rows of a frame whose `inner` columns are read as Python values, by polars."""

    divisible = False  # the Arrow type of such a column follows from all its values

    def __init__(self, frame: Any, table: pa.Table, inner: dict[str, Any]) -> None:
        super().__init__(table)
        self._frame = frame
        self._inner = inner

    def __len__(self) -> int:
        return self._frame.height

    def names(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    def field(self, name: str) -> Field:
        if name not in self._inner:
            return super().field(name)
        kind: Kind = "int" if self._inner[name].dtype.is_integer() else "other"
        return Field(name, frozenset({kind, "none"}))

    def column(self, name: str, field: Field) -> Column:
        if name not in self._inner:
            return super().column(name, field)
        return encode(self._inner[name].to_list(), field)

    def null_free(self, name: str) -> bool:
        return name not in self._inner and super().null_free(name)

    def values(self, name: str, indices: Indices | None) -> list[Any]:
        if name not in self._inner:
            return super().values(name, indices)
        return list(picked(self._inner[name].to_list(), indices))

    def arrow(self, name: str) -> pa.Array[Any]:
        if name not in self._inner:
            return super().arrow(name)
        return array_of_values(self._inner[name].to_list(), name, None)


def _table(data: Any) -> pa.Table:
    return pa.RecordBatchReader.from_stream(data).read_all()


def _exports(data: Any) -> bool:
    """Whether Arrow holds the values of all columns; of objects it would get the addresses."""
    if any(type(dtype).__name__ == "Object" for dtype in data.dtypes):
        return False
    try:
        pa.RecordBatchReader.from_stream(data.clear())
    except pa.ArrowException:  # a type of polars' own, such as Int128
        return False
    return True
