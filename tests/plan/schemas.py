"""Schemas and stages for tests of the plan: text in, stage out."""

from __future__ import annotations

from typing import Any

from batchprep.plan.printer import print_stage
from batchprep.plan.stage import Stage
from batchprep.rowfn.source import unwrap
from batchprep.rowfn.trace import trace
from batchprep.schema import Field, RecordForm


class KnownFields:
    """A schema from "none int" texts; an unknown name is absent."""

    form: RecordForm = "mapping"

    def __init__(self, fields: dict[str, str]) -> None:
        """Name -> kinds, with a range "int8" where the type bounds its ints."""
        self._fields = fields

    def field(self, name: str) -> Field:
        """The field of that name."""
        kinds = frozenset(self._fields.get(name, "absent").split())
        if "int8" in kinds:
            return Field(name, kinds - {"int8"} | {"int"}, -128, 127)
        return Field(name, kinds)

    def names(self) -> tuple[str, ...]:
        """The known names."""
        return tuple(self._fields)


def stage_of(function: Any, **fields: str) -> Stage:
    """The stage of a row function over those fields."""
    return trace(unwrap(function), KnownFields(fields)).stage


def plan_text(function: Any, **fields: str) -> str:
    """The printed stage of a row function."""
    return print_stage(stage_of(function, **fields))
