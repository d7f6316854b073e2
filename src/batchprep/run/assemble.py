"""Columns of a stage to Python results, each row with its own kinds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from batchprep.backends.kernel import Array
from batchprep.batch.batch import Batch
from batchprep.batch.copies import record_copy
from batchprep.batch.result_writer import ResultWriter, Steps, writer_for
from batchprep.batch.times import time_of, times_of
from batchprep.dtypes import EMPTY, KIND_CODE, NUMERIC, TIME_BOUNDS, Kind
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.stage import Output, Part, Parts
from batchprep.run.execute import Columns
from batchprep.run.shapes import dict_rows, fresh_dict, list_rows, tuple_rows

Rows = npt.NDArray[np.intp]
Build = Callable[[Parts, "Rows | None"], Sequence[Any]]


class Assembler:
    """Python results of a batch from its columns. `rows` is None where all rows are meant."""

    def __init__(self, columns: Columns, batch: Batch) -> None:
        self._columns = columns
        self._batch = batch

    def results(self, rows: Rows | None, into: list[Any] | None = None) -> list[Any]:
        """The results of these rows, in order: a list of the caller's own.

        Where it takes less time they are put at the end of `into`, which is then the list.
        """
        template = self._columns.stage.template
        writer = writer_for(self._count(rows)) if _is_made(template) else None
        if writer is not None:
            return self._written(template, rows, writer, into)
        values = self._values(template, rows)
        return values if type(values) is list else list(values)

    def _values(self, output: Output, rows: Rows | None) -> Sequence[Any]:
        if output.field is not None:
            return self._batch.values(output.field, rows)
        if _is_made(output):
            writer = writer_for(self._count(rows))
            if writer is not None:
                return self._written(output, rows, writer)
        if len(output.kinds) == 1:
            return self.of_kind(output, output.kinds[0], rows)
        codes = self._take(output.code, rows)
        return self._mixed(output, codes, rows).tolist()

    def _mixed(self, output: Output, codes: Array, rows: Rows | None) -> npt.NDArray[np.object_]:
        """An array of Python objects: NumPy makes them from each buffer in one pass."""
        values = np.full(len(codes), None, np.object_)
        places = np.arange(self._columns.length) if rows is None else rows
        for kind in output.kinds:
            if kind in EMPTY:
                continue
            chosen = codes == KIND_CODE[kind]
            values[chosen] = self._objects(output, kind, places[chosen])
        return values

    def _objects(self, output: Output, kind: Kind, rows: Rows) -> npt.NDArray[np.object_]:
        payload = dict(output.payloads).get(kind)
        if payload is not None and payload.op != "const" and kind in NUMERIC:
            return self._take(payload, rows).astype(np.object_)
        return np.fromiter(self.of_kind(output, kind, rows), np.object_, len(rows))

    def of_kind(self, output: Output, kind: Kind, rows: Rows | None) -> Sequence[Any]:
        """Values of rows that all have that kind."""
        if kind in EMPTY:
            return [None] * self._count(rows)
        payload = dict(output.payloads).get(kind)
        if payload is not None:
            return self._scalars(kind, payload, rows)
        return _BUILDERS[kind](self, dict(output.parts)[kind], rows)

    def _scalars(self, kind: Kind, node: Node, rows: Rows | None) -> Sequence[Any]:
        if node.op == "const":
            return [_constant(kind, node)] * self._count(rows)
        values = self._take(node, rows)
        if kind in TIME_BOUNDS:
            return times_of(kind, values)
        if node.dtype == "s":
            return self._columns.pool.take(values)
        if node.dtype == "o":
            return self._columns.pool.held.results(values)
        return self._of_fields(values, rows) if node.dtype == "r" else values.tolist()

    def _of_fields(self, numbers: Array, rows: Rows | None) -> Sequence[Any]:
        """The fields' own values: `numbers` tells which field a row takes its value from."""
        names = self._columns.stage.refs
        places = np.arange(self._columns.length) if rows is None else rows
        used = np.unique(numbers).tolist()
        if len(used) == 1:
            return self._batch.values(names[used[0]], places)
        values = np.empty(len(numbers), np.object_)
        for number in used:
            chosen = np.flatnonzero(numbers == number)
            found = self._batch.values(names[number], places[chosen])
            values[chosen] = np.fromiter(found, np.object_, len(chosen))
        return values.tolist()

    # ------------------------------------------------------------------------- by machine code

    def _written(
        self,
        output: Output,
        rows: Rows | None,
        writer: ResultWriter,
        into: list[Any] | None = None,
    ) -> list[Any]:
        steps = Steps(writer.layout)
        self._add_steps(steps, 0, output, rows)
        return writer.write(steps, self._count(rows), rows, into)

    def _add_steps(self, steps: Steps, slots: int, output: Output, rows: Rows | None) -> None:
        """The steps that fill a column of slots."""
        if output.field is not None:
            steps.next_of(slots, list(self._batch.values(output.field, rows)), None, 0)
        elif len(output.kinds) == 1:
            self._add_kind(steps, slots, output, output.kinds[0], rows, None)
        else:
            codes = self._columns.array(output.code)
            for kind in output.kinds:
                self._add_kind(steps, slots, output, kind, rows, codes)

    def _add_kind(
        self,
        steps: Steps,
        slots: int,
        output: Output,
        kind: Kind,
        rows: Rows | None,
        codes: Array | None,
    ) -> None:
        """The step for rows of one kind; codes: where others have other kinds."""
        code, payload, parts = KIND_CODE[kind], *_held(output, kind)
        if kind in EMPTY:
            return  # the writer puts None where no step has made anything
        if payload is not None and payload.op == "const":
            steps.one(slots, _constant(kind, payload), codes, code)
        elif payload is not None and payload.dtype == "s" and (words := self._words(rows)):
            steps.picked(slots, self._columns.array(payload), words, codes, code)
        elif payload is not None and payload.dtype in _NUMBERS and kind in NUMERIC:
            steps.numbers(slots, self._columns.array(payload), payload.dtype, codes, code)
        elif parts is not None and codes is None and _is_plain(parts, kind):
            first = steps.reserve(len(parts.parts))
            for place, part in enumerate(parts.parts):
                self._add_steps(steps, first + place, part.output, rows)
            if kind == "struct":
                keys = [part.key for part in parts.parts]
                steps.dicts(slots, keys, first, atoms=_is_of_atoms(parts))
            elif kind == "list":
                steps.lists(slots, first, len(parts.parts))
            else:
                steps.tuples(slots, first, len(parts.parts), atoms=_is_of_atoms(parts))
        elif codes is None:
            steps.next_of(slots, list(self.of_kind(output, kind, rows)), None, code)
        else:
            alone = dataclasses.replace(output, kinds=(kind,))
            own = self._values(alone, self._rows_of(codes, code, rows))
            steps.next_of(slots, list(own), codes, code)

    def _words(self, rows: Rows | None) -> list[str] | None:
        """Strings by code, where there are not too many for so few results."""
        pool = self._columns.pool
        return pool.strings() if pool.are_few(self._count(rows)) else None

    def _rows_of(self, codes: Array, code: int, rows: Rows | None) -> Rows:
        if rows is None:
            return np.flatnonzero(codes == code)
        return rows[codes[rows] == code]

    # ------------------------------------------------------------------ dicts, tuples and lists

    def dicts(self, parts: Parts, rows: Rows | None) -> Sequence[Any]:
        """Dicts, or the caller's own records where nothing was written to them."""
        if parts.base is FALSE and _complete(parts.parts):
            keys = tuple(part.key for part in parts.parts)
            return dict_rows(keys, self._slots(parts.parts, rows), self._count(rows))
        values, written = self._started(parts, rows)
        for part in parts.parts:
            chosen = self._chosen(part.guard, rows)
            places = chosen if rows is None else rows[chosen]
            whole = len(places) == self._columns.length
            found = self._values(part.output, None if whole else places)
            for row, value in zip(chosen.tolist(), found, strict=True):
                if not written[row]:
                    values[row], written[row] = record_copy(values[row]), True
                values[row][part.key] = value
        return values

    def _started(self, parts: Parts, rows: Rows | None) -> tuple[list[Any], list[bool]]:
        """What each row's dict starts as, and whether it may be written to."""
        count = self._count(rows)
        if parts.base is FALSE:
            return [{} for _ in range(count)], [True] * count
        based, fresh = self._take(parts.base, rows).tolist(), self._take(parts.fresh, rows).tolist()
        records = iter(self._batch.records(self._base_rows(parts.base, rows)))
        values = [next(records) if base else {} for base in based]
        own = [new or not base for new, base in zip(fresh, based, strict=True)]
        if parts.fresh is not FALSE:
            values = [fresh_dict(v) if new else v for v, new in zip(values, fresh, strict=True)]
        return values, own

    def _base_rows(self, base: Node, rows: Rows | None) -> Rows | None:
        if base is TRUE:
            return rows
        chosen = self._chosen(base, rows)
        return chosen if rows is None else rows[chosen]

    def tuples(self, parts: Parts, rows: Rows | None) -> Sequence[Any]:
        """Tuples; elements that only some rows have are left out elsewhere."""
        if _complete(parts.parts):
            return tuple_rows(self._slots(parts.parts, rows), self._count(rows))
        return list(map(tuple, self._ragged(parts.parts, rows)))

    def lists(self, parts: Parts, rows: Rows | None) -> Sequence[Any]:
        """Lists; elements that only some rows have are left out elsewhere."""
        if _complete(parts.parts):
            return list_rows(self._slots(parts.parts, rows), self._count(rows))
        return self._ragged(parts.parts, rows)

    def _ragged(self, parts: tuple[Part, ...], rows: Rows | None) -> list[list[Any]]:
        by_place = Parts(parts, FALSE, FALSE)
        found = self.dicts(by_place, rows)
        return [[slots[place] for place in sorted(slots)] for slots in found]

    def _slots(self, parts: tuple[Part, ...], rows: Rows | None) -> list[Sequence[Any]]:
        return [self._values(part.output, rows) for part in parts]

    # --------------------------------------------------------------------------------- selection

    def _take(self, node: Node, rows: Rows | None) -> Array:
        values = self._columns.array(node)
        return values if rows is None else values[rows]

    def _chosen(self, guard: Node, rows: Rows | None) -> Rows:
        """Positions among the rows where a guard holds."""
        return np.flatnonzero(self._take(guard, rows))

    def _count(self, rows: Rows | None) -> int:
        return self._columns.length if rows is None else len(rows)


def _complete(parts: tuple[Part, ...]) -> bool:
    return all(part.guard is TRUE for part in parts)


def _constant(kind: Kind, node: Node) -> Any:
    return time_of(kind, cast("int", node.attr)) if kind in TIME_BOUNDS else node.attr


def _held(output: Output, kind: Kind) -> tuple[Node | None, Parts | None]:
    """The payload or the parts of a kind."""
    return dict(output.payloads).get(kind), dict(output.parts).get(kind)


def _is_plain(parts: Parts, kind: Kind) -> bool:
    """Whether all rows have all the parts, in an object of their own."""
    return _complete(parts.parts) and (kind != "struct" or parts.base is FALSE)


def _is_of_atoms(parts: Parts) -> bool:
    """Whether no part is, or may become, something that the garbage collector looks into."""
    outputs = [part.output for part in parts.parts]
    inner = [inner for output in outputs for _, inner in output.parts]
    return all(o.field is None and _ATOMS.issuperset(o.kinds) for o in outputs) and all(
        map(_is_of_atoms, inner)
    )


def _is_made(output: Output) -> bool:
    """Whether machine code makes the objects, rather than NumPy or nobody."""
    first, *others = output.kinds
    if others:
        return True
    payload, parts = _held(output, first)
    if parts is not None:
        return _is_plain(parts, first)
    # A column of numbers takes NumPy 7 ns a row, and the machine code 10.
    return payload is not None and payload.op != "const" and payload.dtype == "s"


_ATOMS: Final = frozenset[Kind]({*EMPTY, *NUMERIC, "str", "tuple"})
_NUMBERS: Final = frozenset({"f", "i", "b"})

_BUILDERS: Final[dict[Kind, Callable[[Assembler, Parts, Rows | None], Sequence[Any]]]] = {
    "struct": Assembler.dicts,
    "tuple": Assembler.tuples,
    "list": Assembler.lists,
}
