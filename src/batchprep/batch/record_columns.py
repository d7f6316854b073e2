"""Columns of a list of dicts: every field in one pass of machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from batchprep.batch.column import (
    EMPTY_BUFFER,
    Buffer,
    Codes,
    Column,
    Mask,
    Payloads,
    build_column,
    either,
    outside,
)
from batchprep.batch.encode import encode_kind, scattered
from batchprep.batch.fresh_arrays import empty_array
from batchprep.batch.record_reader import RecordReader
from batchprep.dtypes import KIND_CODE, SCALAR_DTYPE, Kind
from batchprep.schema import Field

if TYPE_CHECKING:
    import pyarrow as pa

_TIMES: Final[frozenset[Kind]] = frozenset({"datetime", "date", "timedelta"})
# Buffers that are written in all rows of their kind, and cleared elsewhere where there are others.
_ARRAY: Final[dict[Kind, Callable[..., Buffer]]] = {"float": empty_array, "int": empty_array}
_TOLD_BY_TYPE: Final[frozenset[Kind]] = frozenset(
    {"absent", "none", "bool", "int", "float", "str", "date", "list", "tuple", "struct"}
)


def columns_of_dicts(
    records: list[Any],
    part: range,
    fields: Iterable[Field],
    reader: RecordReader,
    threads: int = 1,
) -> dict[str, Column] | None:
    """The columns that encode() gives of a part of a list, by name; None where it has to.

    It has to where a record is not a plain dict, and where comparing a key raises. Other threads
    may help to read; nothing changes meanwhile, since this one keeps the GIL.
    """
    targets = [_Target(field, len(part), reader) for field in fields]
    table = np.array([target.addresses() for target in targets], np.int64)
    if not reader.read(records, part, table, threads):
        return None
    seen = table[:, reader.layout.SEEN].tolist()
    return {
        target.field.name: target.column(bits) for target, bits in zip(targets, seen, strict=True)
    }


def kinds_of_dicts(
    records: list[Any], part: range, name: str, reader: RecordReader
) -> frozenset[Kind] | None:
    """The kinds of a field of a part of a list; None where its values have to be looked at.

    They have to where a record is not a plain dict, and where the kind of a value depends on more
    than its type: ints beyond int64, and times.
    """
    layout = reader.layout
    codes = np.empty(len(part), np.int8)
    table = np.zeros((1, layout.WIDTH), np.int64)
    table[0, layout.NAME], table[0, layout.CODES] = _name(name), _address(codes)
    if not reader.read(records, part, table):
        return None
    kinds = frozenset(reader.kinds_seen(int(table[0, layout.SEEN])))
    return kinds if kinds <= _TOLD_BY_TYPE else None


class _Target:
    """Where the values of one field go."""

    def __init__(self, field: Field, length: int, reader: RecordReader) -> None:
        self.field = field
        self._length = length
        self._reader = reader
        self._codes: Codes = empty_array(length, np.int8)
        self._buffers: dict[Kind, Buffer] = {
            kind: _ARRAY.get(kind, np.zeros)(length, EMPTY_BUFFER[kind])
            for kind in sorted(field.kinds & SCALAR_DTYPE.keys())
        }
        self._huge: Mask | None = np.zeros(length, np.bool_) if "int" in field.kinds else None
        self._words: list[str] = []
        self._cache = _zeros(reader.cache_shape) if "str" in field.kinds else None
        self._texts = _zeros(reader.texts_shape) if "str" in field.kinds else None
        has_strings = "str" in field.kinds and reader.reads_plain
        self._strings_read = empty_array(length, np.int64) if has_strings else None
        self._times: dict[Kind, list[Any]] = {kind: [] for kind in field.kinds & _TIMES}

    def addresses(self) -> list[int]:
        """The field's row of the reader's table."""
        layout, row = self._reader.layout, [0] * self._reader.layout.WIDTH
        row[layout.NAME] = _name(self.field.name)
        row[layout.CODES] = _address(self._codes)
        row[layout.FLOATS] = _address(self._buffers.get("float"))
        row[layout.INTS] = _address(self._buffers.get("int"))
        row[layout.HUGE] = _address(self._huge)
        row[layout.BOOLS] = _address(self._buffers.get("bool"))
        row[layout.PLACES] = _address(self._buffers.get("str"))
        row[layout.WORDS] = 0 if self._cache is None else id(self._words)
        row[layout.CACHE] = _address(self._cache)
        row[layout.TEXTS] = _address(self._texts)
        row[layout.STRINGS] = _address(self._strings_read)
        row[layout.MOMENTS] = _address(self._buffers.get("datetime"))
        row[layout.DAYS] = _address(self._buffers.get("date"))
        places = {"datetime": layout.SPANS, "date": layout.DATES, "timedelta": layout.TIMEDELTAS}
        for kind, times in self._times.items():
            row[places[kind]] = id(times)
        return row

    def column(self, seen: int) -> Column:
        """The column of what has been read."""
        kinds = self._reader.kinds_seen(seen)
        self._clear_others(kinds)
        words, strange = self._strings()
        misfits = [strange, self._misfit_ints(has_huge=bool(seen & self._reader.layout.HUGE_SEEN))]
        for kind, times in self._times.items():
            if times:
                misfits.append(self._ticks(kind, times))
        return build_column(
            self.field,
            kinds[0] if len(kinds) == 1 else self._codes,
            Payloads(self._buffers, either(misfits), words),
            self._length,
        )

    def _clear_others(self, kinds: list[Kind]) -> None:
        """Put 0 where nothing was written: in rows of other kinds, and of ints beyond int64."""
        for kind in _ARRAY.keys() & self._buffers.keys():
            if kinds != [kind]:
                np.copyto(self._buffers[kind], 0, where=self._codes != KIND_CODE[kind])
        if self._huge is not None and self._huge.any():
            np.copyto(self._buffers["int"], 0, where=self._huge)

    def _rows(self, kind: Kind) -> Mask:
        return self._codes == KIND_CODE[kind]

    def _misfit_ints(self, *, has_huge: bool) -> Mask | None:
        ints = self._buffers.get("int")
        if ints is None:
            return None
        beyond = outside(ints, self.field)
        if beyond is not None:
            beyond &= self._rows("int")
        return either((self._huge if has_huge else None, beyond))

    def _strings(self) -> tuple[pa.Array[Any] | None, Mask | None]:
        """The distinct words, and the rows whose string UTF-8 cannot carry."""
        if not self._words:
            return None, None
        part = encode_kind("str", self._words, self.field)
        places, codes = self._buffers["str"], part.buffers["str"]
        misfit = None if part.misfit is None else part.misfit[places] & self._rows("str")
        if part.words is not None and len(part.words) < len(self._words):  # some were met again
            self._buffers["str"] = codes[places]
        return part.words, misfit

    def _ticks(self, kind: Kind, times: list[Any]) -> Mask | None:
        """Fill the buffer of times that were met; datetimes are spans since the epoch by now."""
        spelled: Kind = "timedelta" if kind == "datetime" else kind
        part = encode_kind(spelled, times, self.field)
        if len(times) == self._length:
            self._buffers[kind] = part.buffers[spelled]
            return part.misfit
        rows = np.flatnonzero(self._rows(kind))
        self._buffers[kind][rows] = part.buffers[spelled]
        return scattered(part.misfit, rows, self._length)


def _name(name: str) -> int:
    """The address of a field's name, whose hash is in it from now on: keys are told by theirs."""
    hash(name)
    return id(name)


def _zeros(shape: tuple[int, int]) -> Buffer:
    return np.zeros(shape, np.int64)


def _address(array: Buffer | None) -> int:
    return 0 if array is None else array.ctypes.data
