"""Tables with the columns of a file: a cast where nothing but nullability or metadata differs."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from batchprep.sinks import messages
from batchprep.sinks.target import Target


def fitted(table: pa.Table, schema: pa.Schema, target: Target) -> pa.Table:
    """The same rows under the schema of the file.

    Errors:  TypeError naming the column that has another type, or that is missing or new
    """
    if table.schema.equals(schema, check_metadata=True):
        return table
    if table.schema.names != schema.names:
        found, wanted = list(table.schema.names), list(schema.names)
        raise TypeError(messages.column_names_text(target.name, found, wanted))
    for found, wanted in zip(table.schema, schema, strict=True):
        if not _alike(found.type, wanted.type):
            raise TypeError(
                messages.changed_type_text(target.name, found.name, found.type, wanted.type)
            )
    return table.cast(schema)


def _alike(found: Any, wanted: Any) -> bool:
    """Whether two types differ in nothing but nullability, metadata and names of list items."""
    if found.equals(wanted):
        return True
    if not pt.is_nested(found) or found.id != wanted.id or found.num_fields != wanted.num_fields:
        return False
    if pt.is_fixed_size_list(found) and found.list_size != wanted.list_size:
        return False
    if pt.is_union(found) and found.type_codes != wanted.type_codes:
        return False
    named = pt.is_struct(found) or pt.is_union(found)
    for place in range(found.num_fields):
        one, other = found.field(place), wanted.field(place)
        if (named and one.name != other.name) or not _alike(one.type, other.type):
            return False
    return True
