"""Distinct rows of a few arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from batchprep.backends.kernel import Array

Places = npt.NDArray[np.intp]
Keys = npt.NDArray[np.int64]

MOST_KEYS = 2**62  # a product of sizes that int64 holds
SPARSE = 4  # keys a row, above which hashing them takes less than a table of all keys


def distinct_rows(arrays: Sequence[Array]) -> tuple[Places, Places]:
    """A row of each distinct kind, and for every row which of those it equals.

    Floats are equal where their bits are. The arrays have one length, of at least 1.

    >>> first, places = distinct_rows([np.array([7, 9, 7]), np.array([0.5, 0.5, 0.5])])
    >>> first.tolist(), places.tolist()
    ([2, 1], [0, 1, 0])
    """
    keys, size = np.zeros(len(arrays[0]), np.int64), 1
    for values in arrays:
        own, count = _keys(values)
        if size * count > MOST_KEYS:
            keys, size = _encoded(keys)
            own, count = _encoded(own)
        keys, size = keys * count + own, size * count
    if size > SPARSE * len(keys):
        keys, size = _encoded(keys)
    return _places(keys, size)


def _keys(values: Array) -> tuple[Keys, int]:
    """Ints from 0 that tell the values apart, and how many there may be."""
    whole = values.view(np.int64) if values.dtype == np.float64 else values.astype(np.int64)
    low, high = int(whole.min()), int(whole.max())
    if high - low >= MOST_KEYS:
        return _encoded(whole)
    return whole - low, high - low + 1


def _encoded(keys: Keys) -> tuple[Keys, int]:
    encoded = pa.array(keys).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def _places(keys: Keys, size: int) -> tuple[Places, Places]:
    first = np.full(size, -1, np.intp)
    first[keys] = np.arange(len(keys))
    held = first >= 0
    number = np.cumsum(held) - 1
    return first[held], number[keys]
