"""Stage + arrays -> arrays + deviations: one folder per backend."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, cast

from batchprep.backends.kernel import Array, Backend, Kernel

__all__ = ["BACKENDS", "Array", "Backend", "Kernel", "get_backend"]


def _loader(name: str) -> Callable[[], Backend]:
    return lambda: cast("Backend", import_module(f"batchprep.backends.{name}").BACKEND)


# Loaded at first use: numba alone takes 0.3 s to import.
BACKENDS: Final[dict[str, Callable[[], Backend]]] = {
    name: _loader(name) for name in ("python", "numpy", "numba")
}


def get_backend(name: str) -> Backend:
    """The backend of that name."""
    load = BACKENDS.get(name)
    if load is None:
        known = ", ".join(map(repr, BACKENDS))
        message = f"backend={name!r} is not one of {known}"
        raise ValueError(message)
    return load()
