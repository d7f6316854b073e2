"""The machine code that makes lists of results, loaded beside the calls once there are many."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.batch.object_layout import layout_of
from batchprep.batch.record_reader import loader_of
from batchprep.dtypes import DType

# Setting up a call takes as long as 200 results of the ordinary way.
WRITE_ROWS: Final = 500
_KERNEL: Final = "batchprep.kernels.cpu.results"

# As the kernel has them: its table NONE, FALSE, TRUE, after which LAYOUT comes.
_OBJECTS: Final = (None, False, True)

Rows = npt.NDArray[np.intp]
Array = npt.NDArray[Any]
# What the kernel reads for each dtype of the graph.
_READ: Final[dict[DType, type[np.generic]]] = {
    "f": np.float64,
    "i": np.int64,
    "b": np.bool_,
    "s": np.int32,
    "k": np.int8,
}


class ResultWriter:
    """`write_results` of kernels/cpu/results.py, whose constants lay out its arguments."""

    def __init__(self, kernel: Any) -> None:
        _check_items(kernel)
        self.layout = kernel
        self._write = kernel.load()
        objects = [*map(id, _OBJECTS), layout_of(kernel.layout)]
        self._objects = np.array(objects, np.int64)

    def write(
        self, steps: Steps, count: int, rows: Rows | None, into: list[Any] | None = None
    ) -> list[Any]:
        """So many results, made by the steps, at the end of `into`; None: in a new list.

        `rows` are the places in the steps' arrays, None: all.
        Errors:  MemoryError as in any list
        """
        layout, table = self.layout, steps.table()
        first, results = 0, [None] * count
        if into is not None:
            first = len(into)
            into += results
            results = into
        scratch = np.empty(layout.SCRATCH_COLUMNS * layout.BLOCK, np.int64)
        slots = np.zeros(steps.columns * layout.BLOCK, np.int64)
        own = None if rows is None else np.ascontiguousarray(rows, np.int64)
        self._write(
            id(results),
            first,
            count,
            0 if own is None else own.ctypes.data,
            table.ctypes.data,
            len(table),
            scratch.ctypes.data,
            slots.ctypes.data,
            steps.columns,
            self._objects.ctypes.data,
        )
        return results


def _check_items(layout: Any) -> None:
    """That lists and tuples have their items where the kernel stores them.

    Errors:  LookupError where they have not
    """
    item = object()
    pair, listed = (item,), [item]
    if _int64_at(id(pair) + layout.TUPLE_ITEMS) != id(item):
        raise LookupError(layout.TUPLE_ITEMS)
    if list.__basicsize__ != layout.LIST_BYTES:
        raise LookupError(layout.LIST_BYTES)
    if _int64_at(_int64_at(id(listed) + layout.LIST_ITEMS)) != id(item):
        raise LookupError(layout.LIST_ITEMS)


def _int64_at(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


class Steps:
    """The table of steps; what their addresses stand for lives as long as it does.

    `columns` counts columns of slots, of which 0 is for the results. A step makes all rows, or
    those whose kind code in `codes` is `code`.
    """

    def __init__(self, layout: Any) -> None:
        self.columns = 1
        self._layout = layout
        self._steps: list[list[int]] = []
        self._kept: list[Any] = []
        self._by_dtype: dict[DType, int] = {"f": layout.FLOAT, "i": layout.INT, "b": layout.BOOL}

    def table(self) -> npt.NDArray[np.int64]:
        """A row for each step, in order."""
        return np.array(self._steps, np.int64)

    def reserve(self, count: int) -> int:
        """The first of so many further columns of slots."""
        first, self.columns = self.columns, self.columns + count
        return first

    def numbers(
        self, slots: int, values: Array, dtype: DType, codes: Array | None, code: int
    ) -> None:
        """Floats, ints or bools."""
        source = self._address(values, dtype)
        self._add(self._by_dtype[dtype], slots, source, codes, code)

    def picked(
        self, slots: int, values: Array, words: list[Any], codes: Array | None, code: int
    ) -> None:
        """The object of a list at each number."""
        source = self._address(values, "s")
        self._add(self._layout.PICKED, slots, source, codes, code, listed=self._id(words))

    def next_of(self, slots: int, found: list[Any], codes: Array | None, code: int) -> None:
        """The objects of a list, one after the other."""
        self._add(self._layout.NEXT, slots, self._id(found), codes, code)

    def one(self, slots: int, value: Any, codes: Array | None, code: int) -> None:
        """The same object for all."""
        self._add(self._layout.ONE, slots, self._id(value), codes, code)

    def tuples(self, slots: int, first: int, count: int, *, atoms: bool) -> None:
        """A tuple of what is in so many columns of slots.

        `atoms` tells that these are numbers, strings, None and tuples of them.
        """
        self._add(self._layout.TUPLE, slots, 0, None, 0, listed=first, count=count)
        self._steps[-1][self._layout.ATOMS] = int(atoms)

    def lists(self, slots: int, first: int, count: int) -> None:
        """A list of what is in so many columns of slots."""
        self._add(self._layout.LIST, slots, 0, None, 0, listed=first, count=count)

    def dicts(self, slots: int, keys: Sequence[Any], first: int, *, atoms: bool) -> None:
        """A dict of what is in a column of slots for each key; `atoms` as of tuples."""
        model, listed = self._id(dict.fromkeys(keys)), self._id(list(keys))
        self._add(
            self._layout.DICT, slots, model, None, 0, listed=first, count=len(keys), keys=listed
        )
        self._steps[-1][self._layout.ATOMS] = int(atoms)

    def _add(
        self,
        op: int,
        slots: int,
        source: int,
        codes: Array | None,
        code: int,
        *,
        listed: int = 0,
        count: int = 0,
        keys: int = 0,
    ) -> None:
        layout = self._layout
        step = [0] * layout.WIDTH
        step[layout.OP], step[layout.SLOTS], step[layout.SOURCE] = op, slots, source
        step[layout.CODES] = 0 if codes is None else self._address(codes, "k")
        step[layout.CODE], step[layout.FROM] = code, listed
        step[layout.COUNT], step[layout.KEYS] = count, keys
        self._steps.append(step)

    def _address(self, values: Array, dtype: DType) -> int:
        held = np.ascontiguousarray(values, _READ[dtype])
        self._kept.append(held)
        return held.ctypes.data

    def _id(self, value: Any) -> int:
        self._kept.append(value)
        return id(value)


_loader: Final = loader_of(_KERNEL, ResultWriter)


def writer_for(rows: int) -> ResultWriter | None:
    """The writer of so many results; None where the ordinary way is to be taken."""
    writer = _loader.loaded
    if writer is None:
        _loader.ask(rows)
        return None
    return writer if rows >= WRITE_ROWS else None


def loaded_writer() -> ResultWriter | None:
    """The writer, waited for: for tests and measurements."""
    return _loader.wait()


def dicts_of(keys: Sequence[str], columns: Sequence[list[Any]], count: int) -> list[dict[str, Any]]:
    """So many new dicts, which have the values of each column in turn by its key."""
    writer = writer_for(count)
    if writer is None:
        return _dicts_by_column(keys, columns, count)
    steps = Steps(writer.layout)
    first = steps.reserve(len(keys))
    for place, column in enumerate(columns):
        steps.next_of(first + place, column, None, 0)
    steps.dicts(0, keys, first, atoms=False)
    return writer.write(steps, count, None)


def _dicts_by_column(
    keys: Sequence[str], columns: Sequence[list[Any]], count: int
) -> list[dict[str, Any]]:
    # Column by column: a third less time than a dict(zip(keys, row)) for each row.
    dicts: list[dict[str, Any]] = [{} for _ in range(count)]
    for key, column in zip(keys, columns, strict=True):
        for record, value in zip(dicts, column, strict=True):
            record[key] = value
    return dicts
