"""A block of rows in row-major memory, and where that memory comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]


class Buffers(Protocol):
    """Memory to pack into, and the form in which it leaves the loader."""

    def empty(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        """Memory that nobody else holds: C-contiguous, writable, not initialised."""
        ...

    def hand_over(self, array: Array) -> Any:
        """The packed memory as the user gets it; the loader keeps nothing of it."""
        ...


class _NumpyBuffers:
    """Plain NumPy arrays."""

    def empty(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        return np.empty(shape, dtype)

    def hand_over(self, array: Array) -> Array:
        return array


NUMPY: Final[Buffers] = _NumpyBuffers()


@dataclass(frozen=True)
class Block:
    """Rows of features, and of labels where there are any: (rows,) for one, else (rows, labels)."""

    x: Array
    y: Array | None

    def __len__(self) -> int:
        return len(self.x)

    def rows(self, start: int, end: int) -> Block:
        """View of some of the rows."""
        return Block(self.x[start:end], None if self.y is None else self.y[start:end])

    def lanes(self) -> list[Array]:
        """View of each column: the features, then the labels."""
        columns = list(self.x.T)
        if self.y is None:
            return columns
        return [*columns, self.y] if self.y.ndim == 1 else [*columns, *self.y.T]

    def take(self, source: Block, rows: Array) -> None:
        """Fill this block with those rows of another."""
        # "clip": under "raise" NumPy writes to a buffer of its own first, and copies.
        np.take(source.x, rows, axis=0, out=self.x, mode="clip")
        if self.y is not None and source.y is not None:
            np.take(source.y, rows, axis=0, out=self.y, mode="clip")

    def copy(self, source: Block) -> None:
        """Fill this block with the rows of another of its length."""
        self.x[:] = source.x
        if self.y is not None and source.y is not None:
            self.y[:] = source.y

    def move(self, rows: Array, to: Array) -> None:
        """Copy rows of this block over others of it."""
        for part in (self.x, self.y):
            if part is not None:
                # take, not part[rows]: NumPy's general indexing needs 4 times as long.
                part[to] = np.take(part, rows, axis=0)


def handed_over(block: Block, buffers: Buffers) -> Any:
    """x, or (x, y), as the user gets them."""
    x = buffers.hand_over(block.x)
    return x if block.y is None else (x, buffers.hand_over(block.y))
