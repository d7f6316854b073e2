"""Stages as NumPy calls on blocks of rows that fit the CPU's cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final, cast

import numpy as np

from batchprep.backends.kernel import Array
from batchprep.backends.numpy.render import render
from batchprep.plan.node import Node
from batchprep.plan.stage import MathMode, Stage

_BLOCK: Final = 8192  # rows: 64 KiB a temporary, some of which stay in a second-level cache


class NumpyKernel:
    """A stage as one generated function over a block of rows."""

    def __init__(self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode) -> None:
        self.stage = stage
        text = render(stage, layout, math)
        self.source = text.source
        self._block = _function(text.source, text.globals)

    def __call__(
        self, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array], deviation: Array
    ) -> None:
        """Fill the outputs and the deviation byte of one chunk."""
        stage, rows = self.stage, len(deviation)
        read = [inputs[node] for node in stage.inputs]
        shared = [np.int32(inputs[node]) for node in stage.strings]
        shared += [inputs[node] for node in stage.tables]
        written = [*(outputs[node] for node in stage.outputs), deviation]
        with np.errstate(all="ignore"):
            if rows <= _BLOCK:
                self._block(*read, *shared, *written)
                return
            for start in range(0, rows, _BLOCK):
                block = slice(start, start + _BLOCK)
                self._block(*(a[block] for a in read), *shared, *(a[block] for a in written))


def _function(source: str, names: dict[str, Any]) -> Callable[..., None]:
    namespace = dict(names)
    exec(compile(source, "<numpy kernel>", "exec"), namespace)
    return cast("FunctionType", namespace["block"])


class NumpyBackend:
    """Runs stages as NumPy calls."""

    name = "numpy"

    def compile(
        self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode
    ) -> NumpyKernel:
        """A kernel for inputs of these array dtypes."""
        return NumpyKernel(stage, layout, math)


BACKEND: Final = NumpyBackend()
