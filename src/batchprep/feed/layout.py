"""Which columns become features and labels, and whether they can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.feed import messages
from batchprep.feed.block import Block, Buffers

FLOAT32: Final = np.dtype(np.float32)
INT64: Final = np.dtype(np.int64)


@dataclass(frozen=True)
class Wanted:
    """The columns that the user named: no features are all columns but the labels."""

    features: tuple[str, ...] | None
    labels: tuple[str, ...]
    one_label: bool  # a label's name alone gives y of shape (rows,), a list of one (rows, 1)


@dataclass(frozen=True)
class Layout:
    """Places of features and labels in a block."""

    features: tuple[str, ...]
    labels: tuple[str, ...]
    one_label: bool
    label_dtype: np.dtype[Any]

    def lanes(self) -> Iterator[tuple[str, str, np.dtype[Any]]]:
        """Role, name and dtype of each lane of a block, in order."""
        yield from (("feature", name, FLOAT32) for name in self.features)
        yield from (("label", name, self.label_dtype) for name in self.labels)

    def block(self, rows: int, buffers: Buffers) -> Block:
        """Block of so many rows, not initialised."""
        x = buffers.empty((rows, len(self.features)), FLOAT32)
        if not self.labels:
            return Block(x, None)
        shape = (rows,) if self.one_label else (rows, len(self.labels))
        return Block(x, buffers.empty(shape, self.label_dtype))

    def places(self, schema: pa.Schema, row: int) -> list[int]:
        """Number of each lane's column in the schema, whose rows start at that row.

        Errors:  ValueError for a column that is missing, or there more than once; TypeError for one
                 that holds no numbers, or is a label of another type than in the rows before
        """
        return [self._place(schema, role, name, row) for role, name, _ in self.lanes()]

    def _place(self, schema: pa.Schema, role: str, name: str, row: int) -> int:
        place = _number_column(schema, name, role)
        dtype = schema.field(place).type
        if role == "label" and self.label_dtype == INT64 and pt.is_floating(dtype):
            raise TypeError(messages.changed_label_text(name, row, dtype))
        return place


def layout_of(schema: pa.Schema, wanted: Wanted) -> Layout:
    """The layout of tables of that schema.

    Labels are int64 where all are bools or ints, else float32.

    Errors:  as Layout.places; ValueError where no feature is left
    """
    labels = wanted.labels
    others = [name for name in schema.names if name not in labels]
    features = tuple(others) if wanted.features is None else wanted.features
    if not features:
        raise ValueError(messages.no_features_text(labels))
    kinds = [schema.field(_number_column(schema, name, "label")).type for name in labels]
    dtype = FLOAT32 if any(pt.is_floating(kind) for kind in kinds) else INT64
    layout = Layout(features, labels, wanted.one_label, dtype)
    layout.places(schema, 0)
    return layout


def names_of(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names, whether one was given, several or none."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def _number_column(schema: pa.Schema, name: str, role: str) -> int:
    places = schema.get_all_field_indices(name)
    if not places:
        raise ValueError(messages.no_column_text(name, role, schema.names))
    if len(places) > 1:
        raise ValueError(messages.repeated_column_text(name))
    dtype = schema.field(places[0]).type
    if not (pt.is_boolean(dtype) or pt.is_integer(dtype) or pt.is_floating(dtype)):
        raise TypeError(messages.not_number_text(name, role, dtype))
    return places[0]
