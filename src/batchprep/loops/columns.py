"""What the row part gave for a batch: for each slot the rows that have it, and their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from batchprep.batch.batch import Batch
from batchprep.batch.column import Column
from batchprep.dtypes import Kind
from batchprep.plan.node import TRUE
from batchprep.plan.stage import Output, Part
from batchprep.run.assemble import Assembler
from batchprep.run.execute import Columns
from batchprep.schema import Field

Rows = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
NO_KINDS: Final[frozenset[Kind]] = frozenset()
NUMBERS: Final[Mapping[Kind, type]] = {"bool": bool, "int": int, "float": float}


class Numbers(NamedTuple):
    """Values of one numeric kind."""

    kind: Kind
    array: npt.NDArray[Any]


class Coded(NamedTuple):
    """Values as numbers of distinct ones; `words` has those, some of them perhaps unused."""

    codes: npt.NDArray[Any]
    words: Sequence[Any]


class Answers(NamedTuple):
    """What the interpreter gave for the rows that deviate, in row order."""

    rows: Rows
    steps: Sequence[Mapping[str, Any]]


class SlotColumn:
    """One slot, or the mark that a row reaches a step."""

    def __init__(
        self,
        parts: Sequence[Part],
        columns: Columns,
        batch: Batch,
        reads: Mapping[str, Field],
        answers: Answers,
        key: str,
    ) -> None:
        self.parts = parts
        self.shared: Shared | None = None
        self._columns = columns
        self._batch = batch
        self._reads = reads
        has = [key in steps for steps in answers.steps]
        self._answered = answers.rows[np.array(has, np.bool_)] if has else answers.rows
        self._answers = [steps[key] for steps in answers.steps if key in steps]

    @cached_property
    def rows(self) -> Rows:
        """The rows that have it, ascending."""
        mask = self.mask
        return np.arange(self._columns.length) if mask is None else np.flatnonzero(mask)

    @cached_property
    def mask(self) -> Mask | None:
        """The same as a mask; None where all rows have it."""
        if self._columns.deviating is None and any(p.guard is TRUE for p in self.parts):
            return None
        mask = np.zeros(self._columns.length, np.bool_)
        for part in self.parts:
            mask |= self._columns.array(part.guard)
        if self._columns.deviating is not None:
            mask &= ~self._columns.deviating
        mask[self._answered] = True
        return mask

    @cached_property
    def values(self) -> list[Any]:
        """The values of these rows."""
        if len(self.parts) == 1 and self._columns.deviating is None:
            return self._of_part(self.parts[0], None if self.mask is None else self.rows)
        values = np.full(self._columns.length, None, np.object_)
        for part in self.parts:
            rows = self._compiled_rows(part)
            values[rows] = _objects(self._of_part(part, rows))
        values[self._answered] = _objects(self._answers)
        return values[self.rows].tolist()

    def value(self, place: int) -> Any:
        """One of these values; the others are not made for it."""
        alone = len(self.parts) == 1 and self._columns.deviating is None and self.shared is None
        if not alone or "values" in self.__dict__:
            return self.values[place]
        return self._of_part(self.parts[0], self.rows[place : place + 1])[0]

    def _of_part(self, part: Part, rows: Rows | None) -> list[Any]:
        if self.shared is not None:
            objects = self.shared.objects
            return (objects if rows is None else objects[rows]).tolist()
        return _assembled(part.output, self._columns, self._batch, rows)

    def _compiled_rows(self, part: Part) -> Rows:
        return np.flatnonzero(_reaching(part, self._columns))

    @cached_property
    def numbers(self) -> Numbers | None:
        """The values as an array, where they are known to be of one numeric kind."""
        if len(self.parts) != 1:
            return None
        found = self._computed(self.parts[0].output)
        if found is None or not all(type(a) is NUMBERS[found.kind] for a in self._answers):
            return None
        array = found.array
        if self._answers:
            array = array.copy()
            try:
                array[self._answered] = self._answers
            except OverflowError:  # an int beyond int64
                return None
        return Numbers(found.kind, array if self.mask is None else array[self.rows])

    def _computed(self, output: Output) -> Numbers | None:
        if output.field is not None:
            return self._of_field(output.field)
        if len(output.kinds) != 1 or output.kinds[0] not in NUMBERS:
            return None
        kind = output.kinds[0]
        return Numbers(kind, self._columns.array(dict(output.payloads)[kind]))

    def _of_field(self, name: str) -> Numbers | None:
        for kind in NUMBERS:
            column = self._column(name, kind)
            if column is not None:
                return Numbers(kind, column.buffers[kind])
        return None

    def _column(self, name: str, kind: Kind) -> Column | None:
        """The column of a field that is all of one kind, as the stage has read it."""
        kinds = self._reads[name].kinds if name in self._reads else NO_KINDS
        if "none" in kinds and self._batch.null_free(name):
            kinds = kinds - {"none"}
        if kind not in kinds or len(kinds) > 1:
            return None
        field = dataclasses.replace(self._reads[name], kinds=frozenset({kind}))
        column = self._batch.column(name, field)
        return column if column.irregular is None else None

    @cached_property
    def coded(self) -> Coded | None:
        """The values as numbers of distinct ones, where that is at hand."""
        if len(self.parts) != 1 or len(self._answered):
            return None
        output = self.parts[0].output
        if output.field is not None:
            return self._coded_field(output.field)
        if output.kinds != ("str",) or dict(output.payloads)["str"].op == "const":
            return None
        codes = self._columns.array(dict(output.payloads)["str"])
        codes = codes if self.mask is None else codes[self.rows]
        return _few(codes, self._columns)

    def _coded_field(self, name: str) -> Coded | None:
        column = self._column(name, "str")
        if column is None or column.words is None:
            return None
        codes, words = column.buffers["str"], column.words.to_pylist()
        if len(set(words)) < len(words):
            return None
        return Coded(codes if self.mask is None else codes[self.rows], words)


class Shared:
    """The objects of several slots that are one in each row: computed once for all of them."""

    def __init__(self, parts: Sequence[Part], columns: Columns, batch: Batch) -> None:
        self._parts = parts
        self._columns = columns
        self._batch = batch

    @cached_property
    def objects(self) -> npt.NDArray[np.object_]:
        """One a row, None where no slot has any."""
        mask = np.zeros(self._columns.length, np.bool_)
        for part in self._parts:
            mask |= _reaching(part, self._columns)
        rows = np.flatnonzero(mask)
        objects = np.full(self._columns.length, None, np.object_)
        objects[rows] = _objects(
            _assembled(self._parts[0].output, self._columns, self._batch, rows)
        )
        return objects


def _reaching(part: Part, columns: Columns) -> Mask:
    """The rows whose compiled result has the part."""
    chosen = columns.array(part.guard)
    return chosen if columns.deviating is None else chosen & ~columns.deviating


def _assembled(output: Output, columns: Columns, batch: Batch, rows: Rows | None) -> list[Any]:
    stage = dataclasses.replace(columns.stage, template=output)
    return Assembler(columns._replace(stage=stage), batch).results(rows)


def _few(codes: npt.NDArray[Any], columns: Columns) -> Coded:
    """Numbers of the strings that occur: two codes of the pool may stand for one string."""
    distinct, places = np.unique(codes, return_inverse=True)
    numbers: dict[str, int] = {}
    words = columns.pool.take(distinct)
    own = np.fromiter((numbers.setdefault(w, len(numbers)) for w in words), np.intp, len(words))
    return Coded(own[places], list(numbers))


def _objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    return np.fromiter(values, np.object_, len(values))
