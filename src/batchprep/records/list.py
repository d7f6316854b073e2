"""Sources that hold their records: a list of them, or one alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from batchprep.batch.access import form_of_records, read_field
from batchprep.batch.arrow_types import field_of_type
from batchprep.batch.batch import Batch
from batchprep.batch.kinds import kinds_of
from batchprep.batch.record_rows import RecordRows, names_of_records
from batchprep.records.sample import sample
from batchprep.records.source import ROWS, SourceKind
from batchprep.schema import Field, RecordForm

if TYPE_CHECKING:
    import pyarrow as pa


class ListSource:
    """Records in a list or another sequence; the kinds of a field are read from a sample."""

    def __init__(
        self,
        records: Sequence[Any],
        *,
        data: Any = None,
        kind: SourceKind = "list",
        schema: pa.Schema | None = None,
    ) -> None:
        self.kind: SourceKind = kind
        self.data = records if data is None else data
        self.length = len(records)
        self._records = records
        self._schema = schema
        self._sample = sample(records)
        self.form: RecordForm = form_of_records(self._sample)
        self._fields: dict[str, Field] = {}

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = self._declared(name) or inferred_field(
                self._sample, name, self.form
            )
        return self._fields[name]

    def names(self) -> tuple[str, ...]:
        return names_of_records(self._sample)

    def batches(self, rows: int = ROWS) -> Iterator[Batch]:
        for start in range(0, self.length, rows):
            whole = start == 0 and self.length <= rows
            part = self._records if whole else self._records[start : start + rows]
            yield Batch(RecordRows(part, self.form, self._schema), start)

    def _declared(self, name: str) -> Field | None:
        position = -1 if self._schema is None else self._schema.get_field_index(name)
        if self._schema is None or position < 0:
            return None
        declared = self._schema.field(position)
        return field_of_type(name, declared.type, nullable=declared.nullable)


def inferred_field(records: Sequence[Any], name: str, form: RecordForm) -> Field:
    """Field of the kinds that these records show."""
    return Field(name, kinds_of(read_field(records, name, form)))
