"""Functions of what nodes hold, made of a function and its arguments' readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from batchprep.plan.plain import PLAIN_TYPES, plain_object
from batchprep.plan.tables import Refused

Column = Sequence[Any]


class Composed:
    """`function` of several arguments, each read from nodes at some of the places.

    Called, it is the function of one row's values. Over columns, each argument is read once.

    decodes  the argument of the values at its places
    reads    the same of the only value; None: the value itself
    """

    __slots__ = ("_decodes", "_places", "_reads", "function")

    def __init__(
        self,
        function: Callable[..., Any],
        decodes: Sequence[Callable[[Sequence[Any]], Any]],
        reads: Sequence[Callable[[Any], Any] | None],
        places: Sequence[tuple[int, ...]],
    ) -> None:
        self.function = function
        self._decodes = tuple(decodes)
        self._reads = tuple(reads)
        self._places = tuple(places)

    def __call__(self, *raw: Any) -> Any:
        pairs = zip(self._decodes, self._places, strict=True)
        return self.function(*[decode([raw[spot] for spot in spots]) for decode, spots in pairs])

    def read(self, columns: Sequence[Column]) -> list[Column] | None:
        """The columns of the arguments; None where reading some row raises."""
        try:
            return [self._read(number, columns) for number in range(len(self._places))]
        except (Exception, Refused):  # noqa: BLE001  which rows do is found row by row
            return None

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
