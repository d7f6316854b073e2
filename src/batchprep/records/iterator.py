"""Records that come one by one: pulled a batch at a time, and no sooner than needed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

from batchprep.batch.access import form_of_records
from batchprep.batch.batch import Batch
from batchprep.batch.record_rows import RecordRows, names_of_records
from batchprep.dtypes import EMPTY, Kind
from batchprep.records.list import inferred_field
from batchprep.records.reused import apart
from batchprep.records.sample import sample
from batchprep.records.source import SourceKind
from batchprep.schema import Field, RecordForm

ITERATOR_ROWS: Final = 65_536  # of a batch: while it runs, its results are held beside it
FEWEST_ROWS: Final = 4_096
# Of records with long texts fewer make a batch: their columns, and what is made of them, take
# several times as much again.
BATCH_BYTES: Final = 16 << 20
_PROBED: Final = 256  # records whose size is looked at
_LOOK_AHEAD: Final = 8  # further batches, while a field is all None


class IteratorSource:
    """Records of a generator, map object or any other iterable, read once.

    The first batch fixes the kinds of a field, until widen() adds to them; values of other kinds
    later are irregular.
    An exception of the iterable is raised when the rows before it have been handed out.
    """

    kind: SourceKind = "iterator"
    length: int | None = None
    closed = False

    def __init__(self, records: Iterable[Any], rows: int = ITERATOR_ROWS) -> None:
        self.data = records
        self._iterator = iter(records)
        self._is_probed = False
        self._rows = rows
        self._pulled: list[Any] = []
        self._error: BaseException | None = None
        self._ended = False
        self._fields: dict[str, Field] = {}
        self._form: RecordForm | None = None
        self._sample_: list[Any] | None = None
        self._newest: Sequence[Any] | None = None  # some records of the batch handed out last

    def _batch_rows(self, rows: int) -> int:
        """So many rows, or fewer where records are long."""
        self._pull(min(_PROBED, self._rows))
        probed = self._pulled[:_PROBED]
        size = sum(map(_size, probed)) / max(len(probed), 1)
        return min(rows, max(FEWEST_ROWS, int(BATCH_BYTES / max(size, 1))))

    @property
    def form(self) -> RecordForm:
        """How fields are read, as the first batch shows it."""
        if self._form is None:
            self._form = form_of_records(self._sample)
        return self._form

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = self._inferred(name)
        return self._fields[name]

    def names(self) -> tuple[str, ...]:
        return names_of_records(self._sample)

    def widen(self, kinds: Mapping[str, frozenset[Kind]]) -> None:
        """Let fields have these kinds too, and what the newest records show of any other field."""
        for name, further in kinds.items():
            self._fields[name] = Field(name, self.field(name).kinds | further)
        self._sample_ = [*self._sample, *(self._newest or ())]

    def batches(self, rows: int = ITERATOR_ROWS) -> Iterator[Batch]:
        start = 0
        rows = self._batch_rows(rows)
        while True:
            self._pull(rows)
            part, self._pulled = self._pulled[:rows], self._pulled[rows:]
            if not part:
                break
            self._newest = sample(part)
            yield Batch(RecordRows(part, self.form_of(part)), start)
            start += len(part)
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def form_of(self, part: list[Any]) -> RecordForm:
        """Form of the source; where it is not yet known, this first batch decides it."""
        if self._form is None:
            self._form = form_of_records(sample(part))
        return self._form

    @property
    def _sample(self) -> list[Any]:
        if self._sample_ is None:
            self._pull(self._batch_rows(self._rows))
            self._sample_ = list(sample(self._pulled))
        return self._sample_

    def _inferred(self, name: str) -> Field:
        field = inferred_field(self._sample, name, self.form)
        for further in range(1, _LOOK_AHEAD + 1):
            undecided = "none" in field.kinds and field.kinds <= EMPTY
            # Once batches are handed out another thread may be pulling.
            if not undecided or self._ended or self._newest is not None:
                break
            self._pull((further + 1) * self._rows)
            newest = inferred_field(sample(self._pulled[-self._rows :]), name, self.form)
            field = Field(name, field.kinds | newest.kinds)
        return field

    def _pull(self, count: int) -> None:
        """Have that many rows at hand, or all that are left."""
        missing = count - len(self._pulled)
        if missing <= 0 or self._ended:
            return
        before = len(self._pulled)
        if not self._is_probed:
            self._is_probed = True
            self._iterator = apart(self._iterator, missing)
        try:
            # extend keeps the rows that came before an exception
            self._pulled.extend(islice(self._iterator, missing))
        except BaseException as error:  # noqa: BLE001  raised again in its turn, after the rows before it
            self._error = error
            self._ended = True
        self._ended = self._ended or len(self._pulled) - before < missing


def _size(record: Any) -> int:
    """Bytes of a dict and its texts; 0 for other records, of which there is no telling."""
    if type(record) is not dict:
        return 0
    values = cast("dict[Any, Any]", record).values()
    texts = (sys.getsizeof(value) for value in values if type(value) in {str, bytes})
    return sys.getsizeof(record) + sum(texts)
