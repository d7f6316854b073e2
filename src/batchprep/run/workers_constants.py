"""What a function may reach in another process: constants, and code that changes nothing there."""

from __future__ import annotations

import ast
import contextlib
import datetime as dt
import decimal
import fractions
import re
import sys
import uuid
from types import FunctionType
from typing import Any, Final, cast

from batchprep.rowfn.purity import is_pure

# Values that nobody can change, and that come out of a pickle as what they were.
ATOMS: Final[frozenset[type]] = frozenset(
    {
        *(
            bool,
            bytes,
            complex,
            float,
            int,
            range,
            str,
            type(None),
            type(...),
            type(NotImplemented),
        ),
        *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone),
        *(decimal.Decimal, fractions.Fraction, uuid.UUID, re.Pattern, re.RegexFlag),
    }
)
# Clocks, and those of a date that a record may hold: d.today().
CLOCKS: Final = frozenset({"now", "today", "utcnow"})
# By identity: a user's object may define its own hash and equality.
_ALSO: Final = frozenset(map(id, (hasattr, callable, contextlib.suppress)))
# Hashes of texts, and with them the order of sets, are others in each process.
_NOT: Final = frozenset(map(id, (ast.literal_eval, set, frozenset, hash)))


def is_known(value: object) -> bool:
    """Whether it is a function or class of a library that changes nothing, in any process."""
    if id(value) in _ALSO:
        return True
    if id(value) in _NOT or not callable(value):
        return False
    if isinstance(value, type):  # methods of other classes are code of their own
        return is_standard(value) and (is_pure(value) or issubclass(value, BaseException))
    return is_pure(value)


def is_standard(value: type | FunctionType) -> bool:
    """Whether a class or function is of the standard library, and none of the user's."""
    return value.__module__.partition(".")[0] in sys.stdlib_module_names


def is_constant(value: object) -> bool:
    """Whether nothing can change it, at any depth."""
    kind = type(value)
    if kind in ATOMS:
        return True
    return kind is tuple and all(map(is_constant, cast("tuple[Any, ...]", value)))
