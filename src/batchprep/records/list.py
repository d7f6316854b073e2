"""Sources that hold their records: a list of them, or one alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from batchprep.batch.access import form_of_records
from batchprep.batch.batch import Batch
from batchprep.batch.record_rows import RecordRows, names_of_records
from batchprep.dtypes import Kind
from batchprep.records.sample import sample
from batchprep.records.source import ROWS, SourceKind
from batchprep.schema import Field, RecordForm

if TYPE_CHECKING:
    import pyarrow as pa

GLANCED: Final = 64  # records


class ListSource:
    """Records in a list or another sequence; the kinds of a field are read from a sample."""

    closed = False

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
        self._looked_at = RecordRows(self._sample, self.form, schema)
        self._fields: dict[str, Field] = {}

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = self._looked_at.field(name)
        return self._fields[name]

    def widen(self, kinds: Mapping[str, frozenset[Kind]]) -> None:
        """Let fields have these kinds too; a declared type stays what it is."""
        for name, further in kinds.items() if self._schema is None else ():
            self._fields[name] = Field(name, self.field(name).kinds | further)

    def glance(self, records: int = GLANCED) -> RecordRows:
        """A few records from all over: enough to see most changes of kinds, at next to no cost."""
        step = max(len(self._sample) // records, 1)
        return RecordRows(self._sample[::step], self.form, self._schema)

    def names(self) -> tuple[str, ...]:
        return names_of_records(self._sample)

    def batches(self, rows: int = ROWS) -> Iterator[Batch]:
        for start in range(0, self.length, rows):
            yield Batch(self._part(start, rows), start)

    def _part(self, start: int, rows: int) -> RecordRows:
        if start or self.length > rows:
            part = range(start, min(start + rows, self.length))
            return RecordRows(self._records, self.form, self._schema, part)
        if self._sample is self._records:  # values that were read for the kinds are not read again
            return self._looked_at
        return RecordRows(self._records, self.form, self._schema)


def inferred_field(records: Sequence[Any], name: str, form: RecordForm) -> Field:
    """Field of the kinds that these records show."""
    return RecordRows(records, form).field(name)
