"""The elements that the rounds of an inner loop go over, those of all rows one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np

from batchprep.loops import messages
from batchprep.loops.columns import Rows, SlotColumn
from batchprep.loops.go_on import GoOn
from batchprep.loops.inner import Inner

GONE_OVER: Final = (list, tuple, str, dict)


@dataclass(frozen=True)
class Elements:
    """Rounds as rows.

    records  the elements, or as many empty records where the elements are given as values
    rows     the row that each belongs to
    given    columns of what is given of each: the element and what its round reads around it
    """

    records: list[Any]
    rows: Rows
    given: Mapping[str, list[Any]]


def elements_of(inner: Inner, slots: Mapping[str, SlotColumn]) -> Elements | None:
    """The rounds of a batch; None where no row gets to the inner loop.

    Errors:  GoOn where only the loop itself is known to do it
    """
    column = slots.get(inner.elements)
    if column is None:
        return None
    if not set(map(type, column.values)) <= set(GONE_OVER):
        raise GoOn(messages.ROW_RAISES)
    lengths = np.fromiter(map(len, column.values), np.intp, len(column.values))
    elements = list(chain.from_iterable(column.values))
    given = {name: _repeated(slots[key].values, lengths) for name, key in inner.outer}
    rows = np.repeat(column.rows, lengths)
    if not inner.targets:
        if not all(type(element) is dict for element in elements):
            raise GoOn(messages.ROW_RAISES)
        return Elements(elements, rows, given)
    if inner.apart:
        given |= _taken_apart(inner, elements)
    else:
        given[inner.targets[0]] = elements
    return Elements([{}] * len(elements), rows, given)


def _taken_apart(inner: Inner, elements: list[Any]) -> dict[str, list[Any]]:
    count = len(inner.targets)
    if not all(type(e) in (tuple, list) and len(e) == count for e in elements):
        raise GoOn(messages.ROW_RAISES)
    return {name: [e[place] for e in elements] for place, name in enumerate(inner.targets)}


def _repeated(values: list[Any], lengths: Rows) -> list[Any]:
    objects = np.fromiter(values, np.object_, len(values))
    return np.repeat(objects, lengths).tolist()
