"""Results batch by batch as tables of one schema, for a sink or for training."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa
import pyarrow.types as pt

from batchprep.api import pipeline_messages as texts
from batchprep.api.missing_values import nan_as_null
from batchprep.api.respecialise import Respecialised
from batchprep.api.tables import table_of_column
from batchprep.api.type_without_results import type_without_results
from batchprep.batch.batch import Batch
from batchprep.records.source import Source
from batchprep.run.arrow_calls import chunked
from batchprep.run.fallback import declared_type
from batchprep.run.inputs import plans_of
from batchprep.run.result_types import merged_type
from batchprep.run.runner import run_batch
from batchprep.run.typed_results import results_to_arrow, type_of_results

if TYPE_CHECKING:
    from batchprep.rowfn.trace import Trace
    from batchprep.run.program import Program
    from batchprep.run.route import Results, RouteRun

# Batches that are looked at while some column has no value yet, and so no type.
LOOK_AHEAD: Final = 8


def result_tables(run: RouteRun, batches: Iterator[Batch], source: Source) -> Iterator[pa.Table]:
    """The results of each batch. Their schema is fixed with the first; later misfits fail.

    Nulls:   where pandas says NaN in a column of texts, or NaT
    Errors:  TypeError where rows are None in part
    """
    program = run.route.head
    trace = None if program is None or run.route.tail is not None else program.trace
    if program is not None and trace is not None and not trace.stage.template.open:
        tables = _of_compiled(run, program, trace, batches, source)
    else:
        tables = _of_interpreted(run, batches)
    return map(nan_as_null, tables) if source.kind == "pandas" else tables


def empty_result(run: RouteRun, source: Source) -> pa.Table:
    """The table of no results: its types are known where they follow from the steps."""
    table = _table(run, empty_column(run, source))
    return nan_as_null(table) if source.kind == "pandas" else table


def empty_column(run: RouteRun, source: Source) -> pa.ChunkedArray[Any]:
    """No results: of rows without columns, where nothing is known of them."""
    declared = declared_type(run.options)
    if declared is None:
        declared = type_without_results(run.route, source)
    return chunked([], pa.struct([]) if declared is None else declared)


def _of_compiled(
    run: RouteRun, program: Program, trace: Trace, batches: Iterator[Batch], source: Source
) -> Iterator[pa.Table]:
    if _has_none_rows(trace):
        raise TypeError(texts.none_row_text(run.route.name))
    options = run.options
    if source.kind != "arrow" and declared_type(options) is None:
        dtype, batches = _peeked_type(trace, batches)
        options = dataclasses.replace(options, returns=dtype)
    report = run.last_report
    programs = Respecialised(program, source, options, report, lambda source: _remade(run, source))
    for batch in batches:
        head = programs.of(batch)
        array = run_batch(head, batch, options, report, first_row=batch.start, form="arrow")
        programs.ran(batch)
        yield _table(run, chunked([array], array.type))


def _remade(run: RouteRun, source: Source) -> Program | None:
    """The program for further kinds of values, where its results are columns all the same."""
    program = None if run.remake is None else run.remake(source)
    trace = None if program is None else program.trace
    if trace is None or trace.stage.template.open or _has_none_rows(trace):
        return None
    return program


def _has_none_rows(trace: Trace) -> bool:
    return set(trace.stage.template.kinds) - {"absent"} == {"none", "struct"}


def _peeked_type(trace: Trace, batches: Iterator[Batch]) -> tuple[Any, Iterator[Batch]]:
    """The type of the results of records, which the first batches show, and all the batches."""
    seen: list[Batch] = []
    dtype: pa.DataType = pa.null()
    for batch in batches:
        seen.append(batch)
        dtype = merged_type([dtype, plans_of(trace).result_type(batch)])
        if not _is_undecided(dtype) or len(seen) > LOOK_AHEAD:
            break
    return (dtype if seen else None), chain(seen, batches)


def _of_interpreted(run: RouteRun, batches: Iterator[Batch]) -> Iterator[pa.Table]:
    declared = declared_type(run.options)
    held: list[tuple[Batch, Results]] = []
    dtype = declared
    for batch in batches:
        results = run.results(batch)
        if not results.values:  # shows no types: the first results may come late
            continue
        held.append((batch, results))
        if declared is None:
            dtype = type_of_results(held)
            if _is_undecided(dtype) and len(held) <= LOOK_AHEAD:
                continue
        yield from _converted(run, held, dtype, declared=declared is not None)
        held = []
        declared = declared or dtype
    if held and dtype is not None:
        yield from _converted(run, held, dtype, declared=False)


def _converted(
    run: RouteRun, held: Sequence[tuple[Batch, Results]], dtype: Any, *, declared: bool
) -> Iterator[pa.Table]:
    for batch, results in held:
        if pt.is_struct(dtype) and run.options.on_error != "null" and None in results.values:
            raise TypeError(texts.none_row_text(run.route.name))
        array = results_to_arrow(results, dtype, batch, run, declared=declared)
        yield _table(run, chunked([array], dtype))


def _table(run: RouteRun, column: pa.ChunkedArray[Any]) -> pa.Table:
    """Dict results as columns, others as one column that has the function's name."""
    if pt.is_struct(column.type) and not is_tuple(run, column.type):
        return table_of_column(column, run.options)
    return pa.table([column], names=[run.route.column])


def is_tuple(run: RouteRun, dtype: pa.DataType) -> bool:
    """Whether structs of that type are tuples, which are one column each."""
    trace = run.route.parts[-1].trace
    if trace is not None and run.route.tail is None and "any" not in trace.stage.template.kinds:
        return "struct" not in trace.stage.template.kinds
    names = cast("pa.StructType", dtype).names
    return bool(names) and names == [str(place) for place in range(len(names))]


def _is_undecided(dtype: pa.DataType) -> bool:
    """Whether some position has had no value yet."""
    if pt.is_null(dtype):
        return True
    return any(_is_undecided(dtype.field(place).type) for place in range(dtype.num_fields))
