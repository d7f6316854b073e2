"""The kernel of a stage for a batch: compiled once per array layout, and the tiers of `auto`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from batchprep.backends import get_backend
from batchprep.backends.kernel import Kernel
from batchprep.backends.numba import NumbaBackend
from batchprep.plan.node import Node
from batchprep.plan.stage import MathMode, Stage
from batchprep.run.compiling import BACKGROUND, compiled_elsewhere
from batchprep.run.program import BackendName
from batchprep.run.tiers import RisingTier, Tier

# Compiling takes 0.4 to 2 s of one core, beside the calls. It begins with a batch of so many rows,
# or when small batches have added up to so many, or to so many seconds of NumPy.
AUTO_NUMBA_ROWS: Final = 20_000
AUTO_NUMBA_TOTAL: Final = 200_000
AUTO_NUMBA_SECONDS: Final = 0.25

Layout = Mapping[Node, np.dtype[Any]]


class Kernels:
    """Kernels of one stage by backend, math mode and array layout."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._ready: dict[tuple[Any, ...], Kernel] = {}
        self._fixed: dict[tuple[Any, ...], Tier] = {}
        self._tiers: dict[tuple[Any, ...], RisingTier] = {}
        self._wanted: list[tuple[RisingTier, MathMode, Layout]] = []
        self._lock = threading.RLock()
        self._rows = 0

    def choose(self, backend: BackendName, math: MathMode, layout: Layout, rows: int) -> Tier:
        """The kernel that runs the chunks of a batch of so many rows."""
        if backend != "auto":
            key = _key(backend, math, layout)
            return self._fixed.get(key) or self._fixed.setdefault(
                key, Tier(backend, self._compiled(backend, math, layout))
            )
        self._rows += rows
        tier = self._tiers.get((math, *layout.values())) or self._rising(math, layout)
        if not tier.has_numba:
            self._have_compiled(tier, math, layout, rows)
        return tier

    def has_risen(self) -> bool:
        """Whether `auto` has a kernel of numba's."""
        return any(tier.has_risen() for tier, *_ in [*self._wanted])

    def interpreted(self, rows: int) -> None:
        """Count rows that the interpreter has answered: a faster kernel may get them back."""
        self._rows += rows
        if self._rows >= AUTO_NUMBA_TOTAL:
            self.await_kernels(rows)

    def await_kernels(self, rows: int) -> None:
        """Have compiled what pays for a batch of so many rows that was answered otherwise."""
        for tier, math, layout in [*self._wanted]:
            if not tier.has_numba:
                self._have_compiled(tier, math, layout, rows)

    def _have_compiled(self, tier: RisingTier, math: MathMode, layout: Layout, rows: int) -> None:
        asked_for = self._ready.get(_key("numba", math, layout))
        if asked_for is not None:
            tier.take_over(asked_for)
        elif not tier.is_settled() and self._pays(tier, rows):
            self._raise(tier, math, layout)

    def _rising(self, math: MathMode, layout: Layout) -> RisingTier:
        tier, key = RisingTier(self._compiled("numpy", math, layout)), (math, *layout.values())
        with self._lock:
            if key not in self._tiers:
                self._tiers[key] = tier
                self._wanted.append((tier, math, layout))
        return self._tiers[key]

    def _pays(self, tier: RisingTier, rows: int) -> bool:
        return (
            rows >= AUTO_NUMBA_ROWS
            or self._rows >= AUTO_NUMBA_TOTAL
            or tier.races.numpy_seconds >= AUTO_NUMBA_SECONDS
        )

    def _raise(self, tier: RisingTier, math: MathMode, layout: Layout) -> None:
        """Have numba's kernel compiled beside the calls."""
        with self._lock:
            if not tier.is_settled():
                tier.await_kernel(BACKGROUND.submit(lambda: self._compile_beside(math, layout)))

    def prepare(self, backend: str, math: MathMode, layout: Layout) -> bool:
        """Make a kernel ahead of its first batch; whether it was there, or there is nothing to do.

        It was there where its machine code had only to be loaded.
        """
        if not (self._stage.outputs or self._stage.deviations):
            return True
        compiler, key = get_backend(backend), _key(backend, math, layout)
        there = key in self._ready or (
            isinstance(compiler, NumbaBackend)
            and not any(compiler.wanted(self._stage, layout, math))
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

    def _compile_beside(self, math: MathMode, layout: Layout) -> Kernel:
        """numba's kernel, of which as much as can be is compiled outside of this process."""
        compiler = get_backend("numba")
        if isinstance(compiler, NumbaBackend):
            with BACKGROUND.unforked:
                compiler.load()
            for jobs in compiler.wanted(self._stage, layout, math):
                compiled_elsewhere(jobs, compiler.get_ready)
        return compiler.compile(self._stage, layout, math)


def _key(backend: str, math: MathMode, layout: Layout) -> tuple[Any, ...]:
    return (backend, math, *layout.values())
