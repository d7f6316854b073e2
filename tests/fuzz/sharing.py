"""Which mutable objects results share: with their records, with each other, with a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Path = tuple[Any, ...]

MUTABLE = (list, dict, set, bytearray, Iterator)


def mutables(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every mutable object inside a value, with the way to it; no object is entered twice."""
    yield from _walk(value, path, set())


def _walk(value: Any, path: Path, entered: set[int]) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, MUTABLE) or hasattr(value, "__dict__"):
        yield path, value
    if id(value) in entered:
        return
    entered.add(id(value))
    for key, part in _parts(value):
        yield from _walk(part, (*path, key), entered)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value)


def of_records(results: Sequence[Any], records: Sequence[Any]) -> list[dict[Path, Path]]:
    """For each row, which parts of its result are parts of its record."""
    return [_of_record(*pair) for pair in zip(results, records, strict=True)]


def _of_record(result: Any, record: Any) -> dict[Path, Path]:
    places = {id(part): path for path, part in mutables(record)}
    found = {path: places.get(id(part)) for path, part in mutables(result)}
    return {path: place for path, place in found.items() if place is not None}


def among(results: Sequence[Any]) -> list[list[Path]]:
    """The places of each mutable object that occurs at more than one place of the results."""
    places: dict[int, list[Path]] = {}
    for row, result in enumerate(results):
        for path, part in mutables(result):
            places.setdefault(id(part), []).append((row, *path))
    return [paths for paths in places.values() if len(paths) > 1]


def kept(first: Sequence[Any], second: Sequence[Any]) -> dict[Path, int]:
    """The ids of mutable objects that two runs both return: they belong to the function."""
    before = {id(part) for row in first for _, part in mutables(row)}
    return {
        (row, *path): id(part)
        for row, result in enumerate(second)
        for path, part in mutables(result)
        if id(part) in before
    }
