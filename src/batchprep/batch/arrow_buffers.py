"""Views of Arrow's buffers as NumPy arrays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch.column import Mask

compute: Any = pc  # its type stubs lack run_end_decode


# PyArrow makes an array of Python objects only after it has imported pandas, where that is there:
# 0.2 s. Other ways take 50 ns more a row, which is less until there have been so many rows.
SPARED_ROWS: Final = 1_000_000


_SPARED: Final[dict[pa.DataType, type[np.generic] | None]] = {
    pa.float64(): np.float64,
    pa.int64(): np.int64,
    pa.string(): None,
    pa.large_string(): None,
}


class _Pandas:
    """Whether PyArrow would import pandas for rows that can do without."""

    def __init__(self) -> None:
        self._rows = 0

    def is_spared(self, rows: int) -> bool:
        if "pandas" in sys.modules or self._rows > SPARED_ROWS or not self._is_there:
            return False
        self._rows += rows
        return self._rows <= SPARED_ROWS

    @cached_property
    def _is_there(self) -> bool:
        return find_spec("pandas") is not None


spares_pandas: Final = _Pandas().is_spared


def array_of_texts(texts: list[str]) -> pa.Array[Any]:
    """The texts as a large_string array.

    Errors:  UnicodeEncodeError for a lone surrogate
    """
    if not spares_pandas(len(texts)):
        return pa.array(texts, pa.large_string())
    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(texts)), out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def spared_array(values: Sequence[Any], dtype: pa.DataType) -> pa.Array[Any] | None:
    """Floats, ints or texts and None as an array of that type; None where PyArrow is to make it.

    Errors:  OverflowError for an int beyond 64 bits, UnicodeEncodeError for a lone surrogate
    """
    if type(dtype) is not pa.DataType or dtype not in _SPARED or not spares_pandas(len(values)):
        return None
    valid = np.fromiter((value is not None for value in values), np.bool_, len(values))
    bits = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little").tobytes())
    number = _SPARED[dtype]
    if number is None:
        texts = array_of_texts(["" if value is None else value for value in values])
        buffers = [bits, *texts.buffers()[1:]]
        return pa.Array.from_buffers(pa.large_string(), len(values), buffers).cast(dtype)
    numbers = np.fromiter((0 if v is None else v for v in values), number, len(values))
    return pa.Array.from_buffers(dtype, len(values), [bits, pa.py_buffer(numbers.tobytes())])


def data_view(array: pa.Array[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values of a fixed-width array, zero-copy; under nulls anything."""
    buffer: Any = array.buffers()[1]
    length = len(array)
    if buffer is None or length == 0:
        return np.zeros(length, dtype)
    return np.frombuffer(buffer, dtype, length, array.offset * np.dtype(dtype).itemsize)


def valid_rows(array: pa.Array[Any]) -> Mask | None:
    """Rows that are not null; None where all are valid."""
    if array.null_count == 0:
        return None
    bitmap: Any = array.buffers()[0]
    if bitmap is None:  # a null array
        return np.zeros(len(array), np.bool_)
    first, skipped = divmod(array.offset, 8)
    packed = np.frombuffer(bitmap, np.uint8)[first:]
    count = skipped + len(array)
    return np.unpackbits(packed, count=count, bitorder="little")[skipped:].view(np.bool_)


def decoded(array: pa.Array[Any]) -> pa.Array[Any]:
    """The same values without dictionary or run-end encoding."""
    plain: Any = array
    while isinstance(plain, (pa.DictionaryArray, pa.RunEndEncodedArray)):
        is_dictionary = isinstance(plain, pa.DictionaryArray)
        plain = _dictionary_values(plain) if is_dictionary else compute.run_end_decode(plain)
    return plain


def _dictionary_values(array: Any) -> pa.Array[Any]:
    words = array.dictionary
    if pa.types.is_string_view(words.type):  # which Arrow cannot take from
        words = words.cast(pa.large_string())
    return words.take(array.indices)
