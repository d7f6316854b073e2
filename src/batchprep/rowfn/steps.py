"""The steps of a pipeline, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

RowFunction: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True)
class Filter:
    """Rows for which the function's answer is true go on."""

    function: RowFunction


@dataclass(frozen=True)
class Map:
    """The function's answer goes on instead of the row."""

    function: RowFunction


@dataclass(frozen=True)
class FilterMap:
    """The same, and rows for which it is None go no further."""

    function: RowFunction


@dataclass(frozen=True)
class FlatMap:
    """Each item of the function's answer goes on as a row of its own."""

    function: RowFunction


@dataclass(frozen=True)
class WithColumns:
    """The row with further columns, each from a function of the row as it came in.

    A pipeline holds column expressions here, too: its router puts their functions in their place.
    """

    columns: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Select:
    """The row with these columns alone."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Drop:
    """The row without these columns."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Rename:
    """The row with columns under other names: (old, new)."""

    names: tuple[tuple[str, str], ...]


Step: TypeAlias = Filter | Map | FilterMap | FlatMap | WithColumns | Select | Drop | Rename
