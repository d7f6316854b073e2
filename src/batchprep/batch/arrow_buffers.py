"""Views of Arrow's buffers as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch.column import Mask

compute: Any = pc  # its type stubs lack run_end_decode


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
