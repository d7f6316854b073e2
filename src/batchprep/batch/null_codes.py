"""Kind codes of a column of values and nulls, unpacked from Arrow's bitmap chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.dtypes import KIND_CODE, Kind

if TYPE_CHECKING:
    import pyarrow as pa

NONE: Final = np.int8(KIND_CODE["none"])


@dataclass(eq=False, slots=True)  # frozen, each would take 1 us more
class NullCodes:
    """Where a bit is set, the code of `kind`, else that of none; a slice of it is an array.

    `packed` is Arrow's own validity bitmap, of which the first `offset` bits belong to others.
    A whole column of codes would be eight times as large and leave the cache before it is read.

    >>> codes = NullCodes(np.array([0b101], np.uint8), 0, 3, "int")
    >>> (codes[0:2] == KIND_CODE["int"]).tolist(), len(codes[:])
    ([True, False], 3)
    """

    packed: npt.NDArray[np.uint8]
    offset: int
    rows: int
    kind: Kind

    @property
    def dtype(self) -> np.dtype[np.int8]:
        """What a slice is made of."""
        return NONE.dtype

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, rows: Any) -> npt.NDArray[np.int8]:
        if not isinstance(rows, slice):
            return self[:][rows]
        start, end, _ = rows.indices(self.rows)
        first, skipped = divmod(self.offset + start, 8)
        count = skipped + end - start
        bits = np.unpackbits(self.packed[first:], count=count, bitorder="little")
        return coded(bits[skipped:].view(np.int8), self.kind)

    def __array__(self, dtype: Any = None, **_: Any) -> npt.NDArray[Any]:
        return np.asarray(self[:], dtype)


def coded(filled: npt.NDArray[np.int8], kind: Kind) -> npt.NDArray[np.int8]:
    """The codes of rows that are of that kind where 1, else None; made in place."""
    filled *= np.int8(KIND_CODE[kind] - NONE)  # a fifth of np.where's time
    filled += NONE
    return filled


def null_codes(array: pa.Array[Any], kind: Kind) -> NullCodes | None:
    """The codes of an array of values as they lie; None where there is no bitmap."""
    bitmap: Any = array.buffers()[0]
    if bitmap is None:
        return None
    return NullCodes(np.frombuffer(bitmap, np.uint8), array.offset, len(array), kind)
