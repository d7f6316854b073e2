"""A column of dict results as a table."""

from __future__ import annotations

from typing import Any, cast

import pyarrow as pa

from batchprep.batch.batch import table_without_columns
from batchprep.run.arrow_calls import struct_columns
from batchprep.run.program import Options


def table_of_column(column: pa.ChunkedArray[Any], options: Options) -> pa.Table:
    """The fields of the structs as columns, null where a struct is."""
    fields = list(column.type)
    if options.on_error == "null":  # a failed row is null in columns that are not null, too
        fields = [field.with_nullable(True) for field in fields]  # noqa: FBT003
    if not fields:
        return table_without_columns(len(column))
    parts = [struct_columns(cast("pa.StructArray", chunk)) for chunk in column.chunks]
    columns = [
        pa.chunked_array([part[place] for part in parts], field.type)
        for place, field in enumerate(fields)
    ]
    metadata: Any = options.returns.metadata if isinstance(options.returns, pa.Schema) else None
    return pa.table(columns, schema=pa.schema(fields, metadata))
