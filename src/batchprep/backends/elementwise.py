"""Ops evaluated by their meaning, element by element, where no library computes them exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, Final

import numpy as np

from batchprep.backends.kernel import NUMPY_DTYPE, Array

_SAMPLE: Final = 256
_FEW: Final = 32  # distinct values in the sample from which sorting all (about 80 ns a row) pays


def evaluate(meaning: Callable[..., Any], dtype: str, *args: Any) -> Array:
    """The meaning of each row's arguments as an array of that dtype; a scalar from scalars."""
    arrays = [arg for arg in args if np.ndim(arg)]
    if not arrays:
        return _evaluate_all(meaning, dtype, args, 1)[0]
    if len(arrays) == 1 and _is_repetitive(arrays[0]):
        return _evaluate_distinct(meaning, dtype, args, arrays[0])
    return _evaluate_all(meaning, dtype, args, len(arrays[0]))


def _evaluate_all(meaning: Callable[..., Any], dtype: str, args: Iterable[Any], rows: int) -> Array:
    columns = [arg.tolist() if np.ndim(arg) else repeat(arg.item(), rows) for arg in args]
    return np.fromiter(map(meaning, *columns), NUMPY_DTYPE[dtype], rows)


def _evaluate_distinct(
    meaning: Callable[..., Any], dtype: str, args: Iterable[Any], array: Array
) -> Array:
    # As bits, since 0.0 == -0.0 and nan != nan.
    bits, place = np.unique(array.view(np.int64), return_inverse=True)
    values = bits.view(array.dtype)
    distinct = [values if arg is array else arg for arg in args]
    return _evaluate_all(meaning, dtype, distinct, len(values))[place]


def _is_repetitive(array: Array) -> bool:
    if len(array) < 4 * _SAMPLE or array.itemsize != 8:
        return False
    return len(np.unique(array[:: len(array) // _SAMPLE])) <= _FEW
