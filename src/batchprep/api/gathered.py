"""Results of a whole source, where a chain has a part in the interpreter, as the source's kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow.types as pt

from batchprep.adapters import pandas as pandas_adapter
from batchprep.adapters import polars as polars_adapter
from batchprep.api.arrow_answers import refuse_union
from batchprep.api.calls import answer
from batchprep.api.result_tables import empty_column, is_tuple
from batchprep.api.tables import table_of_column
from batchprep.records.source import Source
from batchprep.run.arrow_calls import chunked
from batchprep.run.fallback import declared_type
from batchprep.run.report import ReportBuilder
from batchprep.run.route import Results, RouteRun
from batchprep.run.typed_results import results_to_arrow, type_of_results

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.batch.batch import Batch

Parts: TypeAlias = "list[tuple[Batch, Results]]"

STREAM_ROWS = 65_536
LIST_ROWS = 131_072


def whole_answer(run: RouteRun, source: Source, report: ReportBuilder) -> Any:
    """All results of a source that is at hand, as its own kind."""
    route = run.route
    if route.tail is not None or route.head is None:
        return gathered_answer(run, source)
    found = answer(route.head, source, run.options, report, column=route.column, remake=run.remake)
    if not route.interpreted or source.kind not in {"arrow", "polars"} or len(found):
        return found
    return answer_of_parts([], run, source)  # no result shows a type, but the steps may


def gathered_answer(run: RouteRun, source: Source) -> Any:
    """The same, batch by batch."""
    return answer_of_parts([(b, run.results(b)) for b in _batches(source)], run, source)


def answer_of_parts(parts: Parts, run: RouteRun, source: Source) -> Any:
    """The results of batches as the kind of their source."""
    if source.kind == "arrow":
        return arrow_of_parts(parts, run, source)
    if source.kind == "polars":
        result = arrow_of_parts(parts, run, source)
        refuse_union(run.route.name, result, "polars")
        return polars_adapter.from_arrow(result, source.data, run.route.column)
    values = [value for _, results in parts for value in results.values]
    if source.kind == "pandas":
        rows = [np.asarray(results.rows, np.intp) + batch.start for batch, results in parts]
        places = np.concatenate(rows) if rows else np.zeros(0, np.intp)
        return pandas_adapter.from_results(
            values,
            source.data,
            template=None,
            places=places,
            failed_are_none=run.options.on_error == "null",
        )
    return values


def _batches(source: Source) -> Iterator[Batch]:
    return source.batches(LIST_ROWS) if source.kind == "list" else source.batches()


def arrow_of_parts(parts: Parts, run: RouteRun, source: Source) -> pa.ChunkedArray[Any] | pa.Table:
    """A column of the results, or a table where all are dicts; their type follows from them all."""
    values = [value for _, results in parts for value in results.values]
    if not values:
        column = empty_column(run, source)
        is_rows = pt.is_struct(column.type) and not is_tuple(run, column.type)
        return table_of_column(column, run.options) if is_rows else column
    declared = declared_type(run.options)
    dtype = type_of_results(parts) if declared is None else declared
    chunks = [
        results_to_arrow(results, dtype, batch, run, declared=declared is not None)
        for batch, results in parts
    ]
    column = chunked(chunks, dtype)
    kinds = set(map(type, values))
    failed = type(None) if run.options.on_error == "null" else dict
    if dict in kinds and kinds <= {dict, failed}:
        return table_of_column(column, run.options)
    return column


def gathered_stream(run: RouteRun, source: Source) -> Iterator[Any]:
    """The results one by one, reading a batch at a time; those before a failing row come first."""
    for batch in source.batches(STREAM_ROWS):
        ahead: list[Results] = []
        try:
            results = run.results(batch, ahead)
        except Exception:
            yield from (value for part in ahead for value in part.values)
            raise
        yield from results.values
