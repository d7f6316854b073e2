"""Constant data that a stage reads: tables keyed by a word or a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from batchprep.dtypes import DType


@dataclass(frozen=True, eq=False)
class WordTable:
    """A total Python function of a string, evaluated once per distinct string of the pool.

    The node `word(code)` with this attr has the table's dtype. `name` is for the printer.
    """

    name: str
    function: Callable[[str], Any]
    dtype: DType


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Sorted, distinct int64 or float64 keys (no NaN, no -0.0).

    The node `find(x)` is 1 + the position of x among them, 0 where it is not there (int64).
    """

    keys: tuple[int, ...] | tuple[float, ...]
    dtype: DType  # "i" or "f"


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Values by position; position 0 is a filler for "not found".

    The node `gather(position)` is the value there, of the table's dtype (b, i, f or s).
    """

    values: tuple[Any, ...]
    dtype: DType
