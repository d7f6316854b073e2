"""The functions that the parts of a loop became, and what they are compiled to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, get_args

from batchprep.api.loop_ways import LoopWays
from batchprep.api.programs import Known, Programs
from batchprep.batch.kinds import kinds_of
from batchprep.dtypes import Kind
from batchprep.loops import messages
from batchprep.loops.generate import Variant, row_part
from batchprep.loops.given import GivenSchema
from batchprep.loops.go_on import GoOn
from batchprep.loops.sequences import StepsInOrder, carrying, sequence
from batchprep.loops.split import Split, Step
from batchprep.loops.units import Analysis, Level, refuse
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.trace import Trace
from batchprep.run.program import Options, Program
from batchprep.schema import Schema


class CompiledPart:
    """A row part, for one level or for the steps at the end."""

    def __init__(
        self, function: FunctionType, analysis: Analysis, parts: Split, only: Step | None
    ) -> None:
        self._analysis = analysis
        self.steps = parts.steps
        self._parts = {
            variant: row_part(function, parts, variant, only) for variant in get_args(Variant)
        }
        self._programs = {v: Programs(part.function, "no") for v, part in self._parts.items()}
        self.interpreted = self._parts["interpreted"].function
        self.kinds: dict[str, frozenset[Kind]] = {}

    def program(self, schema: Schema, names: Mapping[str, Any], options: Options) -> Program:
        """The row part traced for a schema.

        Errors:  GoOn where it is not compiled
        """
        variant = _variant(schema)
        part = self._parts[variant]
        if not part.constants <= names.keys():
            raise GoOn(messages.UNBOUND)
        constants = {name: names[name] for name in part.constants}
        program = self._programs[variant].get(schema, (), constants, options.math)
        if program.trace is None:
            verdict = program.unsupported
            assert verdict is not None  # noqa: S101  it says why there is no trace
            raise GoOn(verdict.reason, part.told_of_source(verdict))
        if program.trace.writes != "no":
            refuse(self._analysis, messages.WRITES_RECORD)
        if program.trace.stage.template.kinds != ("struct",):
            refuse(self._analysis, messages.ROW_BY_ROW)
        return program

    def schema(self, source: Schema, columns: Mapping[str, list[Any]]) -> Schema:
        """The source's schema with the columns that are given; their kinds only ever grow."""
        for name, values in columns.items():
            self.kinds[name] = self.kinds.get(name, frozenset()) | kinds_of(values)
        return GivenSchema(source, dict(self.kinds)) if columns else source

    def seams(self, schema: Schema) -> tuple[Seam, ...]:
        """The pieces of the program that was used last, which Python runs."""
        known = self.known(schema)
        found = None if known is None else known.program.trace
        return () if found is None else self._parts[_variant(schema)].seams(found)

    def known(self, schema: Schema) -> Known | None:
        """What is known of the program that was used last."""
        return self._programs[_variant(schema)].last


def _variant(schema: Schema) -> Variant:
    return "attributes" if schema.form == "attributes" else "mapping"


class CompiledLoop:
    """The functions that the parts of a loop became."""

    def __init__(self, function: FunctionType, analysis: Analysis) -> None:
        self.function = function
        self.analysis = analysis
        self.levels = [
            CompiledPart(function, analysis, level.split, level.step) for level in analysis.levels
        ]
        self.last = CompiledPart(function, analysis, analysis.split, None)
        self.rounds = [CompiledPart(function, analysis, r.split, None) for r in analysis.rounds]
        self.ways = LoopWays(function, analysis.split.loop)
        self.trace: Trace | None = None  # the last one
        self._sequences: dict[tuple[int, ...], StepsInOrder] = {}

    def carrying(self, level: Level) -> StepsInOrder:
        """The function that goes over a level's slice."""
        key = (id(level),)
        found = self._sequences.get(key)
        if found is None:
            made = carrying(self.function, level.split, level.told)
            found = self._sequences.setdefault(key, made)
        return found

    def sequence(self, parts: Split, steps: Sequence[Step]) -> StepsInOrder:
        """The function that runs these steps of a loop, or an inner loop, one after the other."""
        key = (id(parts), *(step.number for step in steps))
        found = self._sequences.get(key)
        if found is None:
            made = sequence(self.function, parts, steps)
            found = self._sequences.setdefault(key, made)
        return found
