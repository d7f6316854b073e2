"""Which names of a traced function alone hold their object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from batchprep.dtypes import SCALAR_DTYPE
from batchprep.plan.node import FALSE, Node, in_order
from batchprep.plan.values import Cell, Sum
from batchprep.rowfn.frame import Binding, Frame
from batchprep.rowfn.lazy import object_of
from batchprep.rowfn.sums import Lazy, Value


def is_record(frame: Frame, value: Value) -> bool:
    """Whether the value is the caller's record on every row."""
    return isinstance(value, Sum) and [a.payload for a in value] == [frame.tracer.record]


def owned_depth(frame: Frame, names: Mapping[str, Binding], name: str) -> int:
    """How deep the object of a name is the function's own: 1 itself, 2 what it holds as well.

    0 where it may not be, or where it can be reached in another way.
    """
    binding = names.get(name)
    depth = 0 if binding is None else _made_depth(frame, binding.value)
    if binding is None or not depth:
        return 0
    return 0 if is_shared(frame, names, name) else depth


def is_shared(frame: Frame, names: Mapping[str, Binding], name: str) -> bool:
    """Whether the object of a name can be reached by another one, or by the caller."""
    own = set(reached(frame, names[name].value))
    others = [b.value for n, b in names.items() if n != name]
    return any(own.intersection(reached(frame, v)) for v in (*others, *frame.given))


def _made_depth(frame: Frame, value: Value) -> int:
    if isinstance(value, Lazy):
        if value in frame.tracer.fresh:
            return 1
        return frame.tracer.owned.get(value.nodes[0], 0) if len(value.nodes) == 1 else 0
    if not isinstance(value, Sum) or len(value.alternatives) != 1 or is_record(frame, value):
        return 0
    payload = value.alternatives[0].payload
    if isinstance(payload, Node):
        return frame.tracer.owned.get(payload, 0)
    slots = frame.slots(payload)
    cells = {payload} if isinstance(payload, Cell) else set[Cell]()
    if slots is None or any(cell.sealed for cell in cells | slots.origins):
        return 0  # a copy of it stands for it somewhere
    own = slots.base is FALSE and all(_is_plain(slot.value) for slot in slots.slots)
    return 2 if own else 1


def _is_plain(value: Sum) -> bool:
    return all(kind == "none" or kind in SCALAR_DTYPE for kind in value.kinds)


def reached(frame: Frame, value: Value) -> Iterator[object]:
    """Everything by which an object can be reached from a value: cells, slots, object nodes."""
    if isinstance(value, Lazy):
        yield object_of(value)
        yield from value.pure.inner
        if value not in frame.tracer.fresh:
            yield from _objects(frame, value.nodes)
    if not isinstance(value, Sum):
        return
    for alternative in value:
        payload = alternative.payload
        if isinstance(payload, Node):
            yield from _objects(frame, [payload])
        slots = frame.slots(payload)
        if payload is not None and slots is not None:
            if isinstance(payload, Cell):
                yield payload
            yield from slots.origins
            for slot in slots.slots:
                yield from reached(frame, slot.value)


def _objects(frame: Frame, nodes: Sequence[Node]) -> Iterator[Node]:
    """The objects that a node picks from or is made of; one that is owned is itself alone."""
    for node in nodes:
        if node in frame.tracer.owned:
            yield node
        else:
            yield from (part for part in in_order([node]) if part.dtype == "o")


def is_rewritten(frame: Frame, value: Value) -> bool:
    """Whether the value is a record that the function wrote into, or the record as it came."""
    if is_record(frame, value):
        return True
    if not isinstance(value, Sum) or value.kinds != ("any",):
        return False
    payload = value.alternatives[0].payload
    stack = [payload] if isinstance(payload, Node) else []
    while stack:
        node = stack.pop()
        if node.op == "select":
            stack += node.args[1:]
        elif node not in frame.tracer.rewritten and not (node.op == "object" and node.attr is None):
            return False
    return True
