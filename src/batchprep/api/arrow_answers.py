"""Arrow in, Arrow out: a column of scalars, or a table where the function returns dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias, cast

import pyarrow as pa
import pyarrow.types as pt

from batchprep.api.tables import table_of_column
from batchprep.batch.batch import Batch
from batchprep.batch.joining import concatenated
from batchprep.errors import messages
from batchprep.records.source import Source
from batchprep.run.inputs import plans_of
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import run_batch


class Columnar(Protocol):
    """A source of columns."""

    def whole(self) -> Batch: ...


ArrowAnswer: TypeAlias = "pa.ChunkedArray[Any] | pa.Array[Any] | pa.Table | pa.RecordBatch"


def arrow_answer(
    program: Program, source: Source, options: Options, report: ReportBuilder
) -> ArrowAnswer:
    """The results of Arrow data: Array or RecordBatch of a RecordBatch, else in chunks.

    Nulls:  under on_error="null" a failed row of a table is null in every column
    """
    chunks: list[pa.Array[Any]] = []
    for batch in _batches(program, source):
        first_row = batch.start
        chunks.append(run_batch(program, batch, options, report, first_row=first_row, form="arrow"))
    column = pa.chunked_array(chunks, chunks[0].type)
    one_chunk = isinstance(source.data, pa.RecordBatch)
    if not _is_table(program, options, column):
        return _one_array(column) if one_chunk else column
    table = table_of_column(column, options)
    if not one_chunk:
        return table
    columns = [_one_array(found) for found in table.columns]
    return pa.record_batch(columns, schema=table.schema)


def refuse_union(name: str, result: ArrowAnswer, target: str) -> None:
    """Refuse results with values of several kinds, at any depth: the target has no type for them.

    Errors:  TypeError
    """
    is_table = isinstance(result, pa.Table | pa.RecordBatch)
    fields = list(result.schema) if is_table else [pa.field("", result.type)]
    for field in fields:
        found = _union_in(field.type, field.name)
        if found is not None:
            path, union = found
            kinds = [member.name for member in union if member.name != "none"]
            raise TypeError(messages.union_text(name, kinds, path, target))


def _union_in(dtype: pa.DataType, path: str) -> tuple[str, pa.UnionType] | None:
    """The first union in a type, and where it stands: a.b[]."""
    if pt.is_union(dtype):
        return path, cast("pa.UnionType", dtype)
    for child in (dtype.field(place) for place in range(dtype.num_fields)):
        inner = f"{path}.{child.name}".lstrip(".") if pt.is_struct(dtype) else f"{path}[]"
        found = _union_in(child.type, inner)
        if found is not None:
            return found
    return None


def _batches(program: Program, source: Source) -> Iterator[Batch]:
    """At least one batch, so that no rows have a type too."""
    # Where the results decide the type, all must be there.
    trace = program.trace
    by_values = trace is None or trace.stage.template.open
    batches = iter(()) if by_values else _of_size(program, source)
    first = next(batches, None)
    if first is None:
        yield cast("Columnar", source).whole()
        return
    yield first
    yield from batches


def _of_size(program: Program, source: Source) -> Iterator[Batch]:
    held = isinstance(source.data, (pa.Table, pa.RecordBatch))
    rows = plans_of(program.trace).batch_rows if held and program.trace is not None else None
    return source.batches() if rows is None else source.batches(rows)


def _is_table(program: Program, options: Options, column: pa.ChunkedArray[Any]) -> bool:
    if not isinstance(column.type, pa.StructType):
        return False
    if program.trace is not None and "any" not in program.trace.stage.template.kinds:
        return set(program.trace.stage.template.kinds) - {"absent"} == {"struct"}
    if isinstance(options.returns, pa.Schema):
        return True
    # The interpreter's results came as Arrow: a tuple is a struct of fields "0", "1", ...
    numbered = [str(position) for position in range(column.type.num_fields)]
    is_tuple = bool(numbered) and [field.name for field in column.type] == numbered
    return not is_tuple and (column.null_count == 0 or options.on_error == "null")


def _one_array(column: pa.ChunkedArray[Any]) -> pa.Array[Any]:
    chunks = column.chunks
    return chunks[0] if len(chunks) == 1 else concatenated(chunks)
