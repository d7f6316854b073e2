"""A pure function that remembers what it gave."""

from __future__ import annotations

import copy
import datetime as dt
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

# Types whose values tell by equality which are the same; floats by their bits.
KEYS: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, str, bytes, dt.date, dt.datetime, dt.timedelta,
})  # fmt: skip
MOST: Final = 100_000  # answers that are kept


class _Answer(NamedTuple):
    value: Any
    error: Exception | None


def _is_more_than_its_moment(value: Any) -> bool:
    """Whether equal values need not be the same: one moment in two zones, or in a fold."""
    return type(value) is dt.datetime and (value.tzinfo is not None or value.fold != 0)


class Memo:
    """The function, run once for equal arguments of the same types; the exceptions it raises, too.

    What could be changed is copied for each call. Arguments of other types are not remembered.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._known: dict[Any, _Answer] = {}
        self._lock = threading.RLock()  # chunks run on several threads, and it may call itself

    def __call__(self, *values: Any) -> Any:
        if not KEYS.issuperset(map(type, values)) or any(map(_is_more_than_its_moment, values)):
            return self._function(*values)
        key = tuple((type(v), v.hex() if type(v) is float else v) for v in values)
        found = self._known.get(key)
        if found is None:
            with self._lock:
                found = self._known.get(key) or self._ask(key, values)
        if found.error is not None:
            raise found.error
        return found.value if type(found.value) in KEYS else copy.deepcopy(found.value)

    def _ask(self, key: Any, values: tuple[Any, ...]) -> _Answer:
        try:
            answer = _Answer(self._function(*values), None)
        except Exception as error:  # noqa: BLE001  whatever it is, equal arguments raise it again
            answer = _Answer(None, error)
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = answer
        return answer
