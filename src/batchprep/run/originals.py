"""Values of an answer that are those of the batch's own columns, and go back as they lie there.

A map, a time in nanoseconds or a run-end encoded value is more in Arrow than it is in Python.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.arrow_types import type_key
from batchprep.batch.batch import Batch
from batchprep.batch.rows import Indices
from batchprep.batch.sameness import same_value
from batchprep.run.arrow_calls import take

if TYPE_CHECKING:
    import pyarrow as pa


class Original(NamedTuple):
    """Stands for the value of a column at a row of the batch."""

    column: str
    row: int


class Originals:
    """The columns of an Arrow batch at the rows that the interpreter answers; `rows` None: all."""

    def __init__(self, batch: Batch, rows: Indices | None) -> None:
        self._batch = batch
        self._rows = rows
        self._listed: dict[str, Sequence[Any]] = {}

    def find(self, value: Any, place: int, dtype: pa.DataType, key: str) -> Original | None:
        """A column of that type that holds the value in the row; the one named key goes first."""
        for name in self._names(dtype, key):
            if same_value(value, self.values(name)[place]):
                return Original(name, place if self._rows is None else int(self._rows[place]))
        return None

    def values(self, name: str) -> Sequence[Any]:
        """A column's values once more: those of the records may have been written into."""
        found = self._listed.get(name)
        if found is None:
            found = self._listed[name] = self._batch.values(name, self._rows)
        return found

    def take(self, name: str, rows: Sequence[int]) -> pa.Array[Any]:
        """The column's own values at rows of the batch."""
        array: Any = self._batch.rows.arrow(name)
        return take(array, np.array(rows, np.int64))

    def _names(self, dtype: pa.DataType, key: str) -> Iterator[str]:
        if self.types.get(key) == dtype:
            yield key
        yield from (name for name in self._by_type[type_key(dtype)] if name != key)

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        """Types of the columns; none where the batch is no Arrow."""
        rows = self._batch.rows
        return {f.name: f.type for f in rows.data.schema} if isinstance(rows, ArrowRows) else {}

    @cached_property
    def _by_type(self) -> dict[Hashable, list[str]]:
        names: dict[Hashable, list[str]] = defaultdict(list)
        for name, dtype in self.types.items():
            names[type_key(dtype)].append(name)
        return names
