"""Fields that a loop gives to its row part: numbers, and what the rows before have left."""

from __future__ import annotations

from collections.abc import Mapping

from batchprep.dtypes import Kind
from batchprep.loops.generate import GIVEN
from batchprep.schema import Field, RecordForm, Schema


class GivenSchema:
    """A schema with fields that no list of its names shows."""

    def __init__(self, inner: Schema, kinds: Mapping[str, frozenset[Kind]]) -> None:
        self.inner = inner
        self.kinds = kinds

    @property
    def form(self) -> RecordForm:
        return self.inner.form

    @property
    def closed(self) -> bool:
        return self.inner.closed

    def field(self, name: str) -> Field:
        kinds = self.kinds.get(name)
        return self.inner.field(name) if kinds is None else Field(name, kinds)

    def names(self) -> tuple[str, ...]:
        return self.inner.names()


def field_name(name: str) -> str:
    """The field that a name is given in."""
    return f"{GIVEN}{name}"
