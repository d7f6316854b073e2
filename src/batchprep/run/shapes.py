"""Rows of dicts and tuples out of columns of Python values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, cast

Values = Sequence[Any]


def dict_rows(keys: tuple[str | int, ...], columns: Sequence[Values], length: int) -> list[Any]:
    """A dict a row, all with the same keys.

    >>> dict_rows(("a", "b"), ([1, 2], [3, 4]), 2)
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 4}]
    """
    if not keys:
        return [{} for _ in range(length)]
    return _dict_maker(keys)(*columns)


@functools.lru_cache(maxsize=256)
def _dict_maker(keys: tuple[str | int, ...]) -> Callable[..., list[dict[Any, Any]]]:
    # A dict display with its keys written out takes a third of the time of dict(zip(keys, row)).
    pairs = ", ".join(f"{key!r}: v{number}" for number, key in enumerate(keys))
    names = ", ".join(f"v{number}" for number in range(len(keys)))
    columns = ", ".join(f"c{number}" for number in range(len(keys)))
    rows = f"zip({columns}, strict=True)" if len(keys) > 1 else "c0"
    source = f"lambda {columns}: [{{{pairs}}} for {names} in {rows}]"
    return cast("Callable[..., list[dict[Any, Any]]]", eval(source, {"zip": zip}))  # noqa: S307


def tuple_rows(columns: Sequence[Values], length: int) -> list[tuple[Any, ...]]:
    """A tuple a row."""
    return list(zip(*columns, strict=True)) if columns else [()] * length


def list_rows(columns: Sequence[Values], length: int) -> list[list[Any]]:
    """A list a row."""
    return list(map(list, tuple_rows(columns, length)))


def fresh_dict(record: Any) -> dict[Any, Any]:
    """What dict(record) and {**record} give: a plain dict, whatever the record's type."""
    return dict(record)
