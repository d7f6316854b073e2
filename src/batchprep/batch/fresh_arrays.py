"""Memory for columns: of Arrow's pool, where there is much of it."""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

# Smaller arrays come from malloc, which is faster there.
POOLED_BYTES: Final = 65_536

_array_over: Final = cast("Any", np.frombuffer)


def empty_array(length: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An array to be filled, large ones in memory of Arrow's pool.

    The pool keeps the pages of what is freed; malloc gives them back, and first touching the
    pages of 10 million doubles costs 40 ms, more than most loops over them.
    """
    size = length * np.dtype(dtype).itemsize
    if size < POOLED_BYTES:
        return np.empty(length, dtype)
    return _array_over(pa.allocate_buffer(size), dtype)
