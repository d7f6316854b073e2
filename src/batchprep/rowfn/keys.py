"""What a chain does with the keys of its rows, as plain functions and as the tracer reads them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from batchprep.batch.access import form_of_type
from batchprep.batch.copies import deep_copy, record_copy
from batchprep.batch.record_rows import dict_of_record
from batchprep.plan.build import invert
from batchprep.plan.node import FALSE, TRUE
from batchprep.plan.values import Slot, Slots, Sum
from batchprep.rowfn.dicts import lookup, new_dict, spread, with_key
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.messages import not_row_text
from batchprep.rowfn.sums import Value, literal_of

Keywords = Mapping[str, Value]


def select_keys(row: Any, names: Sequence[str]) -> dict[str, Any]:
    """The row with these keys alone, in this order; one that it lacks stays absent."""
    items = _items(row)
    return {name: items[name] for name in names if name in items}


def drop_keys(row: Any, names: Sequence[str]) -> dict[str, Any]:
    """The row without these keys."""
    return {name: value for name, value in _items(row).items() if name not in names}


def rename_keys(row: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """The row with keys under other names, each in its place."""
    return {names.get(name, name): value for name, value in _items(row).items()}


def with_keys(row: Any, new: dict[str, Any]) -> dict[str, Any]:
    """The row with further keys; those that it has already keep their place."""
    return {**_items(row), **new}


def _items(row: Any) -> Mapping[str, Any]:
    if isinstance(row, dict):
        return cast("dict[str, Any]", row)
    if form_of_type(type(row)) is None:
        raise TypeError(not_row_text(row))
    return dict_of_record(row)


# ------------------------------------------------------------------------------- the same, traced


def _select(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    del keywords
    slots = _row(frame, arguments, node)
    chosen = Slots((), fresh=TRUE)
    for name in cast("Sequence[str]", literal_of(arguments[1])):
        value, present = lookup(frame, slots, name, node)
        if present is not FALSE:
            chosen = Slots((*chosen.slots, Slot(name, present, value)), fresh=TRUE)
    return new_dict(frame, chosen)


def _drop(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    del keywords
    dropped = cast("Sequence[str]", literal_of(arguments[1]))
    slots = _listed(frame, _row(frame, arguments, node), node)
    kept = tuple(slot for slot in slots.slots if slot.key not in dropped)
    return new_dict(frame, Slots(kept, fresh=TRUE))


def _rename(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    del keywords
    names = cast("Mapping[Any, str]", literal_of(arguments[1]))
    slots = _listed(frame, _row(frame, arguments, node), node)
    keys = {slot.key for slot in slots.slots}
    if any(new in keys and new not in names for old, new in names.items() if old in keys):
        frame.unsupported(node, "renaming to a key that the row has already cannot be compiled")
    renamed = (Slot(names.get(slot.key, slot.key), slot.guard, slot.value) for slot in slots.slots)
    return new_dict(frame, Slots(tuple(renamed), fresh=TRUE))


def _with(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    del keywords
    row = _only_row(frame, arguments, node)
    into = spread(frame, Slots((), fresh=TRUE), row, node)
    return new_dict(frame, spread(frame, into, frame.lift(arguments[1], node), node))


def _copied(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    # What is compiled writes into the row itself at most: values deeper in it are shared.
    del keywords
    row = frame.lift(arguments[0], node)
    if row.kinds != ("struct",):
        return row
    return new_dict(frame, spread(frame, Slots((), fresh=TRUE), row, node))


def _row(frame: Frame, arguments: list[Value], node: ast.AST) -> Slots:
    slots = frame.slots(_only_row(frame, arguments, node).alternatives[0].payload)
    if slots is None:
        frame.unsupported(node, "the keys of a value of the record are not known")
    return slots


def _only_row(frame: Frame, arguments: list[Value], node: ast.AST) -> Sum:
    """The row on those paths that go on: other kinds raise TypeError."""
    value = frame.lift(arguments[0], node)
    struct = value.get("struct")
    if struct is None:
        frame.unsupported(node, f"a row is {' or '.join(value.kinds)}, which has no keys")
    frame.fault(invert(struct.guard), "TypeError", "row that is no dict", node)
    return Sum((type(struct)("struct", TRUE, struct.payload),))


def _listed(frame: Frame, slots: Slots, node: ast.AST) -> Slots:
    """The slots with the record's own keys written out."""
    if slots.base is FALSE:
        return slots
    names = frame.tracer.all_names()
    if names is None or slots.base is not TRUE:
        frame.unsupported(node, "the keys of the records are not known before they are read")
    found = Slots((), fresh=TRUE)
    for name in names:
        value, present = frame.tracer.field(name)
        found = Slots((*found.slots, Slot(name, present, value)), fresh=TRUE)
    for slot in slots.slots:
        if slot.guard is not TRUE:
            frame.unsupported(node, "the order of the row's keys differs by row")
        found = with_key(found, str(slot.key), slot.value)
    return found


Handler = Callable[[Frame, list[Value], Any, ast.AST], Sum]
KEY_CALLS: Final[dict[Any, Handler]] = {
    select_keys: _select,
    drop_keys: _drop,
    rename_keys: _rename,
    with_keys: _with,
    record_copy: _copied,
    deep_copy: _copied,
}
