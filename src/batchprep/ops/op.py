"""The shape of an op's row in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Scalar = bool | int | float
Case = tuple[tuple[Any, ...], Any]


@dataclass(frozen=True)
class Gap:
    """A cell of the (op, backend) table without a spelling, and why."""

    word: Literal["notimpl", "notyet", "never"]
    reason: str


def notimpl(reason: str) -> Gap:
    """A spelling that we owe."""
    return Gap("notimpl", reason)


def notyet(reason: str) -> Gap:
    """A spelling that the backend's library cannot give today."""
    return Gap("notyet", reason)


def never(reason: str) -> Gap:
    """A spelling that cannot exist: the stage is cut around the op."""
    return Gap("never", reason)


@dataclass(frozen=True, kw_only=True)
class Op:
    """One op: a total function of one dtype per argument, in every spelling.

    meaning  plain Python, total: ints wrap, x/0 as IEEE, no exception for any argument
    scalar   text for a numba kernel over scalars, {0} {1} ... the arguments
    fast     text for a numba kernel under math="fast": a loop with it vectorises; "": as `scalar`
    array    text for NumPy over arrays (or scalars); `np` and `h` (array helpers) in scope
    c        text for C++/CUDA over scalars
    ulp      largest difference from `meaning` per backend in units in the last place, of `fast`
             under "numba fast";
             0 (the default) means bit-equal. In exact mode a backend whose entry is not 0
             takes another way: NumPy evaluates the meaning per element, numba makes it a host op.
    cases    ((arguments, result), ...) that a reader can check by eye
    """

    name: str
    params: str
    result: str
    meaning: Callable[..., Any]
    scalar: str | Gap
    array: str | Gap
    c: str | Gap
    fast: str = ""
    ulp: Mapping[str, int] = field(default_factory=dict[str, int])
    cases: tuple[Case, ...] = ()

    def exact_on(self, backend: str) -> bool:
        """Whether the backend's spelling gives the meaning's bits."""
        return self.ulp.get(backend, 0) == 0
