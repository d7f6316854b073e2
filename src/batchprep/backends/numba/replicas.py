"""Whether the C library computes a function just as a kernel of ours does, which vectorises."""

from __future__ import annotations

import os
import platform
import sys
import threading
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt
from numba.core import types

from batchprep.backends.numba.compiler import Job, compiled
from batchprep.backends.numba.guesses import has_multiply_add
from batchprep.backends.numba.render import PRELUDE
from batchprep.batch.fork_locks import ForkLocks
from batchprep.ops import OPS

Values = npt.NDArray[np.float64]

# The text of each function whose steps we know, in exact mode.
_REPLICAS: Final = {"log1p": "k.log1p_replica({0})"}

_COMPARE: Final = """def kernel(x, differ):
    for j in range(len(x)):
        one, other = {one}, {other}
        differ[j] = (one != other) & ((one == one) | (other == other))
"""
# Another order of operations changes a value in a few thousand; the rest of the values are for
# other algorithms, which differ in far more.
ASKED: Final = 400_000
_SEED: Final = 20_241

_found: Final[dict[str, bool]] = {}
_lock: Final = threading.Lock()


def replicas_of(ops: Iterable[str]) -> dict[str, str]:
    """Texts of those ops that give the library's bits in exact mode, and vectorise.

    The first call in a process that meets one compares both for 400,000 values: 10 ms.
    """
    return {name: _REPLICAS[name] for name in _REPLICAS.keys() & ops if _is_replica(name)}


def comparisons(ops: Iterable[str]) -> list[Job]:
    """The loops that replicas_of() needs for those ops."""
    return [_comparison(name) for name in _REPLICAS.keys() & ops if _is_known_library()]


def _is_replica(name: str) -> bool:
    with _lock:
        if name not in _found:
            _found[name] = _is_known_library() and _agree(name, probes())
        return _found[name]


FORK_LOCKS: Final = ForkLocks(_lock)
os.register_at_fork(
    before=FORK_LOCKS.before, after_in_parent=FORK_LOCKS.after, after_in_child=FORK_LOCKS.after
)


def _is_known_library() -> bool:
    """Whether it is glibc for x86-64, and takes its build for fused multiply-add."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or not has_multiply_add():
        return False
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, OSError, ValueError):
        return False


def probes() -> Values:
    """Arguments near 0 above all, where rounding shows, and of every size and sign."""
    draw = np.random.default_rng(_SEED)
    part = ASKED // 4
    sizes = np.exp(draw.uniform(-45.0, 700.0, part))
    powers = 2.0 ** draw.integers(1, 60, part)
    return np.concatenate(
        [
            draw.uniform(-1.0, 1.0, part),
            draw.uniform(-1.0, 3.0, part),
            powers * (1.0 + draw.uniform(-1.0, 1.0, part) * 2.0**-20) - 1.0,
            np.where(draw.random(part) < 0.5, sizes, -1.0 / sizes),
        ]
    )


def _agree(name: str, x: Values) -> bool:
    differ = np.ones(len(x), np.bool_)
    compiled(*_comparison(name))(x, differ)
    return not differ.any()


def _comparison(name: str) -> Job:
    texts = {"one": str(OPS[name].scalar), "other": _REPLICAS[name]}
    source = PRELUDE + _COMPARE.format(**{key: t.format("x[j]") for key, t in texts.items()})
    return source, (types.Array(types.float64, 1, "C"), types.Array(types.boolean, 1, "C"))
