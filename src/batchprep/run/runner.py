"""One batch through a program: compiled columns, the interpreter's answers, one result."""

from __future__ import annotations

import dataclasses
import time
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, overload

import numpy as np

from batchprep.batch.batch import Batch, Origin
from batchprep.batch.joining import concatenated
from batchprep.run.arrow_calls import nulls, take
from batchprep.run.arrow_columns import ArrowColumns
from batchprep.run.assemble import Assembler, Rows
from batchprep.run.byte_texts import TooLong
from batchprep.run.either_way import Part, run_parts, settled_way, ways_for
from batchprep.run.execute import Columns, Mask, execute
from batchprep.run.fallback import (
    answers_to_arrow,
    declared_type,
    interpret_as,
    interpret_batch,
    interpret_to_arrow,
)
from batchprep.run.fitting import Fitting
from batchprep.run.inputs import Plans, plans_of
from batchprep.run.interpret import Interpreter
from batchprep.run.originals import Originals
from batchprep.run.program import Form, Handling, Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.splice import has_result, splice, splice_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.rowfn.trace import Trace

FASTER_IN_PYTHON = "interpreter (faster here)"
TYPE_MISFIT = "value that the result column cannot hold"
# Rows of columns whose records are made at once: they take ten times the memory of the numbers.
MOST_ANSWERED: Final = 262_144


@overload
def run_batch(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    *,
    first_row: int,
    form: Literal["python"],
    before: list[Any] | None = ...,
    places: list[Rows] | None = ...,
    into: list[Any] | None = ...,
) -> list[Any]: ...


@overload
def run_batch(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    *,
    first_row: int,
    form: Literal["arrow"],
    places: list[Rows] | None = ...,
) -> pa.Array[Any]: ...


def run_batch(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    *,
    first_row: int,
    form: Form,
    before: list[Any] | None = None,
    places: list[Rows] | None = None,
    into: list[Any] | None = None,
) -> list[Any] | pa.Array[Any]:
    """The results of one batch, as Python objects or as Arrow; `first_row` is its first row.

    `places` is given the rows of the batch that the results stand for, as one array. Python
    objects may be put at the end of the list `into`: then the result is that list.

    Errors:  under on_error="raise" the first failing row's own exception, with a note; rows
             after it are not run, and the results of those ahead of it are put into `before`
    """
    trace, ways, dtype = program.trace, ways_for(program, batch, options, form), None
    if ways is not None and trace is not None:
        is_open = form == "arrow" and trace.stage.template.open
        way = None if is_open else settled_way(ways, batch)
        if way is None and form == "arrow":
            return _either_way_to_arrow(program, batch, options, report, first_row, places)
        if way is None:
            return _run_either_way(program, batch, options, report, first_row, before, places)
        if way == "interpreter":
            dtype = _type_of_all(trace, batch, options) if form == "arrow" else None
            program = _interpreted(program, batch, report)
    return _run_whole(program, batch, options, report, first_row, form, before, places, into, dtype)


def _run_either_way(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    first_row: int,
    before: list[Any] | None,
    places: list[Rows] | None,
) -> list[Any]:
    """The results of a batch of records, part by part in the way that takes less time."""
    results: list[list[Any]] = []
    found: list[Rows] = []

    def run(part: Part) -> None:
        chosen, of_part = _chosen(program, part, report), list[Rows]()
        row = first_row + part.start
        try:
            done = _run_whole(chosen, part.batch, options, report, row, "python", before, of_part)
        finally:
            found.extend(rows + part.start for rows in of_part)
        results.append(done)

    try:
        run_parts(program, batch, options, "python", run)
    except Exception:
        if before is not None:
            before[:0] = chain.from_iterable(results)
        raise
    finally:
        if places is not None:
            places.append(_joined(found))
    return results[0] if len(results) == 1 else list(chain.from_iterable(results))


def _either_way_to_arrow(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    first_row: int,
    places: list[Rows] | None,
) -> pa.Array[Any]:
    """The same as Arrow, of the type that the results of the whole batch have."""
    assert program.trace is not None  # noqa: S101  has_ways asked for it
    if program.trace.stage.template.open:
        return _open_either_way(program, batch, options, report, first_row, places)
    dtype = _type_of_all(program.trace, batch, options)
    results: list[pa.Array[Any]] = []
    found: list[Rows] = []

    def run(part: Part) -> None:
        chosen, of_part = _chosen(program, part, report), list[Rows]()
        row, fixed = first_row + part.start, dtype if part.way == "interpreter" else None
        results.append(
            _run_whole(
                chosen, part.batch, options, report, row, "arrow", None, of_part, dtype=fixed
            )
        )
        found.extend(rows + part.start for rows in of_part)

    run_parts(program, batch, options, "arrow", run)
    if places is not None:
        places.append(_joined(found))
    return results[0] if len(results) == 1 else concatenated(results)


def _open_either_way(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    first_row: int,
    places: list[Rows] | None,
) -> pa.Array[Any]:
    """Results of which only the values tell the type: as Python objects first."""
    found: list[Rows] = []
    answers = _run_either_way(program, batch, options, report, first_row, None, found)
    origin = batch.origin or Origin(options.location, first_row)
    interpreter = Interpreter(program, options, report, first_row, origin, places=places)
    return _answers_to_arrow(answers, found[-1], batch, interpreter)


def _chosen(program: Program, part: Part, report: ReportBuilder) -> Program:
    return program if part.way == "compiled" else _interpreted(program, part.batch, report)


def _interpreted(program: Program, batch: Batch, report: ReportBuilder) -> Program:
    report.ran_on(FASTER_IN_PYTHON)
    if program.trace is not None:
        plans_of(program.trace).interpreted(len(batch))
    return program.interpreted


def _type_of_all(trace: Trace, batch: Batch, options: Options) -> pa.DataType:
    return declared_type(options) or plans_of(trace).result_type(batch)


def _joined(rows: list[Rows]) -> Rows:
    return np.concatenate([np.zeros(0, np.intp), *rows])


def _run_whole(
    program: Program,
    batch: Batch,
    options: Options,
    report: ReportBuilder,
    first_row: int,
    form: Form,
    before: list[Any] | None,
    places: list[Rows] | None,
    into: list[Any] | None = None,
    dtype: pa.DataType | None = None,
) -> Any:
    started = time.perf_counter()
    origin = batch.origin or Origin(options.location, first_row)
    interpreter = Interpreter(program, options, report, first_row, origin, before, places, into)
    ahead = 0 if into is None else len(into)
    try:
        if dtype is None:
            results = _RUN[form](program.trace, batch, interpreter)
        else:
            results = interpret_as(dtype, batch, interpreter)
    except Exception:
        report.batch_done(0, 0, time.perf_counter() - started)  # which rows it did is noted already
        raise
    done = len(results) - (ahead if results is into else 0)
    report.batch_done(len(batch), done, time.perf_counter() - started)
    return results


def _run_to_python(trace: Trace | None, batch: Batch, interpreter: Interpreter) -> list[Any]:
    if trace is None:
        return interpret_batch(batch, interpreter)
    if not len(batch):
        return []
    columns = _executed(plans_of(trace), batch, interpreter)
    assembler, dropped = Assembler(columns, batch), columns.dropped()
    if columns.deviating is None:
        rows = None if dropped is None else np.flatnonzero(~dropped)
        interpreter.stand_for(rows, len(batch))
        return assembler.results(rows, interpreter.into)
    rows = np.flatnonzero(columns.deviating)
    good = _neither(columns.deviating, dropped)
    before = np.searchsorted(good, rows)
    try:
        answers = interpreter.answers(batch.records(rows), rows.tolist())
    except Exception:
        if interpreter.before is not None:
            done = len(interpreter.answered)
            ahead, answered = good[: before[done]], interpreter.answered
            results = assembler.results(ahead)
            interpreter.before.extend(splice(results, before[:done].tolist(), answered, "raise"))
            interpreter.stand_for(_merged(ahead, rows[:done], answered, "raise"), len(batch))
        raise
    on_error = interpreter.options.on_error
    interpreter.stand_for(_merged(good, rows, answers, on_error), len(batch))
    return splice(assembler.results(good), before.tolist(), answers, on_error)


def _executed(plans: Plans, batch: Batch, interpreter: Interpreter) -> Columns:
    options, report = interpreter.options, interpreter.report
    plan = plans.plan(batch, by_row=options.backend != "python")
    try:
        return execute(plan, batch, options, report)
    except TooLong:
        return execute(plans.plan(batch), batch, options, report)


def _merged(good: Rows, rows: Rows, answers: list[Any], on_error: Handling) -> Rows:
    """All rows that have a result: those that did not deviate, and those that were answered."""
    return np.sort(np.concatenate([good, rows[has_result(answers, on_error)]]))


def _run_to_arrow(trace: Trace | None, batch: Batch, interpreter: Interpreter) -> pa.Array[Any]:
    if trace is None:
        return interpret_to_arrow(batch, interpreter)
    if trace.stage.template.open:
        return _open_to_arrow(trace, batch, interpreter)
    plans, length = plans_of(trace), len(batch)
    dtype = declared_type(interpreter.options) or plans.result_type(batch)
    if not length:
        return nulls(0, dtype)
    columns = _executed(plans, batch, interpreter)
    arrow, dropped = ArrowColumns(columns, batch), columns.dropped()
    results = arrow.results(dtype)
    deviating = columns.deviating
    if arrow.misfits is not None:
        interpreter.report.deviated(TYPE_MISFIT, int(np.count_nonzero(arrow.misfits)))
        deviating = arrow.misfits if deviating is None else deviating | arrow.misfits
    if deviating is None:
        kept = None if dropped is None else np.flatnonzero(~dropped)
        interpreter.stand_for(kept, length)
        return results if kept is None else take(results, kept)
    rows = np.flatnonzero(deviating)
    answers = _answers_that_fit(dtype, batch, rows, interpreter)
    on_error = interpreter.options.on_error
    kept = None
    if interpreter.program.drops or interpreter.places is not None:
        kept = _merged(_neither(deviating, dropped), rows, answers, on_error)
        interpreter.stand_for(kept, length)
    return splice_arrow(results, rows, answers, on_error, Originals(batch, rows), kept)


def _answers_that_fit(
    dtype: pa.DataType, batch: Batch, rows: Rows, interpreter: Interpreter
) -> list[Any]:
    """The interpreter's answers for rows of a batch, as values of the type."""
    answers: list[Any] = []
    for at in range(0, len(rows), MOST_ANSWERED):
        part = rows[at : at + MOST_ANSWERED]
        fit = Fitting(dtype, Originals(batch, part))
        answers += interpreter.answers(batch.records(part), part.tolist(), fit)
    return answers


def _open_to_arrow(trace: Trace, batch: Batch, interpreter: Interpreter) -> pa.Array[Any]:
    """Results of which only the values tell the type: through Python, as the interpreter's."""
    places: list[Rows] = []
    answers = _run_to_python(trace, batch, dataclasses.replace(interpreter, places=places))
    return _answers_to_arrow(answers, places[-1] if places else np.arange(0), batch, interpreter)


def _answers_to_arrow(
    answers: list[Any], rows: Rows, batch: Batch, interpreter: Interpreter
) -> pa.Array[Any]:
    trace = interpreter.program.trace
    if not answers and trace is not None and interpreter.options.returns is None:
        return nulls(0, plans_of(trace).result_type(batch))
    return answers_to_arrow(answers, rows, batch, interpreter)


def _neither(one: Mask, other: Mask | None) -> Rows:
    return np.flatnonzero(~(one if other is None else one | other))


_RUN = {"python": _run_to_python, "arrow": _run_to_arrow}
