"""A column: kinds, and one buffer for each kind that has a payload of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from batchprep.batch.null_codes import NullCodes
from batchprep.dtypes import INT64_MAX, INT64_MIN, KIND_CODE, SCALAR_DTYPE, Kind
from batchprep.schema import Field

Buffer = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]

EMPTY_BUFFER: Final[dict[Kind, np.dtype[Any]]] = {
    "bool": np.dtype(np.bool_),
    "int": np.dtype(np.int64),
    "float": np.dtype(np.float64),
    "str": np.dtype(np.int32),
    "date": np.dtype(np.int64),
    "datetime": np.dtype(np.int64),
    "timedelta": np.dtype(np.int64),
}


@dataclass(eq=False, slots=True)  # frozen, each would take 1 us more
class Column:
    """A field of a batch, as a kernel reads it.

    kind       kind code of each row, perhaps unpacked slice by slice; None where all rows have
               the field's one kind
    buffers    one array per kind with a scalar payload (bool, int, float, str as codes, date,
               datetime and timedelta as ints); under rows of another kind any value, for str
               the code 0
    irregular  rows whose value does not fit the field: the interpreter answers them
    words      the strings that the codes stand for, at least one
    """

    field: Field
    kind: Codes | NullCodes | None
    buffers: dict[Kind, Buffer]
    irregular: Mask | None
    words: pa.Array[Any] | None

    def __len__(self) -> int:
        sized = [self.kind, self.irregular, *self.buffers.values()]
        return next((len(part) for part in sized if part is not None), 0)


class Payloads(NamedTuple):
    """Buffers of the kinds found, and the rows whose payload does not fit its buffer."""

    buffers: dict[Kind, Buffer]
    misfit: Mask | None = None
    words: pa.Array[Any] | None = None


def build_column(
    field: Field, found: Kind | Codes | NullCodes, payloads: Payloads, length: int
) -> Column:
    """Column of exactly the field's kinds; rows of other kinds become irregular."""
    irregular = _irregular_rows(field, found, payloads.misfit, length)
    alone = len(field.kinds) == 1 and irregular is None
    return Column(
        field=field,
        kind=None if alone else _codes(found, irregular, length),
        buffers=_complete(payloads.buffers, field.kinds, length),
        irregular=irregular,
        words=_words(field, payloads.words),
    )


def outside(ints: Buffer, field: Field) -> Mask | None:
    """Ints beyond the bounds that the field promises; None where the dtype proves that none is."""
    least, most = _bounds(ints.dtype)
    if field.low <= least and most <= field.high:
        return None
    rows = np.zeros(len(ints), np.bool_)
    if field.low > least:
        rows |= ints < max(field.low, INT64_MIN)
    if field.high < most:
        rows |= ints > min(field.high, INT64_MAX)
    return rows


@cache
def _bounds(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def either(masks: Iterable[Mask | None]) -> Mask | None:
    """Rows that any of the masks has; None where there are none."""
    union: Mask | None = None
    for mask in masks:
        if mask is not None and mask.any():
            union = mask if union is None else union | mask
    return union


def _irregular_rows(
    field: Field, found: Kind | Codes | NullCodes, misfit: Mask | None, length: int
) -> Mask | None:
    if isinstance(found, str):
        stranger = None if found in field.kinds else np.ones(length, np.bool_)
    elif isinstance(found, NullCodes) and {found.kind, "none"} <= field.kinds:
        stranger = None
    else:
        accepted = np.zeros(128, np.bool_)
        accepted[[KIND_CODE[kind] for kind in field.kinds]] = True
        stranger = ~accepted[found[:]]
    return either((stranger, misfit))


def _codes(
    found: Kind | Codes | NullCodes, irregular: Mask | None, length: int
) -> Codes | NullCodes:
    codes = np.full(length, KIND_CODE[found], np.int8) if isinstance(found, str) else found
    if irregular is None:
        return codes
    return np.where(irregular, np.int8(KIND_CODE["other"]), codes[:])


def _complete(
    buffers: dict[Kind, Buffer], kinds: frozenset[Kind], length: int
) -> dict[Kind, Buffer]:
    complete: dict[Kind, Buffer] = {}
    for kind in sorted(kinds & SCALAR_DTYPE.keys()):
        found = buffers.get(kind)
        complete[kind] = np.zeros(length, EMPTY_BUFFER[kind]) if found is None else found
    return complete


def _words(field: Field, words: pa.Array[Any] | None) -> pa.Array[Any] | None:
    if "str" not in field.kinds:
        return None
    return pa.array([""], pa.string()) if words is None or len(words) == 0 else words
