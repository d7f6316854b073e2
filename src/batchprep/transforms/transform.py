"""What a transform is: parameters, a state that streams and merges, and expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import pyarrow as pa

from batchprep.batch import Batch
from batchprep.columns import Expression
from batchprep.errors import MissingColumnError
from batchprep.errors.nearest import nearest_names
from batchprep.transforms import messages

RowFunction = Callable[[Any], Any]


class NotFittedError(LookupError, AttributeError):
    """A transform is used before it has seen data."""


@runtime_checkable
class Transform(Protocol):
    """A step that learns from data: an immutable value, so each method gives a new one."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that it reads and replaces."""
        ...

    @property
    def fitted(self) -> bool:
        """Whether it has seen data."""
        ...

    def fresh(self) -> Self:
        """The same parameters, and no data seen."""
        ...

    def fit_batch(self, batch: Batch | pa.Table) -> Self:
        """What was seen so far and these rows."""
        ...

    def merge(self, other: Self) -> Self:
        """What either of two has seen."""
        ...

    def finish(self) -> Self:
        """The fitted transform, checked: ValueError where it has seen too little."""
        ...

    def expressions(self) -> Mapping[str, Expression | RowFunction]:
        """What each column becomes; NotFittedError before a fit."""
        ...


def checked_columns(name: str, columns: Any) -> tuple[str, ...]:
    """The names of a transform's columns.

    Errors:  TypeError unless it is a list of names, ValueError where one occurs twice
    """
    is_list = isinstance(columns, (list, tuple)) and len(columns) > 0
    if not is_list or not all(isinstance(column, str) for column in columns):
        raise TypeError(messages.bad_columns_text(name, columns))
    for place, column in enumerate(columns):
        if column in columns[:place]:
            raise ValueError(messages.repeated_column_text(name, column))
    return tuple(columns)


def column_of(name: str, batch: Batch | pa.Table, column: str) -> pa.Array[Any]:
    """A column of the data to fit, in one piece and without a dictionary.

    Errors:  KeyError naming the column and its nearest names
    """
    known = batch.schema.names if isinstance(batch, pa.Table) else batch.names()
    if column not in known:
        nearest = nearest_names(column, known)
        raise MissingColumnError(messages.missing_column_text(name, column, nearest, known))
    found: Any = batch[column] if isinstance(batch, pa.Table) else batch.arrow(column)
    if isinstance(found, pa.ChunkedArray):
        found = found.combine_chunks()
    return found.dictionary_decode() if pa.types.is_dictionary(found.type) else found


def place_of(batch: Batch | pa.Table, row: int) -> str:
    """Where a row of the batch stands in the source."""
    if isinstance(batch, pa.Table):
        return messages.place_text(row, None)
    if batch.origin is not None:
        return messages.place_text(batch.origin.row + row, batch.origin.file)
    return messages.place_text(batch.start + row, None)
