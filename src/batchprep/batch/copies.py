"""Copies of records that can be written into, so that the caller's own stay as they are."""

from __future__ import annotations

import copy
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
    return copy.deepcopy(record)


def _dict_copy(record: dict[Any, Any]) -> dict[Any, Any]:
    """The same as copy.copy, which would fill the copy through a __setitem__ of its class."""
    made = type(record).__new__(type(record))
    dict.update(made, record)
    made.__dict__.update(record.__dict__)
    return made
