"""The kernel of a stage for a batch: compiled once per array layout, and the tiers of `auto`."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final

import numpy as np

from batchprep.backends import get_backend
from batchprep.backends.kernel import Kernel
from batchprep.backends.numba import NumbaBackend
from batchprep.plan.node import Node
from batchprep.plan.stage import MathMode, Stage
from batchprep.run.compiling import BACKGROUND, compiled_elsewhere
from batchprep.run.program import BackendName

# Compiling takes 0.4 to 2 s of one core, beside the calls. It begins with a batch of so many rows,
# or when small batches have added up to so many.
AUTO_NUMBA_ROWS: Final = 20_000
AUTO_NUMBA_TOTAL: Final = 200_000

Layout = Mapping[Node, np.dtype[Any]]


class Kernels:
    """Kernels of one stage by backend, math mode and array layout."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._ready: dict[tuple[Any, ...], Kernel] = {}
        self._pending: dict[tuple[Any, ...], tuple[int, Future[Kernel]]] = {}
        self._lock = threading.RLock()
        self._rows = 0

    def choose(self, backend: BackendName, math: MathMode, layout: Layout, rows: int) -> Tier:
        """The kernel that runs the chunks of a batch of so many rows."""
        if backend != "auto":
            return Tier(backend, self._compiled(backend, math, layout))
        self._rows += rows
        small = rows < AUTO_NUMBA_ROWS and self._rows < AUTO_NUMBA_TOTAL
        ready = None if small else self._ready.get(_key("numba", math, layout))
        if ready is not None:
            return Tier("numba", ready)
        numpy = self._compiled("numpy", math, layout)
        if small:
            return Tier("numpy", numpy)
        return Tier("numpy", numpy, self._in_background("numba", math, layout))

    def prepare(self, backend: str, math: MathMode, layout: Layout) -> bool:
        """Make a kernel ahead of its first batch; whether it was there, or there is nothing to do.

        It was there where its machine code had only to be loaded.
        """
        if not (self._stage.outputs or self._stage.deviations):
            return True
        compiler, key = get_backend(backend), _key(backend, math, layout)
        there = key in self._ready or (
            isinstance(compiler, NumbaBackend) and not compiler.wanted(self._stage, layout, math)
        )
        self._compiled(backend, math, layout)
        return there

    def _compiled(self, backend: str, math: MathMode, layout: Layout) -> Kernel:
        key = _key(backend, math, layout)
        found = self._ready.get(key)
        if found is None:
            with self._lock:
                found = self._ready.get(key) or self._compile(backend, math, layout)
                self._ready[key] = found
        return found

    def _compile(self, backend: str, math: MathMode, layout: Layout) -> Kernel:
        return get_backend(backend).compile(self._stage, layout, math)

    def _compile_beside(self, backend: str, math: MathMode, layout: Layout) -> Kernel:
        """The kernel, of which as much as can be is compiled outside of this process."""
        compiler = get_backend(backend)
        if isinstance(compiler, NumbaBackend):
            with BACKGROUND.unforked:
                compiler.load()
            compiled_elsewhere(compiler.wanted(self._stage, layout, math))
        return compiler.compile(self._stage, layout, math)

    def _in_background(self, backend: str, math: MathMode, layout: Layout) -> Future[Kernel]:
        key = _key(backend, math, layout)
        with self._lock:
            process, found = self._pending.get(key, (0, None))
            if found is None or not (found.done() or process == os.getpid()):
                found = BACKGROUND.submit(lambda: self._compile_beside(backend, math, layout))
                self._pending[key] = (os.getpid(), found)
            return found


def _key(backend: str, math: MathMode, layout: Layout) -> tuple[Any, ...]:
    return (backend, math, *layout.values())


class Tier:
    """A kernel, and the faster one that takes over as soon as it is compiled."""

    def __init__(self, name: str, kernel: Kernel, faster: Future[Kernel] | None = None) -> None:
        self._slow = (name, kernel)
        self._faster = faster

    def current(self) -> tuple[str, Kernel]:
        """Backend and kernel for the next chunk."""
        if self._faster is None or not self._faster.done() or self._faster.exception() is not None:
            return self._slow
        return "numba", self._faster.result()

    def trouble(self) -> str:
        """Why the faster kernel will not come; "" while it may."""
        if self._faster is None or not self._faster.done():
            return ""
        error = self._faster.exception()
        return "" if error is None else f"numba cannot compile it: {type(error).__name__}: {error}"
