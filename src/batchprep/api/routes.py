"""From the steps of a pipeline and a schema to the route that they run by."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from batchprep.api import pipeline_messages as messages
from batchprep.api.given import column_name
from batchprep.api.programs import Programs, copies_of, has_mutable
from batchprep.columns import Expression
from batchprep.dtypes import EMPTY, Kind
from batchprep.errors import MissingColumnError, Unsupported
from batchprep.plan.node import FALSE
from batchprep.plan.stage import MathMode, Output
from batchprep.records.source import Source
from batchprep.rowfn.chain import COPIERS, FOLDER, Copies, chain_function, chain_name, step_name
from batchprep.rowfn.steps import (
    Drop,
    Filter,
    FilterMap,
    FlatMap,
    Map,
    Rename,
    RowFunction,
    Select,
    Step,
    WithColumns,
)
from batchprep.run.program import Program
from batchprep.run.route import Route
from batchprep.run.tail import Link, Tail, TailResults

COLUMNAR: Final = frozenset({"arrow", "pandas", "polars"})
COPIES: Final[tuple[Copies, ...]] = ("no", "shallow", "deep")  # each more than the one before
CHAIN_FILES: Final = str(FOLDER / "<chain ")


@dataclass(frozen=True)
class Verdict:
    """A step that runs in the interpreter, and why."""

    step: Step
    reason: Unsupported


class Router:
    """The routes of a chain of steps; what was compiled for one schema is kept. Thread-safe."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(_lowered(step) for step in steps)
        self.name = chain_name(self.steps) or "pipeline"
        self._given = tuple(steps)
        self._column = _column_name(self.steps)
        self._copies: dict[bool, list[Copies]] = {
            mutable: [_copies_of_step(step, mutable=mutable) for step in self.steps]
            for mutable in (False, True)
        }
        self._programs: dict[tuple[int, int, bool], Programs] = {}

    def route(self, source: Source, math: MathMode) -> tuple[Route, tuple[Verdict, ...]]:
        """The route for records of that schema, and the steps that are not compiled.

        Errors:  TypeError for a step that needs columns after one that gives none; KeyError for a
                 column that is not there
        """
        end = self._first_flat_map()
        compiled = self._compiled_steps(end, source, math)
        self._check_columns(compiled, source, math)
        verdicts = self._verdicts(compiled, source, math)
        if compiled < len(self.steps) and source.kind not in COLUMNAR:
            # Of dicts, a compiled beginning costs more than it saves: they would be read twice.
            compiled = 0
        if end == len(self.steps) and compiled in {0, end}:
            whole = self._program(0, end, source, math)
            return Route(self.name, self._column, whole, None, self.steps[compiled:]), verdicts
        head = self._program(0, compiled, source, math) if compiled else None
        tail = self._tail(compiled, verdicts, source)
        return Route(self.name, self._column, head, tail, self.steps[compiled:]), verdicts

    def whole(self, source: Source, math: MathMode) -> Program | None:
        """All steps as one program for what the records' kinds are by now; None with a flat_map."""
        end = self._first_flat_map()
        return None if end < len(self.steps) else self._program(0, end, source, math)

    def _first_flat_map(self) -> int:
        found = (i for i, step in enumerate(self.steps) if isinstance(step, FlatMap))
        return next(found, len(self.steps))

    def _compiled_steps(self, end: int, source: Source, math: MathMode) -> int:
        """How many steps at the beginning compile together."""
        if self._program(0, end, source, math).trace is not None:
            return end
        for count in range(1, end):
            if self._program(0, count, source, math).trace is None:
                return count - 1
        return end - 1

    def _program(self, start: int, end: int, source: Source, math: MathMode) -> Program:
        """The program of some steps, none of them a flat_map."""
        mutable = self._mutable(source)
        programs = self._programs.get((start, end, mutable))
        if programs is None:
            # The chain itself makes the copies that its functions are given.
            chain = chain_function(self.steps[start:end], self._copies[mutable][start:end])
            programs = self._programs.setdefault((start, end, mutable), Programs(chain, "no"))
        found = programs.get(source, (), {}, math)
        name = chain_name(self.steps[start:end]) or self.name
        verdict = None if found.unsupported is None else _without_place(found.unsupported)
        return dataclasses.replace(found, name=name, unsupported=verdict, source=None, drops=True)

    def _mutable(self, source: Source) -> bool:
        """Whether records hold what can be written into, as far as any step cares."""
        return self._copies[False] != self._copies[True] and has_mutable(source)

    def _verdicts(self, compiled: int, source: Source, math: MathMode) -> tuple[Verdict, ...]:
        """The first step that is not compiled, and every flat_map."""
        verdicts: list[Verdict] = []
        end = self._first_flat_map()
        if compiled < end:
            reason = self._program(0, compiled + 1, source, math).unsupported
            if reason is not None:
                verdicts.append(Verdict(self.steps[compiled], reason))
        flat = (step for step in self.steps if isinstance(step, FlatMap))
        return (*verdicts, *(Verdict(step, messages.flat_map_verdict()) for step in flat))

    def _tail(self, start: int, verdicts: Sequence[Verdict], source: Source) -> Tail:
        copies = self._copies[self._mutable(source)]
        links: list[Link] = []
        first = start
        for place in range(start, len(self.steps) + 1):
            step = self.steps[place] if place < len(self.steps) else None
            if step is None or isinstance(step, FlatMap):
                chain = chain_function(self.steps[first:place], copies[first:place])
                flat = None if step is None else _flat(step.function, copies[place])
                links.append(Link(chain, flat))
                first = place + 1
        name = chain_name(self.steps[start:])
        reason = verdicts[0].reason if verdicts else None
        function = TailResults(tuple(links))
        program = Program(function=function, name=name, trace=None, unsupported=reason, drops=True)
        return Tail(function.links, program)

    # ----------------------------------------------------------------------------- columns there

    def _check_columns(self, compiled: int, source: Source, math: MathMode) -> None:
        """Refuse steps for which the rows lack what they name, as far as that is known."""
        if not source.names():  # no records, or records without keys: nothing is known of them
            return
        for place, step in enumerate(self._given[: compiled + 1]):
            needed = _needed(step)
            if needed is None or isinstance(step, FlatMap):
                continue
            rows = self._rows_before(place, source, math)
            if rows is None:
                continue
            if isinstance(rows, str):
                raise TypeError(messages.no_columns_text(step_name(self.steps[place]), rows))
            missing = [name for name in needed if not _is_there(name, rows, source)]
            if missing:
                text = messages.missing_text(step_name(self.steps[place]), missing, rows)
                raise MissingColumnError(text)

    def _rows_before(self, place: int, source: Source, math: MathMode) -> _Keys | str | None:
        """The keys that a step's rows have; the kinds of rows that have none; None: unknown."""
        if all(isinstance(step, Filter) for step in self.steps[:place]):
            return _Keys(frozenset(source.names()), has_record=True)
        found = self._program(0, place, source, math).trace
        if found is None:
            return None
        return _keys_of(found.stage.template, source)


@dataclass(frozen=True)
class _Keys:
    """Keys that a row may have: of the record, too, if the row was made from it."""

    names: frozenset[str]
    has_record: bool


def _keys_of(template: Output, source: Source) -> _Keys | str | None:
    kinds: list[Kind] = [kind for kind in template.kinds if kind not in EMPTY]
    if not kinds or "any" in kinds:  # None, or what only the values tell
        return None
    if "struct" not in kinds:
        return " or ".join(kinds)
    parts = dict(template.parts).get("struct")
    if parts is None:  # a struct of the record: its keys are not known
        return _Keys(frozenset(source.names()), has_record=True)
    names = {str(part.key) for part in parts.parts}
    if parts.base is FALSE:
        return _Keys(frozenset(names), has_record=False)
    return _Keys(frozenset(names | set(source.names())), has_record=True)


def _is_there(name: str, rows: _Keys, source: Source) -> bool:
    if name in rows.names:
        return True
    if not rows.has_record or source.closed:
        return False
    if source.kind != "list" or not isinstance(source.data, (list, tuple)):
        return True  # who knows: a later record may have it
    records: Sequence[Any] = source.data
    return not records or source.form == "attributes" or any(name in record for record in records)


def _column_name(steps: Sequence[Step]) -> str:
    """What a column of results is called: as the last function that made a new row."""
    made = [step.function for step in steps if isinstance(step, (Map, FilterMap, FlatMap))]
    return column_name(made[-1] if made else None)


def _needed(step: Step) -> Sequence[str] | None:
    """Columns that a step names; None for one that takes any row."""
    match step:
        case Select(names) | Drop(names):
            return names
        case Rename(names):
            return [old for old, _ in names]
        case WithColumns(columns):
            expressions = [value for _, value in columns if isinstance(value, Expression)]
            return [name for expression in expressions for name in expression.columns]
        case _:
            return None


# ----------------------------------------------------------------------------------------- lowering


def _lowered(step: Step) -> Step:
    """The step with a row function in the place of each column expression."""
    if not isinstance(step, WithColumns):
        return step
    return WithColumns(tuple((name, _row_function(value)) for name, value in step.columns))


def _row_function(value: RowFunction | Expression) -> RowFunction:
    return value.row_function() if isinstance(value, Expression) else value


def _copies_of_step(step: Step, *, mutable: bool) -> Copies:
    match step:
        case Select() | Drop() | Rename():
            return "no"
        case WithColumns(columns):
            wanted: list[Copies] = [copies_of(function, mutable=mutable) for _, function in columns]
            return max(wanted, key=COPIES.index)
        case _:
            return copies_of(step.function, mutable=mutable)


def _flat(function: RowFunction, copies: Copies) -> RowFunction:
    if copies == "no":
        return function
    copier = COPIERS[copies]
    return lambda row: function(copier(row))


def _without_place(verdict: Unsupported) -> Unsupported:
    """The verdict without a place that is the chain's own line, which nobody wrote."""
    if verdict.span is None or not verdict.span.file.startswith(CHAIN_FILES):
        return verdict
    return Unsupported(verdict.reason, None, verdict.hint)
