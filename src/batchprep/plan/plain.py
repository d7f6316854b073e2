"""Objects that a pure function may be given: reading them changes nothing and runs no user code."""

from __future__ import annotations

import datetime as dt
import re
import types
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final
from zoneinfo import ZoneInfo

from batchprep.batch.kinds import Absent
from batchprep.plan.tables import Refused

# Exact types: a subclass may do anything. Iterators are not among them, since they are used up.
PLAIN_TYPES: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, bytearray, range, slice, list, tuple, dict,
    set, frozenset, OrderedDict, defaultdict, deque, Counter, dt.date, dt.datetime, dt.time,
    dt.timedelta, dt.timezone, ZoneInfo, Decimal, Fraction, uuid.UUID, re.Match, re.Pattern,
    types.MappingProxyType, Absent,
})  # fmt: skip


def plain_object(value: Any) -> Any:
    """The value itself.

    Errors: Refused for one of another type
    """
    if type(value) in PLAIN_TYPES or is_plain_type(type(value)):
        return value
    raise Refused


def is_plain_type(type_: type) -> bool:
    """Whether the type is one of NumPy's scalars, or a hash of hashlib."""
    return type_ in PLAIN_TYPES or type_.__module__ in {"numpy", "_hashlib", "_blake2", "_md5"}
