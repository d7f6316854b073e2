"""Functions of what nodes hold, made of a function and its arguments' readings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from batchprep.plan.plain import PLAIN_TYPES, plain_object
from batchprep.plan.tables import Refused

Column = Sequence[Any]


class Composed:
    """`function` of several arguments, each read from nodes at some of the places.

    Called, it is the function of one row's values. Over columns, each argument is read once.

    decodes  the argument of the values at its places
    reads    the same of the only value; None: the value itself
    keys     what tells arguments apart
    """

    __slots__ = ("_decodes", "_first", "_places", "_reads", "function")

    def __init__(
        self,
        function: Callable[..., Any],
        decodes: Sequence[Callable[[Sequence[Any]], Any]],
        reads: Sequence[Callable[[Any], Any] | None],
        places: Sequence[tuple[int, ...]],
        keys: Sequence[Hashable],
    ) -> None:
        self.function = function
        self._decodes = tuple(decodes)
        self._reads = tuple(reads)
        self._places = tuple(places)
        # Equal arguments are read once, so that they are one object.
        read = list(zip(keys, self._places, strict=True))
        self._first = [read.index(one) for one in read]

    def __call__(self, *raw: Any) -> Any:
        pairs = zip(self._decodes, self._places, self._first, strict=True)
        given: list[Any] = []
        for decode, spots, first in pairs:
            known = first < len(given)
            given.append(given[first] if known else decode([raw[spot] for spot in spots]))
        return self.function(*given)

    def read(self, columns: Sequence[Column]) -> list[Column] | None:
        """The columns of the arguments; None where reading some row raises."""
        try:
            found: list[Column] = []
            for number, first in enumerate(self._first):
                found.append(found[first] if first < number else self._read(number, columns))
        except (Exception, Refused):  # noqa: BLE001  which rows do is found row by row
            return None
        return found

    def _read(self, number: int, columns: Sequence[Column]) -> Column:
        decode, read, spots = self._decodes[number], self._reads[number], self._places[number]
        given = [columns[spot] for spot in spots]
        if not given:  # a list that the function makes is a new one for each row
            return [decode(()) for _ in columns[0]]
        if len(given) > 1:
            return list(map(decode, zip(*given, strict=True)))
        column = given[0]
        if read is None or (read is plain_object and PLAIN_TYPES.issuperset(map(type, column))):
            return column
        return list(map(read, column))
