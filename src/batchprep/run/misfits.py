"""Python values that an Arrow column holds exactly, and what is said of those that it does not."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_types import kind_of_type
from batchprep.batch.kinds import kind_of
from batchprep.dtypes import Kind
from batchprep.errors.messages import misfit_advice, short_repr


class Misfit(Exception):  # noqa: N818  becomes the row's OverflowError or TypeError
    """A value that its result column cannot hold without changing it."""

    def __init__(
        self, value: Any, dtype: pa.DataType, column: str, *, nullable: bool = True
    ) -> None:
        super().__init__(value)
        self.value = value
        self.dtype = dtype
        self.column = column
        self.nullable = nullable

    def as_error(self, row: int, location: str = "", *, declared: bool = False) -> Exception:
        """The exception of the row: OverflowError for a number, TypeError for another kind."""
        numeric = kind_of_type(self.dtype) in _NUMBERS or pt.is_decimal(self.dtype)
        number = isinstance(self.value, int | float) and numeric
        kind = OverflowError if number and not isinstance(self.value, bool) else TypeError
        source = f" of {location}" if location else ""
        column = f"column {self.column!r}" if self.column else "the result column"
        return kind(
            f"row {row:,}{source}: {short_repr(self.value)} does not fit {column}, "
            f"whose type is {self.dtype}{'' if self.nullable else ' not null'}\n"
            f"  {misfit_advice(self.value, declared=declared)}"
        )


# Dicts of other types than dict, of which a struct has all that it can have.
DICTS: Final[frozenset[type]] = frozenset({Counter, OrderedDict, defaultdict})
_NUMBERS: Final[frozenset[Kind]] = frozenset({"int", "float"})


def check_fits(value: Any, dtype: pa.DataType, column: str = "") -> None:
    """Nothing, if a column of the type gives the value back as it is.

    Errors:  Misfit
    """
    if value is None:
        return
    kind: Kind = "struct" if type(value) in DICTS else kind_of(value)
    if isinstance(dtype, pa.DictionaryType | pa.RunEndEncodedType):
        _check_encoded(value, dtype, column)
    elif pt.is_union(dtype):
        check_fits(value, union_child(value, cast("pa.UnionType", dtype), column).type, column)
    elif pt.is_struct(dtype) and kind in {"struct", "tuple"}:
        _check_struct(value, dtype, column)
    elif kind == "list" and pt.is_map(dtype):
        if not _is_kept(value, dtype):  # pairs
            raise Misfit(value, dtype, column)
    elif kind == "list" and kind_of_type(dtype) == "list":
        for item in value:
            check_fits(item, cast("pa.ListType[Any]", dtype).value_type, f"{column}[]")
    elif not _SCALAR_TESTS.get(kind, _is_kept)(value, dtype):
        raise Misfit(value, dtype, column)


def _check_encoded(value: Any, dtype: Any, column: str) -> None:
    try:
        check_fits(value, dtype.value_type, column)
    except Misfit:
        raise Misfit(value, dtype, column) from None  # names the type that the user knows


def union_child(value: Any, dtype: pa.UnionType, column: str = "") -> pa.Field[Any]:
    """The member of a union that holds values of this value's kind."""
    return dtype.field(union_place(value, dtype, column))


def union_place(value: Any, dtype: pa.UnionType, column: str = "") -> int:
    """Number of the member of a union that holds values of this value's kind."""
    kind = kind_of(value)
    fields = list(dtype)
    for place, field in enumerate(fields):
        if field.name == kind:
            return place
    for place, field in enumerate(fields):
        if kind_of_type(field.type) == ("struct" if kind == "tuple" else kind):
            return place
    if value is None:
        return 0
    if kind == "int":  # int beside float is double, in a union too
        for place, field in enumerate(fields):
            if pt.is_float64(field.type):
                return place
    raise Misfit(value, dtype, column)


def struct_items(value: Any, dtype: pa.StructType) -> Mapping[str, Any]:
    """The items of a dict or a tuple by the names of a struct's fields."""
    if type(value) is tuple:
        return dict(zip(dtype.names, value, strict=False))
    return value


def _check_struct(value: Any, dtype: pa.StructType, column: str) -> None:
    check_keys(value, dtype, column)
    types = {field.name: field.type for field in dtype}
    for name, item in struct_items(value, dtype).items():
        check_fits(item, types[name], _path(column, name))


def check_keys(value: Any, dtype: pa.StructType, column: str) -> None:
    """Nothing, if a struct type has the keys of a dict or tuple, which lacks none that it needs.

    Errors:  Misfit
    """
    items = struct_items(value, dtype)
    if len(items) != len(value) or not items.keys() <= set(dtype.names):
        raise Misfit(value, dtype, column)
    for field in dtype:
        if not field.nullable and items.get(field.name) is None:
            raise Misfit(None, field.type, _path(column, field.name), nullable=False)


def _path(column: str, name: str) -> str:
    return f"{column}.{name}" if column else name


def _int_fits(value: int, dtype: pa.DataType) -> bool:
    if pt.is_floating(dtype):
        return exact_in_float(value, dtype)
    if pt.is_decimal(dtype):
        return _is_kept(Decimal(value), dtype)
    if not pt.is_integer(dtype):
        return False
    low, high = int_bounds(dtype)
    return low <= value <= high


def int_bounds(dtype: pa.DataType) -> tuple[int, int]:
    """Smallest and largest int of an integer type."""
    info = np.iinfo(cast("Any", dtype.to_pandas_dtype()))
    return int(info.min), int(info.max)


def exact_in_float(value: int | float, dtype: pa.DataType) -> bool:
    """Whether a floating type holds the number exactly.

    >>> exact_in_float(2**53 + 1, pa.float64())
    False
    """
    try:
        number = float(value)
    except OverflowError:
        return False
    with np.errstate(over="ignore"):
        narrowed = float(cast("Any", dtype.to_pandas_dtype())(number))
    return math.isnan(number) or (number == value and narrowed == number)


def _float_fits(value: float, dtype: pa.DataType) -> bool:
    """Whether a floating type has the float in its range: a narrow type rounds, as asked."""
    return pt.is_floating(dtype) and not (math.isfinite(value) and _overflows(value, dtype))


def _overflows(value: float, dtype: pa.DataType) -> bool:
    with np.errstate(over="ignore"):
        return math.isinf(cast("Any", dtype.to_pandas_dtype())(value))


def _str_fits(value: str, dtype: pa.DataType) -> bool:
    return kind_of_type(dtype) == "str" and _is_kept(value, dtype)


def _bool_fits(_value: bool, dtype: pa.DataType) -> bool:  # noqa: FBT001  a value, not a flag
    return pt.is_boolean(dtype)


def _date_fits(value: Any, dtype: pa.DataType) -> bool:
    return pt.is_date(dtype) and _is_kept(value, dtype)


def _never(_value: Any, _dtype: pa.DataType) -> bool:
    return False


def _is_kept(value: Any, dtype: pa.DataType) -> bool:
    """Whether Arrow gives the value back: for the kinds that it knows better than we do."""
    if isinstance(value, dt.time) and value.tzinfo is not None:
        return False  # a column of times has no zone, and == does not tell that it is lost
    try:
        array: Any = pa.array([value], dtype)
        if isinstance(value, np.generic):
            return _is_kept_scalar(value, array)
        back = array.to_pylist()[0]
        return isinstance(value, type(back)) and bool(back == value)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False


def _is_kept_scalar(value: np.generic, array: Any) -> bool:
    """The same for a scalar of NumPy, as Python code gets from times below a microsecond."""
    dtype = array.type
    if isinstance(value, np.datetime64 | np.timedelta64):
        # A column with a zone would give the instant a zone that it does not have.
        back = array.to_numpy(zero_copy_only=False)[0]
        return getattr(dtype, "tz", None) is None and bool(back == value)
    item: Any = value.item()
    if isinstance(item, np.generic):  # a long double
        return False
    return _SCALAR_TESTS.get(kind_of(item), _is_kept)(item, dtype)


_SCALAR_TESTS: Final[dict[Kind, Callable[[Any, pa.DataType], bool]]] = {
    "bool": _bool_fits,
    "int": _int_fits,
    "float": _float_fits,
    "str": _str_fits,
    "date": _date_fits,
    "list": _never,
    "tuple": _never,
    "struct": _never,
}
