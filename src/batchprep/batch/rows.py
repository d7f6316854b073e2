"""What a batch stands on: the caller's own records, an Arrow table or a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from batchprep.batch.column import Column
from batchprep.schema import Field, RecordForm

if TYPE_CHECKING:
    import pyarrow as pa

Indices = npt.NDArray[np.intp]


class Rows(Protocol):
    """Rows of a batch in the form in which they were handed over."""

    form: RecordForm

    def __len__(self) -> int: ...

    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        ...

    def field(self, name: str) -> Field:
        """Kinds of a column, as these rows alone show them."""
        ...

    def column(self, name: str, field: Field) -> Column:
        """The column in exactly the kinds of the field."""
        ...

    def null_free(self, name: str) -> bool:
        """Whether the column is known to have no null; False promises nothing."""
        ...

    def records(self, indices: Indices | None) -> Sequence[Any]:
        """Records of these rows: the caller's own where there are such."""
        ...

    def dicts(self) -> list[dict[str, Any]]:
        """Every row as a dict of Python values; absent keys are absent."""
        ...

    def values(self, name: str, indices: Indices | None) -> list[Any]:
        """Python values of one column."""
        ...

    def arrow(self, name: str) -> pa.Array[Any]:
        """The column as Arrow."""
        ...


def picked(items: Sequence[Any], indices: Indices | None) -> Sequence[Any]:
    """The items at these positions; all of them for None."""
    return items if indices is None else [items[i] for i in indices.tolist()]
