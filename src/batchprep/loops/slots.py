"""The columns of all that a row part gives for a batch, and the interpreter's part in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from batchprep.batch.batch import Batch
from batchprep.loops import messages
from batchprep.loops.columns import Answers, Shared, SlotColumn
from batchprep.loops.go_on import GoOn
from batchprep.loops.split import Step
from batchprep.loops.stable import is_stable
from batchprep.plan.stage import Part
from batchprep.run.execute import Columns
from batchprep.schema import Field

NO_ROWS: Final = np.zeros(0, np.intp)


def slots_of(
    columns: Columns,
    batch: Batch,
    reads: Mapping[str, Field],
    answers: Answers,
    steps: Iterable[Step],
) -> dict[str, SlotColumn]:
    """The columns of what the row part gives, by key."""
    parts = dict(columns.stage.template.parts).get("struct")
    by_key: dict[str, list[Part]] = {}
    for part in parts.parts if parts is not None else ():
        by_key.setdefault(str(part.key), []).append(part)
    for key in {key for given in answers.steps for key in given}:
        by_key.setdefault(key, [])
    slots = {key: SlotColumn(p, columns, batch, reads, answers, key) for key, p in by_key.items()}
    for together in _one_object(steps):
        _share([slots[key] for key in together if key in slots], columns, batch)
    return slots


def _one_object(steps: Iterable[Step]) -> Iterable[list[str]]:
    """Slots of several steps that are one object in each row: the same variable or field."""
    by_text: dict[str, list[str]] = {}
    for step in steps:
        for key, value in step.slots.items():
            if is_stable(value):
                by_text.setdefault(ast.unparse(value), []).append(key)
    return [keys for keys in by_text.values() if len(keys) > 1]


def _share(slots: Sequence[SlotColumn], columns: Columns, batch: Batch) -> None:
    outputs = {part.output for slot in slots for part in slot.parts}
    if len(slots) > 1 and len(outputs) == 1:
        shared = Shared([part for slot in slots for part in slot.parts], columns, batch)
        for slot in slots:
            slot.shared = shared


def check_not_numbers(steps: Iterable[Step], slots: Mapping[str, SlotColumn]) -> None:
    """Refuse NaN where a step evaluates it twice: two NaN are two keys, and a slot is one.

    Errors:  GoOn
    """
    for step in steps:
        for key in step.repeated:
            if key in slots and any(map(_holds_nan, slots[key].values)):
                raise GoOn(messages.NAN_TWICE)


def _holds_nan(value: Any) -> bool:
    if type(value) is tuple:
        return any(map(_holds_nan, value))
    return type(value) is float and value != value  # noqa: PLR0124  NaN alone differs from itself


def answers_of(
    function: FunctionType,
    columns: Columns,
    batch: Batch,
    given: Mapping[str, list[Any]],
    names: Mapping[str, Any],
) -> Answers:
    """What the interpreter gives for the rows that deviate."""
    if columns.deviating is None:
        return Answers(NO_ROWS, ())
    rows = np.flatnonzero(columns.deviating)
    named = _named(function)
    constants = {name: names[name] for name in named if name in names and name not in given}
    changing = [name for name in named if name in given]
    steps: list[Mapping[str, Any]] = []
    for row, record in zip(rows.tolist(), batch.records(rows), strict=True):
        for name in changing:
            constants[name] = given[name][row]
        try:
            steps.append(function(record, **constants))
        except Exception:  # noqa: BLE001  the loop itself meets it again, in its own turn
            raise GoOn(messages.ROW_RAISES) from None
    return Answers(rows, steps)


def _named(function: FunctionType) -> tuple[str, ...]:
    """The names of its keyword-only arguments."""
    code = function.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
