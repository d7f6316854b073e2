"""What every backend gives the runner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from batchprep.plan.node import Node
from batchprep.plan.stage import MathMode, Stage

Array = npt.NDArray[Any]

# The array that holds each dtype of the graph in a stage's outputs.
NUMPY_DTYPE: dict[str, np.dtype[Any]] = {
    "b": np.dtype(np.bool_),
    "i": np.dtype(np.int64),
    "f": np.dtype(np.float64),
    "s": np.dtype(np.int32),
    "k": np.dtype(np.int8),
    "r": np.dtype(np.int32),
    "o": np.dtype(np.int32),
}


class Kernel(Protocol):
    """A compiled stage. Thread-safe: chunks of one batch run side by side."""

    def __call__(
        self,
        inputs: Mapping[Node, Any],
        outputs: Mapping[Node, Array],
        deviation: Array,
    ) -> None:
        """Fill the outputs and the deviation byte of one chunk.

        inputs     every node of stage.inputs -> array (n,); of stage.strings -> the code (int);
                   of stage.tables -> array: word (pool size,), find (keys,), gather (values,)
        outputs    every node of stage.outputs -> array (n,) of NUMPY_DTYPE, contiguous
        deviation  uint8 (n,): 0, or 1 + position of the first deviation that holds
        """
        ...


class Backend(Protocol):
    """A way to run stages."""

    name: str

    def compile(self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode) -> Kernel:
        """A kernel for inputs of these array dtypes (ints of any width, float32, ...)."""
        ...


Span = Callable[[int, int, Mapping[Node, Array], Array], None]


class Spanning(Kernel, Protocol):
    """A kernel that may run on rows of whole columns, without a view of each for each chunk."""

    def over(self, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array]) -> Span | None:
        """What runs the kernel on the rows from a start to an end; None where it cannot.

        It is called with the two, the outputs that `outputs` lacks, and the deviation bytes:
        arrays of just those rows. The bytes are left alone in a stage without deviations.
        """
        ...


Pack = Callable[[Array, int, Array], None]


def pack_codes(codes: Array, code: int, bits: Array) -> None:
    """Set the bit of each row that has that code, and clear the others."""
    bits[:] = np.packbits(codes == code, bitorder="little")


def pack_of(kernel: Kernel) -> Pack:
    """What packs kind codes for the kernel: in three passes, if it has no way of its own."""
    return getattr(kernel, "pack", pack_codes)


def span_of(
    kernel: Kernel, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array]
) -> Span | None:
    """What runs the kernel on rows of whole columns; None where it wants them cut."""
    # isinstance of a protocol takes 20 us.
    over: Callable[..., Span | None] | None = getattr(kernel, "over", None)
    return None if over is None else over(inputs, outputs)
