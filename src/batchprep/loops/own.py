"""Whether the records that a loop writes into are seen by nothing else that it reads."""

from __future__ import annotations

import datetime as dt
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from batchprep.loops import messages
from batchprep.loops.go_on import GoOn

UNCHANGING: Final[frozenset[type]] = frozenset(
    {bool, int, float, complex, str, bytes, type(None), Decimal, Fraction, re.Pattern}
    | {dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone}
    | {types.ModuleType, types.BuiltinFunctionType, types.CodeType}
)
MOST: Final = 200_000  # objects that are looked at


def check_own(records: Iterable[Any], held: set[int], augmented: frozenset[str]) -> None:
    """Each record must be a dict of its own, or a write would be seen in another row.

    `held` are the ids of the dicts that the loop reads beside its records.

    Errors:  GoOn
    """
    known = set(held)
    for record in records:
        # One without keys has some after the write: `if record:` would find another answer.
        if type(record) is not dict or not record or id(record) in known:
            raise GoOn(messages.RECORDS_SHARED)
        known.add(id(record))
        if augmented and not all(type(record.get(key)) in UNCHANGING for key in augmented):
            raise GoOn(messages.RECORDS_SHARED)


def dicts_in(
    function: types.FunctionType, names: Iterable[str], given: Mapping[str, Any]
) -> set[int]:
    """The ids of the dicts that these names of a function stand for or hold.

    Errors:  GoOn where it cannot be told what they hold
    """
    outer = _outer(function)
    left: list[Any] = [given[n] if n in given else outer.get(n) for n in names]
    found, seen = set[int](), set[int]()
    while left:
        value = left.pop()
        if type(value) in UNCHANGING or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is dict:
            found.add(id(value))
        if len(seen) > MOST:
            raise GoOn(messages.RECORDS_HELD)
        left.extend(_inside(value))
    return found


def _outer(function: types.FunctionType) -> dict[str, Any]:
    """The closure and global values that a function's own body names."""
    code = function.__code__
    found = {n: function.__globals__[n] for n in code.co_names if n in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # bound only later
            continue
    return found


def _inside(value: Any) -> Iterator[Any]:
    """The objects that another one holds."""
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif isinstance(value, types.FunctionType):
        yield from _outer(value).values()
        yield from value.__defaults__ or ()
    elif isinstance(value, types.MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, type):
        yield from (v for v in vars(value).values() if isinstance(v, dict | list | set | tuple))
    elif hasattr(value, "__dict__") and not hasattr(type(value), "__slots__"):
        yield from vars(value).values()
    else:
        raise GoOn(messages.RECORDS_HELD)
