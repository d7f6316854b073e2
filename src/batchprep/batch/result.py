"""Result columns: kinds and payloads of a stage's output as one Arrow array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch.arrow_types import arrow_type_of_kinds, members_of_union
from batchprep.batch.column import Codes, Mask
from batchprep.batch.messages import changed_text
from batchprep.dtypes import KIND_CODE, Kind

Payload: TypeAlias = "pa.Array[Any] | npt.NDArray[Any]"

_WIDEST: Final[dict[Kind, npt.DTypeLike]] = {
    "bool": np.bool_,
    "int": np.int64,
    "float": np.float64,
}


def arrow_column(
    code: Codes | Kind,
    payloads: Mapping[Kind, Payload],
    length: int,
    kinds: Iterable[Kind] | None = None,
) -> pa.Array[Any]:
    """The column as Arrow: int|float is double, X|None a nullable X, other mixes a sparse union.

    `kinds` are those that the column may have; without it, the kinds of the payloads and those
    that occur. The type depends on them alone, so that it is the same for every batch.

    Errors:  ValueError for an int that a double would change (see `changed_as_double`)
    """
    present: set[Kind] = {*payloads, *(_occurring(code) if kinds is None else kinds)}
    members = members_of_union(present)
    if len(members) > 1:
        return _union(code, payloads, length, members)
    kind = next(iter(members))
    if kind == "none":
        return pa.nulls(length)
    if kind == "float" and "int" in present:
        return _double(code, payloads, length)
    return _nullable(_payload(payloads, kind, length), kind, _rows_of(code, kind, length))


def changed_as_double(ints: npt.NDArray[Any]) -> Mask:
    """Which ints a double would change: some beyond 2**53."""
    doubles = ints.astype(np.float64)
    within = doubles < 2.0**63
    return ~within | (np.where(within, doubles, 0.0).astype(np.int64) != ints)


def _payload(payloads: Mapping[Kind, Payload], kind: Kind, length: int) -> Payload:
    """The payload of a kind; nulls where the column may have it but no row does."""
    found = payloads.get(kind)
    dtype: Any = arrow_type_of_kinds((kind,)) if found is None else None
    return pa.nulls(length, dtype) if found is None else found


def _occurring(code: Codes | Kind) -> set[Kind]:
    if isinstance(code, str):
        return {code}
    empty: tuple[Kind, ...] = ("absent", "none")
    return {kind for kind in empty if (code == KIND_CODE[kind]).any()}


def _rows_of(code: Codes | Kind, kind: Kind, length: int) -> Mask | None:
    """Rows of that kind; None where all are."""
    if isinstance(code, str):
        return None if code == kind else np.zeros(length, np.bool_)
    rows = code == KIND_CODE[kind]
    return None if rows.all() else rows


def _nullable(payload: Payload, kind: Kind, rows: Mask | None) -> pa.Array[Any]:
    if isinstance(payload, np.ndarray):
        widened = np.ascontiguousarray(payload, _WIDEST[kind])
        return pa.array(widened, mask=None if rows is None else ~rows, from_pandas=False)
    if rows is None:
        return payload
    return pc.if_else(pa.array(rows), payload, pa.scalar(None, payload.type))


def _double(code: Codes | Kind, payloads: Mapping[Kind, Payload], length: int) -> pa.Array[Any]:
    ints = np.asarray(payloads.get("int", np.zeros(length, np.int64)))
    floats = np.asarray(payloads.get("float", np.zeros(length)), np.float64)
    are_ints = _full(_rows_of(code, "int", length), length)
    changed = np.flatnonzero(changed_as_double(ints) & are_ints)
    if len(changed):
        raise ValueError(changed_text(int(changed[0]), int(ints[changed[0]])))
    filled = are_ints | _full(_rows_of(code, "float", length), length)
    merged = np.where(are_ints, ints.astype(np.float64), floats)
    return _nullable(merged, "float", None if filled.all() else filled)


def _full(rows: Mask | None, length: int) -> Mask:
    return np.ones(length, np.bool_) if rows is None else rows


def _union(
    code: Codes | Kind, payloads: Mapping[Kind, Payload], length: int, members: tuple[Kind, ...]
) -> pa.Array[Any]:
    types = np.zeros(128, np.int8)  # an empty kind is the first member, "none"
    types[[KIND_CODE[kind] for kind in members]] = np.arange(len(members))
    codes = np.full(length, KIND_CODE[code], np.int8) if isinstance(code, str) else code
    children = [_member(payloads, kind, length) for kind in members]
    return pa.UnionArray.from_sparse(pa.array(types[codes], pa.int8()), children, list(members))


def _member(payloads: Mapping[Kind, Payload], kind: Kind, length: int) -> pa.Array[Any]:
    return (
        pa.nulls(length)
        if kind == "none"
        else _nullable(_payload(payloads, kind, length), kind, None)
    )
