"""Stages as one fused loop per chunk, compiled by numba and cached on disk.

Nothing here imports numba before a stage is compiled: it takes 0.2 s, and 0.4 s more at the first
kernel.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from batchprep.batch.fork_locks import ForkLocks
from batchprep.plan.node import Node
from batchprep.plan.segments import Segment, cut
from batchprep.plan.stage import MathMode, Stage

if TYPE_CHECKING:
    import numpy as np

    from batchprep.backends.numba.compiler import Job
    from batchprep.backends.numba.kernel import NumbaKernel


class NumbaBackend:
    """Runs stages as machine code, without the GIL but where a host op needs it."""

    name = "numba"

    def load(self) -> None:
        """Import numba, and what the compiler is made of."""
        import_module("batchprep.backends.numba.kernel")

    def get_ready(self) -> None:
        """Do what numba does before its first kernel, compiled or loaded: it takes 0.4 s."""
        from batchprep.backends.numba.compiler import get_ready

        get_ready()

    def before_fork(self) -> None:
        """Wait for the locks of what a fork found imported when it had begun already."""
        for locks in _fork_locks():
            locks.before()

    def after_fork(self) -> None:
        """Let them go."""
        for locks in _fork_locks():
            locks.after()

    def environment(self) -> str:
        """A key of the versions, the CPU and the options that kernels are compiled for."""
        from batchprep.backends.numba.compiler import environment_key

        return environment_key()

    def compile(
        self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode
    ) -> NumbaKernel:
        """A kernel for inputs of these array dtypes; compiled now, or taken from a cache."""
        from batchprep.backends.numba.kernel import NumbaKernel

        return NumbaKernel(stage, _segments(stage, math), layout, math)

    def wanted(
        self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode
    ) -> Iterator[list[Job]]:
        """What compile() would compile, and not find in a cache.

        First what many kernels share: it is asked before the text of the stage's own is known.
        """
        from batchprep.backends.numba.compiler import is_on_disk, signature
        from batchprep.backends.numba.kernel import rendered, shared

        segments = _segments(stage, math)
        yield [job for job in shared(stage, segments, math) if not is_on_disk(*job)]
        parts = rendered(stage, segments, math)
        loops = [part for part in parts if not isinstance(part, Segment)]
        jobs = [(loop.source, signature(loop, layout)) for loop in loops]
        yield [job for job in jobs if not is_on_disk(*job)]


def _fork_locks() -> list[ForkLocks]:
    """Those of the modules that are imported."""
    modules = [sys.modules.get(f"{__name__}.{name}") for name in ("replicas", "compiler")]
    found = [getattr(module, "FORK_LOCKS", None) for module in modules]
    return [locks for locks in found if locks is not None]


def _segments(stage: Stage, math: MathMode) -> tuple[Segment, ...]:
    from batchprep.backends.numba.spelling import is_host

    return cut(stage, is_host(math))


BACKEND: Final = NumbaBackend()
