"""Iterators that hand out one record again and again, with other values in it each time.

A loop reads each record before it asks for the next one. Who asks for a batch of them first would
find the last values in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final, cast

from batchprep.batch.copies import record_copy

PROBED: Final = 4  # records in which one must come twice: writers take turns between two or three


def apart(records: Iterator[Any], at_most: int) -> Iterator[Any]:
    """The records; copies of them where one of the first few comes twice.

    Asks for PROBED of them, or `at_most`, at once. An exception comes after those before it.
    """
    probed: list[Any] = []
    copies: list[Any] = []
    try:
        for record in islice(records, min(PROBED, at_most)):
            probed.append(record)
            copies.append(snapshot(record))
    except BaseException as error:  # noqa: BLE001  raised again in its turn
        ahead = copies if _is_reused(probed) else probed
        return chain(ahead, _raising(error))
    if _is_reused(probed):
        return chain(copies, map(snapshot, records))
    return chain(probed, records)


def snapshot(record: Any) -> Any:
    """The record as it is now: its dicts and lists are copied at every depth."""
    try:
        return _held(record) if type(record) in {dict, list} else record_copy(record)
    except Exception:  # noqa: BLE001  it cannot be copied, or holds itself: it stays itself
        return record


def _held(value: Any) -> Any:
    if type(value) is dict:
        return {key: _held(item) for key, item in cast("dict[Any, Any]", value).items()}
    if type(value) is list:
        return [_held(item) for item in cast("list[Any]", value)]
    return value


def _is_reused(records: list[Any]) -> bool:
    return len({id(record) for record in records}) < len(records)


def _raising(error: BaseException) -> Iterable[Any]:
    raise error
    yield  # the function is a generator: it raises when its turn comes
