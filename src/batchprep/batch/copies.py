"""Copies of records that can be written into, so that the caller's own stay as they are."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict
from types import MappingProxyType
from typing import Any, cast


def record_copy(record: Any) -> Any:
    """A record of the same type that can be written to."""
    if type(record) is dict:
        return cast("dict[Any, Any]", record).copy()
    if type(record) is MappingProxyType:  # cannot be copied, nor written to
        return record
    if isinstance(record, dict) and not hasattr(record, "__copy__"):
        return _dict_copy(cast("dict[Any, Any]", record))
    return copy.copy(record)


def deep_copy(record: Any) -> Any:
    """The same at every depth."""
    if type(record) is MappingProxyType:
        return MappingProxyType(copy.deepcopy(dict(record)))
    try:
        return copy.deepcopy(record)
    except Exception:  # noqa: BLE001  a lock, a socket, a generator: such a value stays itself
        made = record_copy(record)
        if isinstance(made, dict):
            put = OrderedDict.__setitem__ if isinstance(made, OrderedDict) else dict.__setitem__
            for key, value in dict.items(cast("dict[Any, Any]", record)):
                put(cast("Any", made), key, _deep_or_same(value))
        return made


def _deep_or_same(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001
        return value


def _dict_copy(record: dict[Any, Any]) -> dict[Any, Any]:
    """The same as copy.copy, which would fill the copy through a __setitem__ of its class."""
    if type(record) in {OrderedDict, defaultdict, Counter}:
        return record.copy()
    made = type(record).__new__(type(record))
    # An OrderedDict keeps its order beside the dict.
    put = OrderedDict.__setitem__ if isinstance(record, OrderedDict) else dict.__setitem__
    for key, value in dict.items(record):
        put(cast("Any", made), key, value)
    made.__dict__.update(record.__dict__)
    return made
