"""Python objects of a batch by number: values of records, and what pure functions gave."""

from __future__ import annotations

import copy
import datetime as dt
import threading
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch
from batchprep.batch.given_rows import GivenRows
from batchprep.batch.kinds import ABSENT
from batchprep.batch.record_rows import RecordRows
from batchprep.plan.plain import SIMPLE, is_plain

Numbers = npt.NDArray[np.int32]

# Types whose values nobody can change: rows may share them.
ATOMS: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, dt.date, dt.datetime, dt.time,
    dt.timedelta, dt.timezone, Decimal, Fraction,
})  # fmt: skip


class Foreign:
    """Stands for an object that no piece may touch; it is of no plain type."""

    __slots__ = ()


FOREIGN: Final = Foreign()


class ObjectPool:
    """The pool of one batch. Number 0 is None; objects that are added get the next numbers."""

    def __init__(self) -> None:
        self._objects: list[Any] = [None]
        self._foreign: set[int] = set()
        self._lock = threading.Lock()

    def field(self, batch: Batch, name: str | None) -> Numbers:
        """Numbers of a field's values, ABSENT where a record lacks it; None: the records."""
        values = _field_values(batch, name)
        numbers = self.add(values)
        if not isinstance(batch.rows, ArrowRows) and not SIMPLE.issuperset(map(type, values)):
            rows = (row for row, value in enumerate(values) if not is_plain(value))
            self._foreign.update(int(numbers[row]) for row in rows)
        return numbers

    def add(self, objects: Sequence[Any]) -> Numbers:
        """Numbers of further objects, in order."""
        with self._lock:  # chunks run on several threads
            first = len(self._objects)
            self._objects.extend(objects)
        return np.arange(first, first + len(objects), dtype=np.int32)

    def listed(self, numbers: Numbers) -> list[Any]:
        """The objects as they are, for functions that only read them.

        FOREIGN stands for one that holds objects of the user's classes: they may do anything.
        """
        wanted = numbers.tolist()
        if not self._foreign:
            return list(map(self._objects.__getitem__, wanted))
        return [FOREIGN if n in self._foreign else self._objects[n] for n in wanted]

    def results(self, numbers: Numbers) -> list[Any]:
        """The objects as results of their rows."""
        return list(map(self._objects.__getitem__, numbers.tolist()))


def spread(values: Sequence[Any], places: npt.NDArray[np.intp]) -> list[Any] | None:
    """What each row is given of results that several rows have: what may change is copied.

    None where copies would not do. The order of a set tells how it was made, and a copy is made in
    another way; so is what lists hold.
    """
    wanted = places.tolist()
    if ATOMS.issuperset(map(type, values)):
        return list(map(values.__getitem__, wanted))
    if not all(map(_is_flat, values)):
        return None
    return [copy.copy(values[place]) for place in wanted]


def _is_flat(value: Any) -> bool:
    if type(value) in {list, tuple}:
        return ATOMS.issuperset(map(type, value))
    if type(value) is dict:
        return ATOMS.issuperset(map(type, value.values()))
    return type(value) in ATOMS


def _field_values(batch: Batch, name: str | None) -> Sequence[Any]:
    if name is None:
        return batch.records(None)
    rows = batch.rows
    if isinstance(rows, GivenRows):
        if name in rows.columns:
            return rows.columns[name]
        rows = rows.inner
    if isinstance(rows, RecordRows):
        return rows.read(name)
    known = name in batch.names()
    return batch.values(name) if known else [ABSENT] * len(batch)
