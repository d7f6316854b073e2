"""Whether two Python values are the same to whoever reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, cast

# Types whose equal values are the same: one comparison answers for a whole column.
PLAIN: Final[frozenset[type]] = frozenset({type(None), bool, int, str, bytes, date})


def same_values(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two columns of one length are the same, row by row.

    >>> same_values([1, "a"], [1, "a"]), same_values([1, 0.0], [1, -0.0])
    (True, False)
    """
    types = list(map(type, one))
    if types != list(map(type, other)):
        return False
    if PLAIN.issuperset(types):
        return list(one) == list(other)
    return all(map(same_value, one, other))


def same_value(one: Any, other: Any) -> bool:
    """Whether type and content agree at every depth; NaN is the same as NaN, 0.0 not as -0.0.

    >>> same_value([1, float("nan")], [1, float("nan")]), same_value(1, True)
    (True, False)
    >>> same_value(time(2, 30), time(2, 30, fold=1)), same_value(Decimal("1.0"), Decimal("1.00"))
    (False, False)
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict):
        return _same_items(cast("dict[Any, Any]", one), other)
    if isinstance(one, float):
        return _same_float(one, other)
    if isinstance(one, Decimal):  # 1.0 == 1.00
        return one.as_tuple() == other.as_tuple()
    if isinstance(one, datetime | time) and _zone(one) != _zone(other):
        return False
    return _equal(one, other)


def _zone(moment: datetime | time) -> tuple[object, int]:
    """What two equal times may differ in: one moment has a time in each zone, and a fold."""
    return moment.tzinfo, moment.fold


def _same_items(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    pairs = zip(one.items(), other.items(), strict=False)
    return len(one) == len(other) and all(same_value(a, b) for a, b in pairs)


def _same_float(one: float, other: float) -> bool:
    if one != other:
        return one != one and other != other  # noqa: PLR0124  only NaN differs from itself
    return math.copysign(1.0, one) == math.copysign(1.0, other)


def _equal(one: Any, other: Any) -> bool:
    try:
        # NaT of NumPy and of pandas differs from itself, as NaN does.
        return bool(one == other) or bool(one != one and other != other)  # noqa: PLR0124
    except Exception:  # noqa: BLE001  a class may answer == with anything: pd.NA, an array
        return False
