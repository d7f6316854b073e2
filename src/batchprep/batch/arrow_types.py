"""Kinds of an Arrow type, and the Arrow type of kinds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.messages import no_type_text
from batchprep.dtypes import EMPTY, INT64_MAX, INT64_MIN, KINDS, Kind
from batchprep.schema import Field

_ARROW_TYPE: Final[dict[Kind, pa.DataType]] = {
    "bool": pa.bool_(),
    "int": pa.int64(),
    "float": pa.float64(),
    "str": pa.string(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "timedelta": pa.duration("us"),
}

_KIND_TESTS: Final[tuple[tuple[Any, Kind], ...]] = (
    (pt.is_null, "none"),
    (pt.is_boolean, "bool"),
    (pt.is_integer, "int"),
    (pt.is_floating, "float"),
    (pt.is_string, "str"),
    (pt.is_large_string, "str"),
    (pt.is_string_view, "str"),
    (pt.is_date, "date"),
    (pt.is_timestamp, "datetime"),
    (pt.is_duration, "timedelta"),
    (pt.is_list, "list"),
    (pt.is_large_list, "list"),
    (pt.is_fixed_size_list, "list"),
    (pt.is_list_view, "list"),
    (pt.is_large_list_view, "list"),
    (pt.is_struct, "struct"),
)


_TYPES: Final = 1_024  # whose answers are kept: a call on few rows asks for the same ones


P = ParamSpec("P")
T = TypeVar("T")


def by_type(function: Callable[P, T]) -> Callable[P, T]:
    """The function with its answers kept; those of types that have no hash are made anew.

    An extension type that is written in Python has none, unless its author gives it one.
    """
    kept = lru_cache(maxsize=_TYPES)(function)

    @wraps(function)
    def answer(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return kept(*args, **kwargs)
        except TypeError:
            if all(isinstance(arg, Hashable) for arg in args):
                raise
            return function(*args, **kwargs)

    return answer


def type_key(dtype: Any) -> Hashable:
    """What stands for a type among the keys of a dict."""
    return dtype if isinstance(dtype, Hashable) else str(dtype)


def value_type(dtype: pa.DataType) -> pa.DataType:
    """Type of the values behind dictionary and run-end encoding."""
    while isinstance(dtype, (pa.DictionaryType, pa.RunEndEncodedType)):
        dtype = dtype.value_type
    return dtype


@by_type
def numpy_type(dtype: pa.DataType) -> np.dtype[Any]:
    """The NumPy dtype of a numeric type."""
    return np.dtype(cast("Any", value_type(dtype).to_pandas_dtype()))


@by_type
def kind_of_type(dtype: pa.DataType) -> Kind:
    """Kind of the values of a type that are not null; "other" where it has no semantics yet."""
    dtype = value_type(dtype)
    for test, kind in _KIND_TESTS:
        if test(dtype):
            return kind
    return "other"


def column_kind(dtype: pa.DataType) -> Kind:
    """Kind that columns of a type have: instants with a zone are no naive datetimes."""
    plain = value_type(dtype)
    zoned = isinstance(plain, pa.TimestampType) and plain.tz is not None
    return "other" if zoned else kind_of_type(dtype)


@by_type
def field_of_type(name: str, dtype: pa.DataType, *, nullable: bool) -> Field:
    """Field of a declared column: its kinds follow from the type, never from the data."""
    kind = column_kind(dtype)
    kinds: frozenset[Kind] = frozenset({kind, "none"}) if nullable else frozenset({kind})
    if kind != "int":
        return Field(name, kinds)
    info = np.iinfo(numpy_type(dtype))
    return Field(name, kinds, max(int(info.min), INT64_MIN), min(int(info.max), INT64_MAX))


def arrow_type_of_kinds(kinds: Iterable[Kind]) -> pa.DataType:
    """Type of a result column: int|float is double, X|None is X, other mixes are a sparse union.

    >>> arrow_type_of_kinds({"int", "none"})
    DataType(int64)
    """
    members = members_of_union(kinds)
    if len(members) == 1:
        return _scalar_type(members[0])
    children = [pa.field(kind, _scalar_type(kind)) for kind in members]
    return pa.sparse_union(children)


def members_of_union(kinds: Iterable[Kind]) -> tuple[Kind, ...]:
    """Kinds that a result column tells apart, in the order of KINDS; one: no union is needed."""
    present = set(kinds)
    filled: tuple[Kind, ...] = tuple(
        kind for kind in KINDS if kind in present and kind not in EMPTY
    )
    if not filled:
        return ("none",)
    if len(filled) == 1:
        return filled
    if set(filled) == {"int", "float"}:
        return ("float",)
    return ("none", *filled) if present & EMPTY else filled


def _scalar_type(kind: Kind) -> pa.DataType:
    if kind == "none":
        return pa.null()
    found = _ARROW_TYPE.get(kind)
    if found is None:
        raise TypeError(no_type_text(kind))
    return found
