"""Arrow arrays to columns: views of Arrow's own buffers wherever there is one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from batchprep.batch.arrow_buffers import data_view, decoded, valid_rows
from batchprep.batch.arrow_types import column_kind, numpy_type
from batchprep.batch.calendar import DAY_MILLISECONDS, fits_date, microseconds
from batchprep.batch.column import Codes, Column, Mask, Payloads, build_column, outside
from batchprep.batch.null_codes import NullCodes, coded, null_codes
from batchprep.batch.words import encode_words
from batchprep.dtypes import INT64_MAX, INT64_MIN, Kind
from batchprep.schema import Field


def column_of_array(array: pa.Array[Any], field: Field) -> Column:
    """Column of an Arrow array, in exactly the kinds of the field.

    Instants and durations that datetime and timedelta cannot hold (years past 9999, digits
    below a microsecond) are irregular; their Python values are NumPy scalars.
    """
    as_it_lies = _AS_IT_LIES.get(array.type.id)
    if as_it_lies is not None:
        viewed = _viewed(array, field, as_it_lies)
        if viewed is not None:
            return viewed
    kind = column_kind(array.type)
    if kind != "str" or not pa.types.is_dictionary(array.type):
        array = decoded(array)
    payloads = _payloads(array, kind, field) if kind in field.kinds else Payloads({})
    if payloads.misfit is not None:
        valid = _valid(array)
        if valid is not None:
            payloads = Payloads(payloads.buffers, payloads.misfit & valid, payloads.words)
    return build_column(field, _found(array, kind), payloads, len(array))


def kinds_of_array(array: pa.Array[Any], field: Field) -> Column:
    """Column of an Arrow array that tells where it is null, and nothing else of its values."""
    kind = column_kind(array.type)
    return build_column(field, _found(array, kind), Payloads({}), len(array))


class _Numbers(NamedTuple):
    """A type whose values a kernel reads as they lie: of which kind, and between which bounds."""

    kind: Kind
    dtype: np.dtype[Any]
    low: int
    high: int


def _numbers(dtype: np.dtype[Any]) -> _Numbers:
    if dtype.kind == "f":
        return _Numbers("float", dtype, INT64_MIN, INT64_MAX)
    info = np.iinfo(dtype)
    return _Numbers("int", dtype, int(info.min), int(info.max))


# By the id of the Arrow type: to hash a type and a field takes longer than all that is done here.
# No uint64, whose values may be beyond int64, and no half floats, which no kernel reads.
_AS_IT_LIES: Final[dict[int, _Numbers]] = {
    pa.from_numpy_dtype(dtype).id: _numbers(dtype)
    for dtype in map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8"))
}


def _viewed(array: pa.Array[Any], field: Field, numbers: _Numbers) -> Column | None:
    """The column over Arrow's own buffers; None where the field wants other kinds or bounds."""
    kind, dtype, low, high = numbers
    if low < field.low or field.high < high or kind not in field.kinds:
        return None
    if array.null_count == 0:
        codes, kinds = None, 1
    else:
        codes, kinds = null_codes(array, kind), 2
        if codes is None or "none" not in field.kinds:
            return None
    if len(field.kinds) != kinds:
        return None
    return Column(field, codes, {kind: data_view(array, dtype)}, None, None)


def filled_codes(filled: Mask, kind: Kind) -> Codes:
    """Codes of rows that are of that kind where filled, else None."""
    return coded(filled.view(np.int8).copy(), kind)


def has_nulls(array: pa.Array[Any]) -> bool:
    """Whether any value is null, behind encodings too."""
    if array.null_count:
        return True
    if isinstance(array, pa.RunEndEncodedArray):
        return has_nulls(array.values)
    return isinstance(array, pa.DictionaryArray) and has_nulls(array.dictionary)


def _valid(array: pa.Array[Any]) -> Mask | None:
    valid = valid_rows(array)
    if isinstance(array, pa.DictionaryArray) and array.dictionary.null_count:
        words = array.dictionary.is_valid().take(array.indices).fill_null(False)  # noqa: FBT003
        return words.to_numpy(zero_copy_only=False)
    return valid


def _found(array: pa.Array[Any], kind: Kind) -> Kind | Codes | NullCodes:
    if not has_nulls(array):
        return kind
    lazy = None if isinstance(array, pa.DictionaryArray) else null_codes(array, kind)
    if lazy is not None:
        return lazy
    valid = _valid(array)
    return kind if valid is None else filled_codes(valid, kind)


def _payloads(array: pa.Array[Any], kind: Kind, field: Field) -> Payloads:
    match kind:
        case "bool":
            bits = array.fill_null(False) if array.null_count else array  # noqa: FBT003
            return Payloads({"bool": bits.to_numpy(zero_copy_only=False)})
        case "int":
            return _ints(array, field)
        case "float":
            return Payloads({"float": _floats(array)})
        case "str":
            return encode_words(array)
        case "date":
            days = day_numbers(array)
            return Payloads({"date": days}, ~fits_date(days))
        case "datetime" | "timedelta":
            return _microseconds(array, kind)
        case _:
            return Payloads({})


def _ints(array: pa.Array[Any], field: Field) -> Payloads:
    ints = data_view(array, numpy_type(array.type))
    if ints.dtype == np.uint64:
        ints = ints.view(np.int64)
        return Payloads({"int": ints}, ints < 0)
    return Payloads({"int": ints}, outside(ints, field))


def _floats(array: pa.Array[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    floats = data_view(array, numpy_type(array.type))
    return floats.astype(np.float32) if floats.dtype == np.float16 else floats


def _microseconds(array: pa.Array[Any], kind: Kind) -> Payloads:
    dtype: Any = array.type
    ticks, fits = microseconds(data_view(array, np.int64), dtype.unit, kind)
    return Payloads({kind: ticks}, ~fits)


def day_numbers(array: pa.Array[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Days since 1970 of a date32 or date64 array."""
    if pa.types.is_date32(array.type):
        return data_view(array, np.int32).astype(np.int64)
    return data_view(array, np.int64) // DAY_MILLISECONDS
