"""New values of the state from whole columns: what the loop would have made of it, bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from batchprep.loops.columns import Numbers
from batchprep.loops.groups import plan_groups
from batchprep.loops.pieces import EXACT, Piece, exact_sum, largest, left_fold, merged, merged_order
from batchprep.loops.shapes import BEATS

# Given the number of rows to go over: the new values of the states by name. It does not fail.
Update = Callable[[int], dict[str, Any]]
HASHED: Final = (int, str, float, bool, type(None), bytes)


def plan_update(state: Any, pieces: Sequence[Piece]) -> Update | None:
    """How to bring a state up to date; None where only the steps in sequence are known to be exact.

    Nothing is changed before the update is called.
    """
    kinds = {piece.shape.kind for piece in pieces}
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    return PLANS[kind](state, pieces)


def _plan_append(state: Any, pieces: Sequence[Piece]) -> Update | None:
    if type(state) is not list:
        return None
    name = pieces[0].shape.state

    def update(limit: int) -> dict[str, Any]:
        columns = [piece.values(piece.shape.value, piece.upto(limit)) for piece in pieces]
        state.extend(merged(pieces, columns, limit))
        return {name: state}

    return update


def _plan_extend(state: Any, pieces: Sequence[Piece]) -> Update | None:
    columns = [piece.all_values(piece.shape.value) for piece in pieces]
    types = {type(value) for values in columns for value in values}
    if type(state) is not list or not types <= {list, tuple, str, dict}:
        return None
    name = pieces[0].shape.state

    def update(limit: int) -> dict[str, Any]:
        for values in merged(pieces, columns, limit):
            state.extend(values)
        return {name: state}

    return update


def _plan_add(state: Any, pieces: Sequence[Piece]) -> Update | None:
    columns = [piece.all_values(piece.shape.value) for piece in pieces]
    if type(state) is not set or not all(set(map(type, c)) <= set(HASHED) for c in columns):
        return None
    name = pieces[0].shape.state

    def update(limit: int) -> dict[str, Any]:
        state.update(merged(pieces, columns, limit))
        return {name: state}

    return update


# ------------------------------------------------------------------------------------------- sums


def _plan_sum(state: Any, pieces: Sequence[Piece]) -> Update | None:
    if type(state) is list and not any(piece.shape.negative for piece in pieces):
        return _plan_extend(state, pieces)
    columns = [piece.numbers(piece.shape.value) for piece in pieces]
    if type(state) not in (int, float) or None in columns:
        return None
    known = [column for column in columns if column is not None]
    if type(state) is int and all(column.kind in ("int", "bool") for column in known):
        return _sum_of_ints(state, pieces, known)
    if type(state) is int and (
        abs(state) > EXACT or not all(column.kind == "float" for column in known)
    ):
        return None
    doubles = [_as_doubles(column) for column in known]
    if any(array is None for array in doubles):
        return None
    return _sum_of_floats(
        float(cast("float", state)), pieces, [array for array in doubles if array is not None]
    )


def _sum_of_ints(state: int, pieces: Sequence[Piece], columns: Sequence[Numbers]) -> Update:
    def update(limit: int) -> dict[str, Any]:
        total = state
        for piece, column in zip(pieces, columns, strict=True):
            part = exact_sum(column.array[: piece.upto(limit)])
            total += -part if piece.shape.negative else part
        return {pieces[0].shape.state: total}

    return update


def _sum_of_floats(
    state: float, pieces: Sequence[Piece], arrays: Sequence[npt.NDArray[np.float64]]
) -> Update:
    def update(limit: int) -> dict[str, Any]:
        counts = [piece.upto(limit) for piece in pieces]
        if not sum(counts):
            return {}
        signed = [
            -array[:count] if piece.shape.negative else array[:count]
            for piece, array, count in zip(pieces, arrays, counts, strict=True)
        ]
        values = signed[0]
        if len(pieces) > 1:
            values = np.concatenate(signed)[merged_order(pieces, counts)]
        return {pieces[0].shape.state: left_fold(state, values)}

    return update


def _as_doubles(column: Numbers) -> npt.NDArray[np.float64] | None:
    """Numbers as doubles; None where one would change."""
    if column.kind == "int" and largest(column.array) > EXACT:
        return None
    return column.array.astype(np.float64, copy=False)


# --------------------------------------------------------------------------------- extremes, last


def _plan_extreme(state: Any, pieces: Sequence[Piece]) -> Update | None:
    if len(pieces) != 1:
        return None
    piece, shape = pieces[0], pieces[0].shape
    find = _finder(piece)
    comparable = type(state) in (int, float) if find is not _first_text else type(state) is str
    if find is None or not (comparable or (state is None and shape.from_none)) or state != state:  # noqa: PLR0124
        return None

    def update(limit: int) -> dict[str, Any]:
        count = piece.upto(limit)
        if not count:
            return {}
        place, value = find(piece, count)
        if state is not None and not BEATS[shape.beats](value, state):
            return {}
        rest = {name: piece.value(operand, place) for name, operand in shape.others}
        return {shape.state: value, **rest}

    return update


def _finder(piece: Piece) -> Callable[[Piece, int], tuple[int, Any]] | None:
    found = piece.numbers(piece.shape.value)
    if found is not None:
        has_nan = found.kind == "float" and bool(np.isnan(found.array).any())
        return None if has_nan else _first_number
    types = set(map(type, piece.all_values(piece.shape.value)))
    return _first_text if types == {str} else None


def _first_number(piece: Piece, count: int) -> tuple[int, Any]:
    found = piece.numbers(piece.shape.value)
    assert found is not None  # noqa: S101  it was found when the update was planned
    array, beats = found.array[:count], piece.shape.beats
    # The first of equal values, or the last where an equal one takes its place: 0.0 equals -0.0.
    array = array[::-1] if "=" in beats else array
    place = int(array.argmax() if beats[0] == ">" else array.argmin())
    place = count - 1 - place if "=" in beats else place
    return place, piece.value(piece.shape.value, place)


def _first_text(piece: Piece, count: int) -> tuple[int, Any]:
    values, beats = piece.values(piece.shape.value, count), piece.shape.beats
    value = max(values) if beats[0] == ">" else min(values)
    if "=" in beats:
        return count - 1 - values[::-1].index(value), value
    return values.index(value), value


def _plan_last(_state: Any, pieces: Sequence[Piece]) -> Update | None:
    def update(limit: int) -> dict[str, Any]:
        ends = [(p.rows[p.upto(limit) - 1], n) for n, p in enumerate(pieces) if p.upto(limit)]
        if not ends:
            return {}
        _, number = max(ends)
        piece = pieces[number]
        return {piece.shape.state: piece.value(piece.shape.value, piece.upto(limit) - 1)}

    return update


def plan_write(pieces: Sequence[Piece]) -> Update:
    """How to write into the records, each of which is seen by no other row."""
    for piece in pieces:
        for operand in (piece.shape.value, piece.shape.others[0][1]):
            piece.all_values(operand)

    def update(limit: int) -> dict[str, Any]:
        for piece in pieces:
            shape, count = piece.shape, piece.upto(limit)
            assert shape.key is not None  # noqa: S101  a write has one
            records = piece.values(shape.others[0][1], count)
            for record, value in zip(records, piece.values(shape.value, count), strict=True):
                record[shape.key.constant] = value
        return {}

    return update


PLANS: Final[dict[str, Callable[[Any, Sequence[Piece]], Update | None]]] = {
    "append": _plan_append,
    "extend": _plan_extend,
    "add": _plan_add,
    "sum": _plan_sum,
    "extreme": _plan_extreme,
    "last": _plan_last,
    "group_sum": plan_groups,
    "group_append": plan_groups,
    "put": plan_groups,
}
