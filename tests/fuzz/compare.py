"""Equality in the sense of the contract: value, type, NaN, zero sign, key order, exception."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What the row loop gives for one row: a value or the exception that it raises."""

    value: Any = None
    error: Exception | None = None
    is_record: bool = False  # the value is the record itself
    record: Any = None  # the record as the function left it


def loop(function: Callable[..., Any], records: Sequence[Any]) -> list[Outcome]:
    """The outcomes of `function(record)` over copies of the records."""
    return [_outcome(function, copy.deepcopy(record)) for record in records]


def _outcome(function: Callable[..., Any], record: Any) -> Outcome:
    try:
        value = function(record)
    except Exception as error:  # noqa: BLE001  whatever the row raises is the specification
        return Outcome(error=error, record=record)
    return Outcome(value=value, is_record=value is record, record=record)


def same(left: Any, right: Any) -> bool:
    """Whether nothing in Python tells the two values apart, but their identity."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return _same_float(left, right)
    if isinstance(left, complex):
        return _same_float(left.real, right.real) and _same_float(left.imag, right.imag)
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()))
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (set, frozenset)):  # their order is no promise of Python's
        return same(sorted(left, key=repr), sorted(right, key=repr))
    if dataclasses.is_dataclass(left) and not isinstance(left, type):
        return same(vars(left), vars(right))
    if isinstance(left, (datetime, time)):  # equal ones may be of other zones
        return left == right and repr(left) == repr(right)
    return left == right


def _same_float(left: float, right: float) -> bool:
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right and math.copysign(1.0, left) == math.copysign(1.0, right)


def same_error(left: BaseException | None, right: BaseException | None) -> bool:
    """Whether both are the same exception: type and arguments."""
    return (
        left is not None
        and right is not None
        and type(left) is type(right)
        and same(left.args, right.args)
    )


def same_through_arrow(python: Any, arrow: Any) -> bool:
    """Whether `arrow` is what the Python value becomes in a column.

    There an int beside floats is a float, an absent key is null, a tuple is a struct, and a
    failed row of a table has nulls only.
    """
    if python is None and isinstance(arrow, dict):  # a table has no null rows
        return not any(value is not None for value in arrow.values())
    if isinstance(python, dict) and isinstance(arrow, dict):
        return python.keys() <= arrow.keys() and all(
            same_through_arrow(python.get(key), value) for key, value in arrow.items()
        )
    if isinstance(python, tuple) and isinstance(arrow, dict):
        padded = [*python, *[None] * (len(arrow) - len(python))]
        return all(map(same_through_arrow, padded, arrow.values()))
    if isinstance(python, list) and isinstance(arrow, list):
        return len(python) == len(arrow) and all(map(same_through_arrow, python, arrow))
    if type(python) is int and type(arrow) is float:
        return python == arrow
    return same(python, arrow)


def fits_arrow(value: Any, *, nested: bool = True) -> bool:
    """Whether a column takes the value whatever other rows return: else the row fails there.

    nested  whether a dict is one that the function wrote, and not one that some rows parsed
    """
    if isinstance(value, dict):
        return nested and all(map(fits_arrow, value.values()))
    if isinstance(value, tuple):
        return all(map(fits_arrow, value))
    if isinstance(value, int):
        return abs(value) <= 2**53
    if isinstance(value, str):
        return _is_encodable(value)
    return value is None or isinstance(value, float)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
