"""Records, dicts and tuples: reading, writing, spreading."""

from __future__ import annotations

import ast

from batchprep.plan.build import both, either, invert
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.values import Alternative, Cell, Slot, Slots, Sum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import may_change
from batchprep.rowfn.sums import NOTHING, cells_of, literal_of, merge_slots, settled


def new_dict(frame: Frame, slots: Slots) -> Sum:
    """A dict made by the function: later writes are seen through every name of it."""
    cell = Cell()
    frame.state.heap[cell] = slots
    return Sum((Alternative("struct", TRUE, cell),))


def thawed(frame: Frame, value: Sum) -> Sum:
    """The result of an inlined call: a dict that it made can be written into."""
    if len(value.alternatives) == 1 and isinstance(value.alternatives[0].payload, Slots):
        only = value.alternatives[0]
        if only.kind == "struct":
            assert isinstance(only.payload, Slots)  # noqa: S101
            return new_dict(frame, only.payload)
    return value


def lookup(frame: Frame, slots: Slots, key: str | int, node: ast.AST) -> tuple[Sum, Node]:
    """(value, rows that have the key) of a dict or tuple."""
    value, present = NOTHING, FALSE
    replaced = any(slot.key == key and slot.guard is TRUE for slot in slots.slots)
    if slots.base is not FALSE and isinstance(key, str) and not replaced:
        value, present = frame.tracer.field(key)
        present = both(slots.base, present)
    for slot in slots.slots:
        if slot.key == key and type(slot.key) is type(key):
            value = (
                frame.pick(slot.guard, slot.value, value, node)
                if present is not FALSE
                else slot.value
            )
            present = either(present, slot.guard)
    return value, present


def item(frame: Frame, value: Sum, key: object, node: ast.AST) -> Sum:
    """value[key] of a dict or a tuple, KeyError and IndexError included."""
    wrong = FALSE
    found: list[tuple[Node, Sum]] = []
    for a in value:
        slots = frame.slots(a.payload)
        if slots is not None and a.kind == "struct" and isinstance(key, str):
            got, present = lookup(frame, slots, key, node)
            missing = both(a.guard, invert(present))
            frame.fault(missing, "KeyError", f"KeyError: {key!r}", node)
            found.append((a.guard, got))
        elif slots is not None and a.kind in ("tuple", "list") and type(key) is int:
            found.append((a.guard, _element(frame, slots, key, a.guard, node)))
        elif a.kind in ("none", "bool", "int", "float"):
            wrong = either(wrong, a.guard)
        else:
            frame.unsupported(
                node, f"reading an item of a value of kind {a.kind} cannot be compiled"
            )
    frame.fault(wrong, "TypeError", "item of " + " or ".join(value.kinds), node)
    answer = NOTHING
    for guard, got in reversed(found):
        answer = got if answer is NOTHING else frame.pick(guard, got, answer, node)
    return settled(answer)


def _element(frame: Frame, slots: Slots, key: int, guard: Node, node: ast.AST) -> Sum:
    if any(slot.guard is not TRUE for slot in slots.slots):
        frame.unsupported(node, "an item of a tuple whose length differs by row cannot be compiled")
    count = len(slots.slots)
    if not -count <= key < count:
        frame.fault(guard, "IndexError", f"IndexError: {key}", node)
        return NOTHING
    return slots.slots[key].value


def get(frame: Frame, value: Sum, key: object, default: Sum, node: ast.AST) -> Sum:
    """value.get(key, default) of a dict; AttributeError of other kinds."""
    slots = only_dict(frame, value, "get", node)
    if not isinstance(key, str):
        frame.unsupported(node, "the key of .get must be known")
    got, present = lookup(frame, slots, key, node)
    return default if present is FALSE else frame.pick(present, got, default, node)


def only_dict(frame: Frame, value: Sum, method: str, node: ast.AST) -> Slots:
    """The content of a value that is a dict on every row that goes on from here."""
    struct = value.get("struct")
    slots = None if struct is None else frame.slots(struct.payload)
    if struct is None or slots is None:
        frame.unsupported(node, f".{method} of {' or '.join(value.kinds)} cannot be compiled")
    reason = f".{method} of {' or '.join(value.kinds)}"
    frame.fault(invert(struct.guard), "AttributeError", reason, node)
    return slots


def has_key(frame: Frame, value: Sum, key: object, node: ast.AST) -> Node:
    """key in value, of a dict."""
    struct = value.get("struct")
    slots = None if struct is None else frame.slots(struct.payload)
    if struct is None or slots is None or struct.guard is not TRUE or not isinstance(key, str):
        frame.unsupported(
            node, f"`in` of a value of kind {' or '.join(value.kinds)} cannot be compiled"
        )
    return lookup(frame, slots, key, node)[1]


def constant_dict(frame: Frame, value: Sum) -> dict[str, object] | None:
    """The dict that a display of constants makes, or None."""
    only = value.alternatives[0] if len(value.alternatives) == 1 else None
    slots = None if only is None or only.kind != "struct" else frame.slots(only.payload)
    if slots is None or slots.base is not FALSE:
        return None
    try:
        items = {str(slot.key): literal_of(slot.value) for slot in slots.slots}
    except LookupError:
        return None
    if any(may_change(held) for held in items.values()):
        return None  # a list in it is a new one for each row
    return items if all(slot.guard is TRUE for slot in slots.slots) else None


def set_item(frame: Frame, target: Sum, key: object, value: Sum, node: ast.AST) -> None:
    """target[key] = value, seen through every alias of the dict."""
    only = target.alternatives[0] if len(target.alternatives) == 1 else None
    if only is None or not isinstance(only.payload, Cell):
        frame.unsupported(
            node, "writing into a dict that is not surely one dict cannot be compiled"
        )
    if only.payload.sealed:
        frame.unsupported(node, "writing into a dict that was joined with another")
    if only.payload in cells_of(value, frame.state.heap):
        frame.unsupported(node, "a dict that holds itself cannot be compiled")
    if not isinstance(key, str):
        frame.unsupported(node, "writing under a key that is not a known string cannot be compiled")
    if frame.tracer.schema.form == "attributes" and only.payload is frame.tracer.record:
        frame.unsupported(node, "this record is an object: it has no items to write")
    if only.payload is frame.tracer.record:
        frame.tracer.touched = True
    frame.state.heap[only.payload] = with_key(frame.state.heap[only.payload], key, value)


def with_key(slots: Slots, key: str, value: Sum) -> Slots:
    """The slots after key = value: a key keeps its place."""
    new = Slot(key, TRUE, value)
    kept = list(slots.slots)
    places = [i for i, slot in enumerate(kept) if slot.key == key]
    if len(places) == 1 and kept[places[0]].guard is TRUE:
        kept[places[0]] = new
    else:
        kept.append(new)
    return Slots(tuple(kept), slots.base, slots.fresh)


def spread(frame: Frame, into: Slots, value: Sum, node: ast.AST) -> Slots:
    """{..., **value}: the keys of a dict added to the slots so far."""
    only = value.alternatives[0] if len(value.alternatives) == 1 else None
    slots = None if only is None else frame.slots(only.payload)
    if only is None or slots is None or only.kind != "struct":
        frame.unsupported(node, f"** of {' or '.join(value.kinds)} cannot be compiled")
    if slots.base is not FALSE and into.slots:
        frame.unsupported(node, "** of the record must come first", "write {**r, ...}")
    if slots.base is not FALSE and frame.tracer.schema.form == "attributes":
        frame.unsupported(node, "** of a record that is an object cannot be compiled")
    result = Slots(into.slots, slots.base if slots.base is not FALSE else into.base, TRUE)
    for slot in slots.slots:
        before = result
        result = with_key(result, str(slot.key), slot.value)
        if slot.guard is not TRUE:
            heap = frame.state.heap
            result = merge_slots(slot.guard, result, before, heap, heap)
    return result


def unpack(frame: Frame, value: Sum, count: int, node: ast.AST) -> list[Sum]:
    """The values for `a, b = value`."""
    wrong, items = FALSE, None
    for a in value:
        slots = frame.slots(a.payload)
        if a.kind in ("none", "bool", "int", "float"):
            wrong = either(wrong, a.guard)
        elif slots is not None and a.kind in ("tuple", "list"):
            items = _items(frame, slots, count, a.guard, node)
        else:
            frame.unsupported(node, f"unpacking a value of kind {a.kind} cannot be compiled")
    frame.fault(wrong, "TypeError", "unpacking " + " or ".join(value.kinds), node)
    return items or [NOTHING] * count


def _items(frame: Frame, slots: Slots, count: int, guard: Node, node: ast.AST) -> list[Sum] | None:
    if any(slot.guard is not TRUE for slot in slots.slots):
        frame.unsupported(node, "unpacking a tuple whose length differs by row cannot be compiled")
    if len(slots.slots) != count:
        reason = f"unpacking {len(slots.slots)} values into {count}"
        frame.fault(guard, "ValueError", reason, node)
        return None
    return [slot.value for slot in slots.slots]
