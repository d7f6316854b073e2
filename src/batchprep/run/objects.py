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

from batchprep.batch.access import read_field, types_of_records
from batchprep.batch.batch import Batch
from batchprep.batch.kinds import ABSENT
from batchprep.batch.record_rows import RecordRows

Numbers = npt.NDArray[np.int32]

# Types whose values nobody can change: rows may share them.
ATOMS: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, dt.date, dt.datetime, dt.time,
    dt.timedelta, dt.timezone, Decimal, Fraction,
})  # fmt: skip


class ObjectPool:
    """The pool of one batch. Number 0 is None; objects that are added get the next numbers.

    What one call gave for several rows is `shared`: each row gets a copy, as its own call would
    have made a new object.
    """

    def __init__(self) -> None:
        self._objects: list[Any] = [None]
        self._shared: list[tuple[int, int]] = []
        self._copies: dict[tuple[int, int], Any] = {}  # by number and row
        self._lock = threading.Lock()

    def field(self, batch: Batch, name: str | None) -> Numbers:
        """Numbers of a field's values, ABSENT where a record lacks it; None: the records."""
        return self.add(_field_values(batch, name))

    def add(self, objects: Sequence[Any], *, shared: bool = False) -> Numbers:
        """Numbers of further objects, in order."""
        with self._lock:  # chunks run on several threads
            first = len(self._objects)
            self._objects.extend(objects)
            if shared:
                self._shared.append((first, len(self._objects)))
        return np.arange(first, first + len(objects), dtype=np.int32)

    def listed(self, numbers: Numbers) -> list[Any]:
        """The objects as they are, for functions that only read them."""
        return list(map(self._objects.__getitem__, numbers.tolist()))

    def results(self, numbers: Numbers, rows: npt.NDArray[np.intp] | None) -> list[Any]:
        """The objects as results of these rows: copies of those that rows would share.

        At two places of one result stands one object, as it would in the loop.
        """
        found = self.listed(numbers)
        for first, end in self._shared:
            for place in np.flatnonzero((numbers >= first) & (numbers < end)).tolist():
                if type(found[place]) not in ATOMS:
                    key = int(numbers[place]), place if rows is None else int(rows[place])
                    if key not in self._copies:
                        self._copies[key] = _own(found[place])
                    found[place] = self._copies[key]
        return found


def _own(value: Any) -> Any:
    """A copy of what could be changed."""
    if type(value) in {list, set, dict}:
        items = value.values() if type(value) is dict else value
        if all(type(item) in ATOMS for item in items):
            return value.copy()
    return copy.deepcopy(value)


def _field_values(batch: Batch, name: str | None) -> Sequence[Any]:
    if name is None:
        return batch.records(None)
    if isinstance(batch.rows, RecordRows):
        records = batch.records(None)
        return read_field(records, name, batch.form, types_of_records(records))
    known = name in batch.names()
    return batch.values(name) if known else [ABSENT] * len(batch)
