"""The kernel of a stage for a batch: compiled once per array layout, and the tiers of `auto`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import numpy as np

from batchprep.backends import get_backend
from batchprep.backends.kernel import Kernel
from batchprep.plan.node import Node
from batchprep.plan.stage import MathMode, Stage
from batchprep.run.program import BackendName

# Compiling takes 0.4 to 2 s of one core, beside the calls. It begins with a batch of so many rows,
# or when small batches have added up to so many.
AUTO_NUMBA_ROWS: Final = 20_000
AUTO_NUMBA_TOTAL: Final = 200_000

Layout = Mapping[Node, np.dtype[Any]]
Compile = Callable[[], Kernel]


class Background:
    """Compiles on one thread beside the calls; what fails there is kept, not raised."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None

    def submit(self, compile_kernel: Compile) -> Future[Kernel]:
        """A future of the kernel."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, "batchprep-compile")
            return self._executor.submit(compile_kernel)

    def forget(self) -> None:
        """Start afresh after a fork: the thread stayed in the parent."""
        self._lock = threading.Lock()
        self._executor = None


_background: Final = Background()
os.register_at_fork(after_in_child=_background.forget)


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
        numpy = self._compiled("numpy", math, layout)
        if rows < AUTO_NUMBA_ROWS and self._rows < AUTO_NUMBA_TOTAL:
            return Tier("numpy", numpy)
        return Tier("numpy", numpy, self._in_background("numba", math, layout))

    def _compiled(self, backend: str, math: MathMode, layout: Layout) -> Kernel:
        key = (backend, math, *layout.values())
        found = self._ready.get(key)
        if found is None:
            with self._lock:
                found = self._ready.get(key) or self._compile(backend, math, layout)
                self._ready[key] = found
        return found

    def _compile(self, backend: str, math: MathMode, layout: Layout) -> Kernel:
        return get_backend(backend).compile(self._stage, layout, math)

    def _in_background(self, backend: str, math: MathMode, layout: Layout) -> Future[Kernel]:
        key = (backend, math, *layout.values())
        with self._lock:
            process, found = self._pending.get(key, (0, None))
            if found is None or not (found.done() or process == os.getpid()):
                found = _background.submit(lambda: self._compile(backend, math, layout))
                self._pending[key] = (os.getpid(), found)
            return found


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
