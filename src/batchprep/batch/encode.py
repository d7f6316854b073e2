"""Python values to a column."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa

from batchprep.batch.arrow_buffers import array_of_texts, spares_pandas, valid_rows
from batchprep.batch.arrow_columns import filled_codes
from batchprep.batch.column import (
    EMPTY_BUFFER,
    Buffer,
    Codes,
    Column,
    Mask,
    Payloads,
    build_column,
    either,
    outside,
)
from batchprep.batch.kinds import KIND_OF_TYPE, Misfit, is_int64, is_plain_datetime
from batchprep.batch.times import (
    all_plain,
    ticks_of_dates,
    ticks_of_datetimes,
    ticks_of_timedeltas,
)
from batchprep.batch.words import encode_words
from batchprep.dtypes import KIND_CODE, SCALAR_DTYPE, Kind
from batchprep.schema import Field

# A code that no field accepts, so that a misfit is irregular even among values of kind "other".
_MISFIT_CODE: Final = 127
_NONE: Final = type(None)
_ARROW_TYPE: Final[dict[type, pa.DataType]] = {
    int: pa.int64(),
    float: pa.float64(),
    str: pa.large_string(),
}


def encode(values: list[Any], field: Field, types: frozenset[type] | None = None) -> Column:
    """Column of the values, in exactly the kinds of the field; `types` are those that occur."""
    if types is None:
        types = frozenset(map(type, values))
    if len(types) == 1:
        (type_,) = types
        return _encode_uniform(values, field, type_)
    if len(types) == 2 and _NONE in types:
        column = _encode_nullable(values, field, *(types - {_NONE}))
        if column is not None:
            return column
    return _encode_mixed(values, field, types)


def encode_kind(kind: Kind, values: list[Any], field: Field) -> Payloads:
    """Payloads of values that are all of one kind, which has a scalar payload."""
    return _ENCODERS[kind](values, field)


def _encode_uniform(values: list[Any], field: Field, type_: type) -> Column:
    length = len(values)
    kind = KIND_OF_TYPE.get(type_, "other")
    if type_ is Misfit:
        return build_column(field, kind, Payloads({}, np.ones(length, np.bool_)), length)
    if kind == "datetime" and not all_plain(values):
        return _encode_mixed(values, field, frozenset({type_}))
    if kind not in field.kinds or kind not in SCALAR_DTYPE:
        return build_column(field, kind, Payloads({}), length)
    return build_column(field, kind, _ENCODERS[kind](values, field), length)


def _encode_nullable(values: list[Any], field: Field, type_: type) -> Column | None:
    """One kind beside None, read by Arrow in one pass; None where that does not apply."""
    kind = KIND_OF_TYPE.get(type_, "other")
    if type_ not in _ARROW_TYPE or kind not in field.kinds or spares_pandas(len(values)):
        return None
    try:
        array: pa.Array[Any] = pa.array(values, _ARROW_TYPE[type_])
    except (OverflowError, UnicodeEncodeError):
        return None
    valid = valid_rows(array)
    codes = filled_codes(np.ones(len(array), np.bool_) if valid is None else valid, kind)
    if kind == "str":
        return build_column(field, codes, encode_words(array), len(values))
    buffer = array.fill_null(0).to_numpy()
    misfit = outside(buffer, field) if kind == "int" else None
    if misfit is not None:
        misfit &= codes == KIND_CODE[kind]
    return build_column(field, codes, Payloads({kind: buffer}, misfit), len(values))


def _encode_mixed(values: list[Any], field: Field, types: frozenset[type]) -> Column:
    codes = _codes_of(values, types)
    # An array of the same objects: picking by mask takes a third of the time of a comprehension.
    objects = np.fromiter(values, np.object_, len(values))
    buffers: dict[Kind, Buffer] = {}
    misfits: list[Mask | None] = []
    words: pa.Array[Any] | None = None
    for kind in sorted(field.kinds & SCALAR_DTYPE.keys()):
        rows = np.flatnonzero(codes == KIND_CODE[kind])
        part = _ENCODERS[kind](objects[rows].tolist(), field)
        buffers[kind] = np.zeros(len(values), EMPTY_BUFFER[kind])
        buffers[kind][rows] = part.buffers[kind]
        misfits.append(scattered(part.misfit, rows, len(values)))
        words = part.words if kind == "str" else words
    return build_column(field, codes, Payloads(buffers, either(misfits), words), len(values))


def _codes_of(values: list[Any], types: frozenset[type]) -> Codes:
    code_of = {type_: KIND_CODE[KIND_OF_TYPE.get(type_, "other")] for type_ in types}
    if Misfit in code_of:
        code_of[Misfit] = _MISFIT_CODE
    # bytes() takes a third of the time of np.fromiter here, which asks each int for its size.
    codes = np.frombuffer(bytes(map(code_of.__getitem__, map(type, values))), np.int8)
    return _without_zones(codes, values) if dt.datetime in types else codes


def _without_zones(codes: Codes, values: list[Any]) -> Codes:
    """Datetimes with a zone or a fold are of kind "other": they are more than an int."""
    rows = np.flatnonzero(codes == KIND_CODE["datetime"]).tolist()
    if all_plain(values[row] for row in rows):
        return codes
    codes = codes.copy()
    codes[[row for row in rows if not is_plain_datetime(values[row])]] = KIND_CODE["other"]
    return codes


def scattered(mask: Mask | None, rows: Buffer, length: int) -> Mask | None:
    """The mask of some rows as one of all."""
    if mask is None:
        return None
    whole = np.zeros(length, np.bool_)
    whole[rows] = mask
    return whole


def _encode_bools(values: list[bool], _field: Field) -> Payloads:
    return Payloads({"bool": np.fromiter(values, np.bool_, len(values))})


def _encode_ints(values: list[int], field: Field) -> Payloads:
    huge: Mask | None = None
    try:
        ints = np.fromiter(values, np.int64, len(values))
    except OverflowError:
        ints = np.fromiter((v if is_int64(v) else 0 for v in values), np.int64, len(values))
        huge = np.fromiter((not is_int64(v) for v in values), np.bool_, len(values))
    return Payloads({"int": ints}, either((huge, outside(ints, field))))


def _encode_floats(values: list[float], _field: Field) -> Payloads:
    return Payloads({"float": np.fromiter(values, np.float64, len(values))})


def _encode_strings(values: list[str], _field: Field) -> Payloads:
    try:
        return encode_words(array_of_texts(values))
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot carry
        misfit = np.fromiter((not _is_utf8(v) for v in values), np.bool_, len(values))
        clean = ["" if bad else v for v, bad in zip(values, misfit.tolist(), strict=True)]
        part = encode_words(array_of_texts(clean))
        return Payloads(part.buffers, misfit, part.words)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _encode_dates(values: list[dt.date], _field: Field) -> Payloads:
    return Payloads({"date": ticks_of_dates(values)})


def _encode_datetimes(values: list[dt.datetime], _field: Field) -> Payloads:
    return Payloads({"datetime": ticks_of_datetimes(values)})


def _encode_timedeltas(values: list[dt.timedelta], _field: Field) -> Payloads:
    ticks, misfit = ticks_of_timedeltas(values)
    return Payloads({"timedelta": ticks}, misfit)


_ENCODERS: Final[dict[Kind, Callable[[list[Any], Field], Payloads]]] = {
    "bool": _encode_bools,
    "int": _encode_ints,
    "float": _encode_floats,
    "str": _encode_strings,
    "date": _encode_dates,
    "datetime": _encode_datetimes,
    "timedelta": _encode_timedeltas,
}
