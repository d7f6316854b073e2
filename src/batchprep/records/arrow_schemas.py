"""Fields of Arrow schemas, looked up once for tables that come again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from batchprep.batch.arrow_rows import check_distinct, field_of_schema
from batchprep.batch.joining import dictionary_places
from batchprep.schema import Field

if TYPE_CHECKING:
    import pyarrow as pa

# To look up a field takes 3 us, and to compare a schema with another 0.05.
KEPT: Final = 8


class ArrowFields:
    """The fields of a schema whose names are distinct."""

    def __init__(self, schema: pa.Schema) -> None:
        check_distinct(schema.names)
        self.schema = schema
        self.names = tuple(schema.names)
        self.dictionaries = dictionary_places(schema)
        self._fields: dict[str, Field] = {}

    def field(self, name: str) -> Field:
        """The field of that name, the same object each time."""
        found = self._fields.get(name)
        if found is None:
            found = self._fields[name] = field_of_schema(self.schema, name)
        return found


_known: tuple[ArrowFields, ...] = ()


def arrow_fields(schema: pa.Schema) -> ArrowFields:
    """The fields of a schema, those of an equal one where that came lately.

    Errors:  ValueError for a name that occurs twice
    """
    global _known  # noqa: PLW0603  two threads may put one in twice, or lose one: it is a cache
    for known in _known:
        if known.schema.equals(schema):
            return known
    fields = ArrowFields(schema)
    _known = (fields, *_known)[:KEPT]
    return fields
