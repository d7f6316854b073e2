"""The program of a call, made anew where the records turn out to hold other kinds of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np

from batchprep.batch.batch import Batch
from batchprep.batch.column import Mask, either
from batchprep.batch.record_rows import RecordRows
from batchprep.dtypes import Kind
from batchprep.records.sample import sample
from batchprep.records.source import Source
from batchprep.run.either_way import has_ways
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.schema import Field

# At a tenth, tracing anew pays for itself within about two batches of 65,536 rows.
MOST_IRREGULAR: Final = 0.1
FEWEST_ROWS: Final = 1_000
# Of a call: a stream whose values always are of yet another kind gains nothing by it.
MOST_TIMES: Final = 4
MOST_LEFT: Final = 0.5  # of a field's irregular values that stay so with its further kinds
GLANCED: Final = 256  # rows of a batch whose columns nobody has read

Remake: TypeAlias = Callable[[Source], Program | None]
Kinds: TypeAlias = Mapping[str, frozenset[Kind]]


class Respecialised:
    """The program for each batch of a call.

    `remake` makes it anew for what the source's kinds are by then, or gives None where such a
    program is of no use. Without it the program stays what it is, and so it does where the types
    of a source are declared, which then has no widen().
    """

    def __init__(
        self,
        program: Program,
        source: Source,
        options: Options,
        report: ReportBuilder,
        remake: Remake | None,
    ) -> None:
        self._program = program
        self._source = source
        self._options = options
        self._report = report
        self._remake = remake
        self._widen: Callable[[Kinds], None] | None = getattr(source, "widen", None)
        self._left = 0 if remake is None or self._widen is None else MOST_TIMES
        self._rows = 0
        self._irregular = 0
        self._shown: Kinds = {}

    def of(self, batch: Batch) -> Program:
        """The program for the next batch."""
        if self._shown:
            shown, self._shown = self._shown, {}
            self._make_anew(shown, batch.start)
        return self._program

    def ran(self, batch: Batch) -> None:
        """Look at a batch that the program has run: whether its values are of the kinds known.

        Not before it has: what is read of the records for it serves here too.
        """
        trace = self._program.trace
        if not self._left or trace is None or batch.start + len(batch) == self._source.length:
            return
        rows = irregular_rows(self._at_a_glance(batch), trace.reads)
        self._rows += len(batch)
        self._irregular += int(len(batch) * _share(rows))
        if self._rows < FEWEST_ROWS:
            return
        many = self._irregular > MOST_IRREGULAR * self._rows
        self._rows = self._irregular = 0
        if many and _share(irregular_rows(batch, trace.reads)) > MOST_IRREGULAR:
            self._left -= 1
            self._shown = shown_kinds(batch, trace.reads)

    def _at_a_glance(self, batch: Batch) -> Batch:
        """The batch itself where its columns have been read, else a few of its rows."""
        untouched = isinstance(batch.rows, RecordRows) and len(batch) > GLANCED
        if not untouched or not has_ways(self._program, batch, self._options):
            return batch
        # An odd step: rows that take turns in twos or tens are all met.
        rows = np.arange(0, len(batch), len(batch) // GLANCED | 1)
        return Batch(RecordRows(batch.records(rows), batch.form))

    def _make_anew(self, shown: Kinds, row: int) -> None:
        trace = self._program.trace
        if trace is None or self._remake is None or self._widen is None:
            return  # and nothing was shown
        self._widen(shown)
        program = self._remake(self._source)
        if program is not None and program.trace is not None and program.trace is not trace:
            self._program = program
            self._report.made_anew(shown, row)


def irregular_rows(batch: Batch, reads: Mapping[str, Field]) -> Mask:
    """The rows with a value of a kind that its field does not have."""
    columns = batch.columns(reads).values()
    found = either(column.irregular for column in columns)
    return np.zeros(len(batch), np.bool_) if found is None else found


def shown_kinds(batch: Batch, reads: Mapping[str, Field]) -> Kinds:
    """The further kinds of each field, where with them its values are regular for the most part."""
    shown: dict[str, frozenset[Kind]] = {}
    for name, column in batch.columns(reads).items():
        if column.irregular is None:
            continue
        rows = np.array(sample(np.flatnonzero(column.irregular).tolist()), np.intp)
        part = Batch(RecordRows(batch.records(rows), batch.form))
        known = column.field.kinds
        wider = Field(name, known | part.field(name).kinds)
        # An int beyond int64 is irregular whatever the kinds are.
        if wider.kinds > known and _share(irregular_rows(part, {name: wider})) < MOST_LEFT:
            shown[name] = wider.kinds - known
    return shown


def _share(rows: Mask) -> float:
    return float(np.count_nonzero(rows)) / max(len(rows), 1)
