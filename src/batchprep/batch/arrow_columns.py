"""Arrow arrays to columns: views of Arrow's own buffers wherever there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from batchprep.batch.arrow_buffers import data_view, decoded, valid_rows
from batchprep.batch.arrow_types import by_type, column_kind, numpy_type, value_type
from batchprep.batch.calendar import DAY_MILLISECONDS, fits_date, microseconds
from batchprep.batch.column import Codes, Column, Mask, Payloads, build_column, outside
from batchprep.batch.null_codes import NullCodes, coded, null_codes
from batchprep.batch.words import encode_words
from batchprep.dtypes import Kind
from batchprep.schema import Field


def column_of_array(array: pa.Array[Any], field: Field) -> Column:
    """Column of an Arrow array, in exactly the kinds of the field.

    Instants and durations that datetime and timedelta cannot hold (years past 9999, digits
    below a microsecond) are irregular; their Python values are NumPy scalars.
    """
    viewed = _viewed_as(array.type, field)
    if viewed is not None and array.null_count == 0:
        (kind,) = field.kinds
        return Column(field, None, {kind: data_view(array, viewed)}, None, None)
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


@by_type
def _viewed_as(dtype: pa.DataType, field: Field) -> np.dtype[Any] | None:
    """The dtype of values that, where none is null, are just what the field wants as they lie."""
    if value_type(dtype) != dtype or field.kinds - {column_kind(dtype)}:
        return None
    if pa.types.is_integer(dtype):
        info = np.iinfo(numpy_type(dtype))
        fits = field.low <= int(info.min) and int(info.max) <= field.high
    else:
        fits = pa.types.is_float32(dtype) or pa.types.is_float64(dtype)
    return numpy_type(dtype) if fits else None


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
