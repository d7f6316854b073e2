"""The type of the results where there are none to show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch, from_records
from batchprep.records import Scan
from batchprep.records.source import Source
from batchprep.rowfn.steps import Drop, Filter, Rename, Select, Step
from batchprep.run.inputs import plans_of
from batchprep.run.result_types import column_type
from batchprep.run.route import Route

LOOK_ROWS: Final = 10_000  # of records in memory, which declare no types


def type_without_results(route: Route, source: Source) -> Any:
    """What the source's rows become: of the compiled steps, and of others that keep columns.

    None where a function in the interpreter makes new rows: who knows which.
    """
    schema: pa.Schema | None = getattr(source, "schema", None)
    trace = None if route.head is None else route.head.trace
    if trace is not None and "any" in trace.stage.template.kinds:
        return None  # only the values tell
    if trace is not None:
        rows = from_records([]) if schema is None else Batch(ArrowRows(schema.empty_table()))
        before: Any = plans_of(trace).result_type(rows)
    else:
        schema = _looked_up(source) if schema is None else schema
        before = None if schema is None else pa.struct(list(schema))
    if before is None or not pt.is_struct(before):
        return before
    return _after(before, route.interpreted)


def _looked_up(source: Source) -> pa.Schema | None:
    """The columns as the first records show them; None of an iterator, which is used up."""
    if isinstance(source.data, Scan):
        return source.data.schema
    batch = next(source.batches(LOOK_ROWS), None) if source.kind in {"list", "pandas"} else None
    if batch is None:
        return None
    return pa.schema([(str(name), column_type(name, batch)) for name in batch.names()])


def _after(rows: pa.StructType, steps: Iterable[Step]) -> pa.StructType | None:
    columns = {field.name: field for field in rows}
    for step in steps:
        match step:
            case Filter():
                pass
            case Select(names):
                columns = {name: columns[name] for name in names if name in columns}
            case Drop(names):
                columns = {name: found for name, found in columns.items() if name not in names}
            case Rename(names):
                new = dict(names)
                columns = {new.get(name, name): found for name, found in columns.items()}
            case _:
                return None
    return pa.struct([field.with_name(name) for name, field in columns.items()])
