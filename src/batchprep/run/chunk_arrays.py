"""What kernels read and write for a batch, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from batchprep.backends.kernel import NUMPY_DTYPE, Array, Kernel, Span, pack_of, span_of
from batchprep.plan.node import Node
from batchprep.run.inputs import Inputs
from batchprep.run.packed_codes import PackedCodes

NO_CODES: Final[Mapping[Node, Array]] = {}


class Marks:
    """The deviation bytes of the chunks in which some row deviates."""

    def __init__(self) -> None:
        self._chunks: dict[int, Array] = {}

    def put(self, start: int, marks: Array) -> None:
        """Keep those of a chunk if there are any; several threads may, each its own."""
        if np.count_nonzero(marks):  # a third of the time of any()
            self._chunks[start] = marks

    def whole(self, length: int) -> Array | None:
        """The bytes of all rows; None where no row deviates."""
        if not self._chunks:
            return None
        whole = np.zeros(length, np.uint8)
        for start, marks in self._chunks.items():
            whole[start : start + len(marks)] = marks
        return whole


class ChunkArrays:
    """The arrays of a batch, whole; what is packed, or needed of few chunks, is made in chunks.

    `marks` is None where no row can deviate.
    """

    def __init__(
        self,
        inputs: Inputs,
        outputs: Mapping[Node, Array],
        packed: Mapping[Node, PackedCodes],
        marks: Marks | None,
    ) -> None:
        self.marks = marks
        self._inputs = inputs
        self._outputs = outputs
        self._packed = packed
        self._spans: dict[int, Span | None] = {}

    def run(self, kernel: Kernel, start: int, end: int) -> None:
        """Run a kernel on one chunk."""
        fresh = self._fresh(end - start) if self._packed else NO_CODES
        # A kernel may write its zeros all the same: into memory that stays in the cache.
        marks = np.empty(end - start, np.uint8)
        span = self._span(kernel)
        if span is None:
            rows = slice(start, end)
            reads = {node: array[rows] for node, array in self._inputs.rows.items()}
            writes = {node: array[rows] for node, array in self._outputs.items()}
            kernel(reads | self._inputs.whole, writes | fresh, marks)
        else:
            span(start, end, fresh, marks)
        if fresh:
            pack = pack_of(kernel)
            for node, codes in fresh.items():
                self._packed[node].put(start, codes, pack)
        if self.marks is not None:
            self.marks.put(start, marks)

    def _fresh(self, rows: int) -> dict[Node, Array]:
        return {node: np.empty(rows, NUMPY_DTYPE["k"]) for node in self._packed}

    def _span(self, kernel: Kernel) -> Span | None:
        # Threads that both find nothing make equal ones.
        key = id(kernel)
        if key not in self._spans:
            rows, whole = self._inputs.rows, self._inputs.whole
            self._spans[key] = span_of(kernel, rows | whole if whole else rows, self._outputs)
        return self._spans[key]
