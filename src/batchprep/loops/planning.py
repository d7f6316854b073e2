"""How each unit of steps is brought up to date for a batch, and the row that ends the loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from batchprep.loops.columns import SlotColumn
from batchprep.loops.pieces import Piece
from batchprep.loops.split import Step
from batchprep.loops.units import Unit
from batchprep.loops.updates import Update, plan_update, plan_write

Ending = tuple[bool, Any] | None  # whether it leaves the function too, and with what


def plans_of_units(
    units: Iterable[Unit], slots: Mapping[str, SlotColumn], names: Mapping[str, Any]
) -> tuple[list[Update], list[Step]]:
    """The updates that array code does, and the steps that must run in sequence."""
    updates: list[Update] = []
    writes: list[Unit] = []
    left: list[Step] = []
    for unit in units:
        kind = unit.shapes[0].kind if unit.shapes is not None else ""
        if kind == "write":
            writes.append(unit)
        elif kind != "exit":
            update = planned(unit, slots, names)
            if update is None:
                left += unit.steps
            else:
                updates.append(update)
    # What a step in sequence raises or reads must find the records as they are by then.
    if left:
        left += [step for unit in writes for step in unit.steps]
    else:
        updates += [plan_write(_pieces(unit, slots)) for unit in writes]
    return updates, left


def planned(unit: Unit, slots: Mapping[str, SlotColumn], names: Mapping[str, Any]) -> Update | None:
    """How array code brings a unit up to date; None where its steps must run in sequence."""
    if unit.shapes is None or unit.state not in names:
        return None if unit.shapes is None else _planned_unbound(unit, slots)
    pieces = _pieces(unit, slots)
    return plan_update(names[unit.state], pieces) if pieces else _nothing


def _planned_unbound(unit: Unit, slots: Mapping[str, SlotColumn]) -> Update | None:
    """A name without a value before the loop may only be given one."""
    if unit.shapes is None or unit.shapes[0].kind != "last":
        return None
    pieces = _pieces(unit, slots)
    return plan_update(None, pieces) if pieces else _nothing


def _pieces(unit: Unit, slots: Mapping[str, SlotColumn]) -> list[Piece]:
    """The steps that some row reaches."""
    pairs = zip(unit.steps, unit.shapes or (), strict=True)
    return [Piece(step, shape, slots) for step, shape in pairs if step.key in slots]


def _nothing(_limit: int) -> dict[str, Any]:
    return {}


def first_end(
    units: Iterable[Unit], slots: Mapping[str, SlotColumn], length: int
) -> tuple[int, Ending]:
    """How many rows the loop goes over, and how a row ends it: (whether it returns, what)."""
    limit, ending = length, None
    for unit in units:
        if unit.shapes is None or unit.shapes[0].kind != "exit":
            continue
        for piece in _pieces(unit, slots):
            if len(piece.rows) and piece.rows[0] < limit:
                limit = int(piece.rows[0]) + 1
                ending = (piece.shape.returns, piece.all_values(piece.shape.value)[0])
    return limit, ending
