"""What pieces of code that Python runs call to read their parameters."""

from __future__ import annotations

from typing import Any, Final

from batchprep.batch.kinds import ABSENT
from batchprep.plan.plain import SIMPLE
from batchprep.plan.tables import Refused

UNCHANGING: Final[frozenset[type]] = (SIMPLE - {bytearray}) | {tuple, frozenset}


def required(value: Any, key: str) -> Any:
    """The value of a field; KeyError where the record lacks it."""
    if value is ABSENT:
        raise KeyError(key)
    return value


def bound_value(value: Any, name: str) -> Any:
    """The value of a name; UnboundLocalError where it has none."""
    if value is ABSENT:
        raise UnboundLocalError(name)
    return value


def unchanging(value: Any) -> None:
    """Refuse what += changes in place: somebody else may hold it."""
    if type(value) not in UNCHANGING:
        raise Refused


def reusable(value: Any) -> Any:
    """What a function of the user's gave; an iterator is refused, which can be read once only."""
    if hasattr(type(value), "__next__"):
        raise Refused
    return value


LONGEST: Final = 10_000  # items of a repeated sequence


def times(left: Any, right: Any) -> Any:
    """left * right; a sequence repeated very often is left to the row itself, one at a time."""
    for one, other in ((left, right), (right, left)):
        if type(one) in SEQUENCES and type(other) in {int, bool} and len(one) * other > LONGEST:
            raise Refused
    return left * right


SEQUENCES: Final[frozenset[type]] = frozenset({str, bytes, bytearray, list, tuple})
