"""One batch through a program: compiled columns, the interpreter's answers, one result."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from batchprep.batch.batch import Batch
from batchprep.run.arrow_calls import nulls
from batchprep.run.arrow_columns import ArrowColumns
from batchprep.run.assemble import Assembler
from batchprep.run.execute import execute
from batchprep.run.fallback import declared_type, interpret_batch, interpret_to_arrow
from batchprep.run.fitting import Fitting
from batchprep.run.inputs import plans_of
from batchprep.run.interpret import Interpreter
from batchprep.run.originals import Originals
from batchprep.run.program import Form, Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.splice import splice, splice_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.rowfn.trace import Trace

TYPE_MISFIT = "value that the result column cannot hold"


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
) -> list[Any] | pa.Array[Any]:
    """The results of one batch, as Python objects or as Arrow; `first_row` is its first row.

    Errors:  under on_error="raise" the first failing row's own exception, with a note; rows
             after it are not run, and the results of those ahead of it are put into `before`
    """
    started = time.perf_counter()
    interpreter = Interpreter(program, options, report, first_row, before)
    try:
        results = _RUN[form](program.trace, batch, interpreter)
    except Exception:
        report.batch_done(0, 0, time.perf_counter() - started)  # which rows it did is noted already
        raise
    report.batch_done(len(batch), len(results), time.perf_counter() - started)
    return results


def _run_to_python(trace: Trace | None, batch: Batch, interpreter: Interpreter) -> list[Any]:
    if trace is None:
        return interpret_batch(batch, interpreter)
    if not len(batch):
        return []
    columns = execute(plans_of(trace).plan(batch), batch, interpreter.options, interpreter.report)
    assembler = Assembler(columns, batch)
    if columns.deviating is None:
        return assembler.results(None)
    rows, good = np.flatnonzero(columns.deviating), np.flatnonzero(~columns.deviating)
    try:
        answers = interpreter.answers(batch.records(rows), rows.tolist())
    except Exception:
        if interpreter.before is not None:
            done = len(interpreter.answered)
            ahead = assembler.results(good[good < rows[done]])
            interpreter.before.extend(
                splice(ahead, rows[:done].tolist(), interpreter.answered, "raise")
            )
        raise
    results = assembler.results(good)
    return splice(results, rows.tolist(), answers, interpreter.options.on_error)


def _run_to_arrow(trace: Trace | None, batch: Batch, interpreter: Interpreter) -> pa.Array[Any]:
    if trace is None:
        return interpret_to_arrow(batch, interpreter)
    plans = plans_of(trace)
    dtype = declared_type(interpreter.options) or plans.result_type(batch)
    if not len(batch):
        return nulls(0, dtype)
    columns = execute(plans.plan(batch), batch, interpreter.options, interpreter.report)
    arrow = ArrowColumns(columns, batch)
    results = arrow.results(dtype)
    deviating = columns.deviating
    if arrow.misfits is not None:
        interpreter.report.deviated(TYPE_MISFIT, int(np.count_nonzero(arrow.misfits)))
        deviating = arrow.misfits if deviating is None else deviating | arrow.misfits
    if deviating is None:
        return results
    rows = np.flatnonzero(deviating)
    originals = Originals(batch, rows)
    answers = interpreter.answers(batch.records(rows), rows.tolist(), Fitting(dtype, originals))
    return splice_arrow(results, rows, answers, interpreter.options.on_error, originals)


_RUN = {"python": _run_to_python, "arrow": _run_to_arrow}
