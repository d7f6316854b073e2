"""Stages as one fused loop per chunk, compiled by numba and cached on disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from batchprep.backends.numba.kernel import NumbaKernel
from batchprep.backends.numba.spelling import is_host
from batchprep.plan.node import Node
from batchprep.plan.segments import cut
from batchprep.plan.stage import MathMode, Stage

if TYPE_CHECKING:
    import numpy as np


class NumbaBackend:
    """Runs stages as machine code, without the GIL but where a host op needs it."""

    name = "numba"

    def compile(
        self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode
    ) -> NumbaKernel:
        """A kernel for inputs of these array dtypes; compiled now, or taken from a cache."""
        return NumbaKernel(stage, cut(stage, is_host(math)), layout, math)


BACKEND: Final = NumbaBackend()
