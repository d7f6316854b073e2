"""One call: batches of the source through the program, and the results as the source's kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from batchprep.adapters import pandas as pandas_adapter
from batchprep.adapters import polars as polars_adapter
from batchprep.api.arrow_answers import arrow_answer, refuse_union
from batchprep.api.given import column_name
from batchprep.api.respecialise import Remake, Respecialised
from batchprep.records.source import Source
from batchprep.run.assemble import Rows
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import run_batch

NO_ROWS: Final = np.zeros(0, np.intp)
LIST_ROWS: Final = 131_072
# A stream holds one batch of records and one of results: half the size, half the memory.
STREAM_ROWS: Final = 65_536


def answer(
    program: Program,
    source: Source,
    options: Options,
    report: ReportBuilder,
    *,
    column: str | None = None,
    remake: Remake | None = None,
) -> Any:
    """All results of a source that is at hand, as its own kind; `column` names a Series.

    `remake` makes the program anew where records turn out to hold values of other kinds.
    """
    if source.kind in {"arrow", "polars"}:
        result = arrow_answer(program, source, options, report)
        if source.kind == "polars":
            refuse_union(program.name, result, "polars")
            name = column_name(program.function) if column is None else column
            return polars_adapter.from_arrow(result, source.data, name)
        return result
    if source.kind != "pandas":
        return python_results(program, source, options, report, remake=remake)
    places: list[Rows] = []
    results = python_results(program, source, options, report, places)
    template = None if program.trace is None else program.trace.stage.template
    return pandas_adapter.from_results(
        results,
        source.data,
        template=template,
        places=np.concatenate([NO_ROWS, *places]),
        failed_are_none=options.on_error == "null",
    )


def python_results(
    program: Program,
    source: Source,
    options: Options,
    report: ReportBuilder,
    places: list[Rows] | None = None,
    *,
    remake: Remake | None = None,
) -> list[Any]:
    """The results as a list of Python values; `places` is given the rows that they stand for."""
    results: list[Any] = []
    programs = Respecialised(program, source, options, report, remake)
    for batch in source.batches(LIST_ROWS):
        # Not in a generator: a StopIteration of the row function must stay one.
        of_batch: list[Rows] | None = None if places is None else []
        part = run_batch(
            programs.of(batch),
            batch,
            options,
            report,
            first_row=batch.start,
            form="python",
            places=of_batch,
            into=results,
        )
        programs.ran(batch)
        if places is not None and of_batch is not None:
            places += [rows + batch.start for rows in of_batch]
        # One batch is the usual case: its list is the result, without a copy.
        if not results:
            results = part
        elif part is not results:
            results.extend(part)
    return results


def stream(
    program: Program,
    source: Source,
    options: Options,
    report: ReportBuilder,
    remake: Remake | None = None,
) -> Iterator[Any]:
    """The results one by one, reading a batch at a time; those before a failing row come first."""
    programs = Respecialised(program, source, options, report, remake)
    for batch in source.batches(STREAM_ROWS):
        before: list[Any] = []
        try:
            part = run_batch(
                programs.of(batch),
                batch,
                options,
                report,
                first_row=batch.start,
                form="python",
                before=before,
            )
        except Exception:
            yield from before
            raise
        programs.ran(batch)
        yield from part
