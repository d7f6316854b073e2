"""Equality of objects in the sense of the contract: what no operator of Python tells apart."""

from __future__ import annotations

import enum
import re
from datetime import datetime, time
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from tests.fuzz.compare import same as same_plain


def same(left: Any, right: Any) -> bool:
    """Whether both are of one type, and equal down to digits, zones, dtypes and signs."""
    if type(left) is not type(right):
        return False
    match left:
        case enum.Enum():
            return left is right
        case dict():
            return same(list(left.items()), list(right.items()))
        case MappingProxyType():
            return same(dict(left), dict(right))
        case list() | tuple():
            return len(left) == len(right) and all(map(same, left, right))
        case set() | frozenset():  # their order is no promise of Python's
            return same(sorted(left, key=repr), sorted(right, key=repr))
        case Decimal() | Fraction():  # 1 == 1.00, and NaN equals nothing
            return repr(left) == repr(right)
        case np.ndarray() | np.generic():
            return left.dtype == right.dtype and same_plain(left.tolist(), right.tolist())
        case re.Match():
            return (left.re, left.string, left.regs) == (right.re, right.string, right.regs)
        case datetime() | time():  # NaT equals nothing, equal ones may be of other zones
            return left is right or (left == right and repr(left) == repr(right))
        case BaseException():
            return same(left.args, right.args)
        case _:
            return same_plain(left, right)
