"""One run of a loop: batch by batch the row part in columns, then the state brought up to date."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final, NamedTuple, cast

import numpy as np

from batchprep.api.loop_parts import CompiledLoop, CompiledPart
from batchprep.api.loop_records import ColumnRecords, LoopRecords, batches_of, first_number
from batchprep.api.loop_ways import FasterAsWritten, fresh_states
from batchprep.batch.batch import Batch
from batchprep.batch.given_rows import GivenRows
from batchprep.batch.record_rows import RecordRows
from batchprep.errors import Unsupported
from batchprep.loops import messages
from batchprep.loops.columns import Rows, SlotColumn
from batchprep.loops.elements import elements_of
from batchprep.loops.given import field_name
from batchprep.loops.go_on import GoOn
from batchprep.loops.in_order import columns_of, reached_rows
from batchprep.loops.planning import Ending, first_end, plans_of_units
from batchprep.loops.running import Carried, Left
from batchprep.loops.sequences import Unbound
from batchprep.loops.slots import answers_of, check_not_numbers, slots_of
from batchprep.loops.split import Split, Step
from batchprep.loops.updates import Update
from batchprep.records import Source
from batchprep.records.list import ListSource
from batchprep.rowfn.trace import Trace
from batchprep.run.execute import execute
from batchprep.run.inputs import plans_of
from batchprep.run.program import Options
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import FASTER_IN_PYTHON
from batchprep.schema import Schema

ROWS_EXPLAINED: Final = 1_024
UNBOUND: Final = Unbound()


@dataclass
class Outcome:
    """What became of the loop.

    names     the state by name
    finished  whether the loop is done; else it goes on over `rest` as it was written
    ended     whether a row ended it, and `returned` the function with `value`
    """

    names: dict[str, Any]
    finished: bool = False
    ended: bool = False
    returned: bool = False
    value: Any = None
    rest: Iterable[Any] = ()


class Describing:
    """What a report says of the loop."""

    def __init__(self, name: str, trace: Trace | None, unsupported: Unsupported | None) -> None:
        self.name = name
        self.trace = trace
        self.unsupported = unsupported


class RoundsOfBatch(NamedTuple):
    """An inner loop over a batch: the row of each of its elements, and what is to be done."""

    parts: Split
    rows: Rows
    slots: Mapping[str, SlotColumn]
    updates: Sequence[Update]
    left: Sequence[Step]

    def upto(self, limit: int) -> int:
        """How many elements belong to the rows before that one."""
        return int(np.searchsorted(self.rows, limit))


@dataclass
class LoopRun:
    """One call's loop: it gets the local names, and gives what became of the loop."""

    compiled: CompiledLoop
    options: Options
    started: Callable[[Describing], ReportBuilder]
    fell_back: Callable[[Unsupported], None]
    report: ReportBuilder | None = field(default=None)
    earlier: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    left: tuple[int, float] | None = None  # rows that the loop itself goes over, and since when

    def __call__(self, names: dict[str, Any]) -> Outcome:
        loop = self.compiled.analysis.split.loop
        outcome = Outcome({n: names[n] for n in loop.states if n in names})
        records = LoopRecords(loop.parameter, names, outcome.names)
        done = 0
        try:
            source = records.source(self.compiled.analysis, self.compiled.function)
            first = first_number(loop.start, names)
            for batch in self.parts(source, records, first, names):
                records.check_own(batch, self.compiled.analysis)
                self.earlier = records.earlier(batch, self.compiled.analysis)
                known = {**names, **outcome.names}
                self.batch(batch, source, first, known, outcome)
                done = batch.start + len(batch)
                if outcome.ended:
                    break
        except FasterAsWritten:
            self.note_faster(len(records.given) - done)
            outcome.rest = records.rest(done, loop.form, first_number(loop.start, names))
            return outcome
        except GoOn as verdict:
            self.note(verdict)
            outcome.rest = records.rest(done, loop.form, first_number(loop.start, names))
            return outcome
        if self.report is None:
            self.started(Describing(self.name, None, None))
        outcome.finished = True
        return outcome

    def parts(
        self, source: Source, records: LoopRecords, first: int, names: Mapping[str, Any]
    ) -> Iterator[Batch]:
        """What the columns do at once, in order, if that is faster than the loop."""
        batches = batches_of(source, self.compiled.analysis)
        listed = source.kind == "list" and type(records.given) is list
        in_memory = listed or (isinstance(records.given, ColumnRecords) and len(records.given) > 0)
        if self.options.backend != "auto" or not (in_memory and self.compiled.ways.may_be_tried):
            yield from batches
            return
        fresh = fresh_states(records.states)
        for batch in batches:
            yield from self.compiled.ways.parts(
                batch, first, names, fresh, lambda: self.compiled.trace
            )

    def note_faster(self, rows: int) -> None:
        """Report that the loop itself goes over so many rows."""
        if self.report is None:
            self.report = self.started(Describing(self.name, self.compiled.trace, None))
        self.report.ran_on(FASTER_IN_PYTHON)
        self.left = rows, time.perf_counter()

    def ended(self) -> None:
        """Count what the loop itself went over."""
        if self.left is not None and self.report is not None:
            rows, since = self.left
            self.report.batch_done(rows, rows, time.perf_counter() - since)

    def verdict(self, names: dict[str, Any]) -> Unsupported | None:
        """Why the loop would run as it stands from its first batch on; None: it would not."""
        loop = self.compiled.analysis.split.loop
        states = {n: names[n] for n in loop.states if n in names}
        try:
            records = LoopRecords(loop.parameter, names, states)
            source = records.source(self.compiled.analysis, self.compiled.function)
            batch = next(iter(source.batches(ROWS_EXPLAINED)), None)
            if batch is not None:
                self.earlier = records.earlier(batch, self.compiled.analysis)
                self.compiled_batch(batch, source, first_number(loop.start, names), names)
        except GoOn as verdict:
            if verdict.reason == messages.ROW_RAISES:  # on other data it does not
                return None
            return verdict.verdict or Unsupported(verdict.reason)
        return None

    @property
    def name(self) -> str:
        """The function's, for reports."""
        return self.compiled.analysis.split.loop.source.function

    def note(self, verdict: GoOn) -> None:
        """Report why the loop itself runs, and say so where nothing of it was compiled."""
        if self.report is not None:
            self.report.remark(verdict.reason)
            return
        told = verdict.verdict or Unsupported(verdict.reason)
        self.started(Describing(self.name, None, told))
        if verdict.verdict is not None:
            self.fell_back(verdict.verdict)

    def batch(
        self, batch: Batch, source: Schema, first: int, names: dict[str, Any], outcome: Outcome
    ) -> None:
        """One batch: all of it, or nothing, or up to the row that raises in a step."""
        begun = time.perf_counter()
        slots, left = self.compiled_batch(batch, source, first, names)
        self.apply(slots, len(batch), names, outcome, left)
        assert self.report is not None  # noqa: S101  slots() began it
        self.report.batch_done(len(batch), len(batch), time.perf_counter() - begun)

    def compiled_batch(
        self, batch: Batch, source: Schema, first: int, names: dict[str, Any]
    ) -> tuple[dict[str, SlotColumn], list[Left | Carried]]:
        """What the row part gives for a batch, and the running values: no state changes yet."""
        analysis, given = self.compiled.analysis, dict(self.earlier)
        if analysis.split.loop.index is not None:
            start = first + batch.start
            given[analysis.split.loop.index] = list(range(start, start + len(batch)))
        left: list[Left | Carried] = []
        for level, part in zip(analysis.levels, self.compiled.levels, strict=True):
            slots = self.slots(part, batch, source, given, names)
            running = (
                Left.of(level, slots, names)
                if level.part is None
                else Carried.of(level, self.compiled.carrying(level), slots, names, len(batch))
            )
            given |= running.columns(len(batch))
            left.append(running)
        return self.slots(self.compiled.last, batch, source, given, names), left

    def slots(
        self,
        part: CompiledPart,
        batch: Batch,
        source: Schema,
        given: Mapping[str, list[Any]],
        names: Mapping[str, Any],
    ) -> dict[str, SlotColumn]:
        """What a row part gives for a batch, by key."""
        columns = {field_name(name): values for name, values in given.items()}
        program = part.program(part.schema(source, columns), names, self.options)
        if columns:
            batch = Batch(GivenRows(batch.rows, columns), batch.start)
        assert program.trace is not None  # noqa: S101  else GoOn was raised
        if self.report is None:
            self.compiled.trace = program.trace
            self.report = self.started(Describing(self.name, program.trace, None))
        plan = plans_of(program.trace).plan(batch)
        found = execute(plan, batch, self.options, self.report)
        answers = answers_of(cast("FunctionType", part.interpreted), found, batch, given, names)
        return slots_of(found, batch, program.trace.reads, answers, part.steps)

    def apply(
        self,
        slots: Mapping[str, SlotColumn],
        length: int,
        names: dict[str, Any],
        outcome: Outcome,
        running: Sequence[Left | Carried],
    ) -> None:
        """Bring the state up to date."""
        check_not_numbers(self.compiled.analysis.split.steps, slots)
        limit, ending = first_end(self.compiled.analysis.units, slots, length)
        updates, left = plans_of_units(self.compiled.analysis.units, slots, names)
        rounds = list(self.rounds(slots, names, in_sequence=bool(left)))
        if any(step.caught for step in left):
            raise GoOn(messages.CAUGHT_STEP[0])
        if left:
            parts = self.compiled.analysis.split
            limit, ending = self.in_sequence(parts, left, slots, (limit, ending), names, outcome)
        for one in rounds:
            count = one.upto(limit)
            if one.left:
                end = (count, None)
                self.in_sequence(one.parts, one.left, one.slots, end, names, outcome)
            for update in one.updates:
                outcome.names.update(update(count))
        for update in updates:
            outcome.names.update(update(limit))
        for one in running:
            one.finish(limit, outcome.names)
        if ending is not None:
            outcome.ended = True
            outcome.returned, outcome.value = ending

    def rounds(
        self, slots: Mapping[str, SlotColumn], names: Mapping[str, Any], *, in_sequence: bool
    ) -> Iterator[RoundsOfBatch]:
        """The inner loops of a batch, ready to bring their state up to date."""
        for rounds, part in zip(self.compiled.analysis.rounds, self.compiled.rounds, strict=True):
            elements = elements_of(rounds.inner, slots)
            if elements is None:
                continue
            source = ListSource(elements.records)
            batch = Batch(RecordRows(elements.records, source.form))
            found = self.slots(part, batch, source, elements.given, names)
            check_not_numbers(rounds.split.steps, found)
            updates, left = plans_of_units(rounds.units, found, names)
            if left and (in_sequence or any(step.caught for step in left)):
                raise GoOn(messages.TWO_SEQUENCES)
            in_sequence = in_sequence or bool(left)
            yield RoundsOfBatch(rounds.split, elements.rows, found, updates, left)

    def in_sequence(
        self,
        parts: Split,
        steps: Sequence[Step],
        slots: Mapping[str, SlotColumn],
        end: tuple[int, Ending],
        names: Mapping[str, Any],
        outcome: Outcome,
    ) -> tuple[int, Ending]:
        """Run steps row by row; gives the row before which all is done, and how it ended."""
        limit, ending = end
        steps = sorted(steps, key=lambda step: step.number)
        made = self.compiled.sequence(parts, steps)
        reached = reached_rows(steps, slots, limit)
        columns = [reached.tolist()]
        for step in steps:
            columns += columns_of(step, slots, reached)
        given = {name: names.get(name, UNBOUND) for name in made.names}
        row, returns, value, after = made.function(zip(*columns, strict=True), UNBOUND, **given)
        for name in parts.loop.states & after.keys() & set(made.names):
            outcome.names[name] = after[name]
        return (limit, ending) if row is None else (row + 1, (returns, value))
