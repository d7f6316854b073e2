"""Whether a result holds one new object in two places, which would be made twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from batchprep.plan.node import Node, in_order
from batchprep.plan.tables import Outcome
from batchprep.plan.values import Cell, Slots, Sum
from batchprep.rowfn.sums import cells_of


def holds_twice(value: Sum, heap: Mapping[Cell, Slots], record: Cell) -> bool:
    """Whether a dict or list that the function makes stands in two places, or may do so."""
    cells = [cell for cell in cells_of(value, heap) if cell is not record]
    if len(set(cells)) != len(cells):
        return True
    # An object may hold a copy of a dict that was given away.
    return any(cell.given for cell in cells) and any(True for _ in _objects(value, heap))


def makes_twice(value: Sum, heap: Mapping[Cell, Slots]) -> bool:
    """Whether an object of the result is made once more inside of another one."""
    objects = in_order(_objects(value, heap))
    pures = [node.attr.pure for node in objects if isinstance(node.attr, Outcome)]
    made_inside = {node for pure in pures for node in pure.inner}
    handed_on = Counter(node for pure in pures for node in set(pure.handed_on))
    return bool(made_inside.intersection(objects)) or any(n > 1 for n in handed_on.values())


def _objects(value: Sum, heap: Mapping[Cell, Slots]) -> Iterator[Node]:
    """Every object of the pool that the value is or holds."""
    for alternative in value:
        payload = alternative.payload
        if isinstance(payload, Cell):
            payload = heap[payload]
        if isinstance(payload, Slots):
            for slot in payload.slots:
                yield from _objects(slot.value, heap)
        elif payload is not None and payload.dtype == "o":
            yield payload
