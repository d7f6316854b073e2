"""Whole columns of Python values to Arrow at once, where Arrow itself keeps or refuses them.

What is exact is seen from the types of a column, so that no value is looked at on its own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from itertools import chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_buffers import spared_array
from batchprep.run.arrow_calls import nulls
from batchprep.run.typed_arrays import list_array, null_mask, struct_array

NOTHING: Final = type(None)
# Arrow refuses what these types do not hold: an int out of range or beyond 2**53 beside floats, a
# lone surrogate. A bool is never among the ints: its own type is not in the set.
KEPT: Final[tuple[tuple[Callable[[pa.DataType], bool], frozenset[type]], ...]] = (
    (pt.is_boolean, frozenset({bool})),
    (pt.is_integer, frozenset({int})),
    (pt.is_float64, frozenset({int, float})),
    (pt.is_string, frozenset({str})),
    (pt.is_large_string, frozenset({str})),
    (pt.is_string_view, frozenset({str})),
    (pt.is_date32, frozenset({dt.date})),
)
OWN: Final[dict[pa.DataType, type]] = {
    pa.float64(): float,
    pa.int64(): int,
    pa.string(): str,
    pa.large_string(): str,
}
# Members of an IntEnum or a StrEnum are ints and texts: columns, and what makes plain ones.
MEMBERS: Final[tuple[tuple[Callable[[pa.DataType], bool], type, Callable[[Any], Any]], ...]] = (
    (pt.is_integer, int, int.__int__),
    (pt.is_string, str, str.__str__),
    (pt.is_large_string, str, str.__str__),
)
# Arrow may change these, such as a time zone or the digits of a decimal: they are read back.
READ_BACK: Final[frozenset[type]] = frozenset({dt.datetime, dt.timedelta, Decimal, bytes})
# Finer units hold more than Python does, and so may a column that an answer hands through.
PLAIN_TIMES: Final = frozenset({pa.timestamp("us"), pa.duration("us")})


def exact_array(values: Sequence[Any], dtype: pa.DataType) -> pa.Array[Any] | None:
    """The values in that type, None as null.

    None if a value does not fit, or if that takes a look at each value: unions, time zones, ...

    >>> exact_array([1, None, 2.5], pa.float64()).to_pylist()
    [1.0, None, 2.5]
    >>> exact_array([True, 2.5], pa.float64())
    """
    types = set(map(type, values)) - {NOTHING}
    if not types:
        return nulls(len(values), dtype)
    if pt.is_struct(dtype):
        return _structs(values, types, dtype)
    if pt.is_list(dtype):
        return _lists(values, dtype) if types == {list} else None
    try:
        return _scalars(values, types, dtype)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _scalars(values: Sequence[Any], types: set[type], dtype: pa.DataType) -> pa.Array[Any] | None:
    member = _member_type(types, dtype)
    if member is not None:
        own, plain = member
        values, types = [None if value is None else plain(value) for value in values], {own}
    if any(test(dtype) and types <= kept for test, kept in KEPT):
        # Ints among floats are Arrow's to refuse.
        spared = spared_array(values, dtype) if types == {OWN.get(dtype)} else None
        return pa.array(values, dtype) if spared is None else spared
    if pt.is_floating(dtype) and types == {float}:
        return _narrow_floats(values, dtype)
    if not types <= READ_BACK or not (dtype in PLAIN_TIMES or _is_whole(dtype)):
        return None
    array: Any = pa.array(values, dtype)
    back: list[Any] = array.to_pylist()
    return array if list(map(type, back)) == list(map(type, values)) and back == values else None


def _member_type(types: set[type], dtype: pa.DataType) -> tuple[type, Callable[[Any], Any]] | None:
    """Int or str and what makes one of a member, where all values are members of enums of such."""
    if not all(issubclass(kind, Enum) for kind in types):
        return None
    for test, base, plain in MEMBERS:
        if test(dtype) and all(issubclass(k, base) and k.__eq__ is base.__eq__ for k in types):
            return base, plain
    return None


def _narrow_floats(values: Sequence[Any], dtype: pa.DataType) -> pa.Array[Any] | None:
    """Rounded, as a narrow type asks for; None where a finite value is out of its range."""
    wide: Any = pa.array(values, pa.float64())
    narrow = wide.cast(dtype)
    finite = [np.isfinite(part.to_numpy(zero_copy_only=False)) for part in (wide, narrow)]
    return narrow if np.array_equal(*finite) else None


def _is_whole(dtype: pa.DataType) -> bool:
    """Whether a type has no more to it than its Python values."""
    return pt.is_decimal(dtype) or pt.is_binary(dtype)


def _structs(values: Sequence[Any], types: set[type], dtype: pa.StructType) -> pa.Array[Any] | None:
    names = dtype.names
    if types == {dict}:
        columns = _items(values, names)
    elif types == {tuple}:
        columns = _positions(values, len(names))
    else:
        columns = None
    if columns is None:
        return None
    children: dict[str, pa.Array[Any]] = {}
    for field, column in zip(dtype, columns, strict=True):
        if not field.nullable and any(value is None for value in column):
            return None
        child = exact_array(column, field.type)
        if child is None:
            return None
        children[field.name] = child
    return struct_array(children, dtype, null_mask(values))


def _items(values: Sequence[Any], names: Sequence[str]) -> list[list[Any]] | None:
    """A column for each name; None if there are other keys, or a name twice."""
    dicts = [{} if value is None else value for value in values]
    keys = set(chain.from_iterable(dicts))
    if len(set(names)) < len(names) or not keys.issubset(names):
        return None
    return [[value.get(name) for value in dicts] for name in names]


def _positions(values: Sequence[Any], length: int) -> list[tuple[Any, ...]] | None:
    """A column for each position; None if a tuple is shorter or longer."""
    empty = (None,) * length
    tuples = [empty if value is None else value for value in values]
    if not length or set(map(len, tuples)) != {length}:
        return None
    return list(zip(*tuples, strict=True))


def _lists(values: Sequence[Any], dtype: pa.ListType[Any]) -> pa.Array[Any] | None:
    items = list(chain.from_iterable(filter(None, values)))
    children = exact_array(items, dtype.value_type)
    if children is None:
        return None
    sizes = np.fromiter((len(value or ()) for value in values), np.int64, len(values))
    return list_array(children, sizes, dtype, null_mask(values))
