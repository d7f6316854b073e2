"""Kinds of Python values, and the dtypes that carry them through the graph."""

from __future__ import annotations

from typing import Final, Literal

Kind = Literal[
    "absent",
    "none",
    "bool",
    "int",
    "float",
    "str",
    "date",
    "datetime",
    "timedelta",
    "list",
    "tuple",
    "struct",
    "other",
    "any",
]

KINDS: Final[tuple[Kind, ...]] = (
    "absent",
    "none",
    "bool",
    "int",
    "float",
    "str",
    "date",
    "datetime",
    "timedelta",
    "list",
    "tuple",
    "struct",
    "other",
    "any",  # whatever Python computed: its kind is not told apart; in no field
)
KIND_CODE: Final[dict[Kind, int]] = {kind: code for code, kind in enumerate(KINDS)}

# b bool, i int64, f float64, s code of a string in the batch's pool (int32),
# k kind code (int8), r number of the field whose own value is meant (int32),
# o number of a Python object in the batch's pool (int32).
DType = Literal["b", "i", "f", "s", "k", "r", "o"]


class Dropped:
    """What a chain of steps gives for a row that goes no further; in the graph, kind "absent"."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<dropped>"


DROPPED: Final = Dropped()

NUMERIC: Final[frozenset[Kind]] = frozenset({"bool", "int", "float"})
# A date is its days, a naive datetime its microseconds since 1970, a timedelta its microseconds.
SCALAR_DTYPE: Final[dict[Kind, DType]] = {
    "bool": "b",
    "int": "i",
    "float": "f",
    "str": "s",
    "date": "i",
    "datetime": "i",
    "timedelta": "i",
}
EMPTY: Final[frozenset[Kind]] = frozenset({"absent", "none"})  # kinds without a payload

INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1
# What their payloads reach: years 1 to 9999; -2**63 is NumPy's and Arrow's NaT.
TIME_BOUNDS: Final[dict[Kind, tuple[int, int]]] = {
    "date": (-719_162, 2_932_896),
    "datetime": (-62_135_596_800_000_000, 253_402_300_799_999_999),
    "timedelta": (-INT64_MAX, INT64_MAX),
}


def payload_dtype(kind: Kind) -> DType | None:
    """Dtype of a field's payload of this kind: None where the kind says it all."""
    return None if kind in EMPTY else SCALAR_DTYPE.get(kind, "r")
