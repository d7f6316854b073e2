"""PyArrow over NumPy arrays, without copies, and typed where its stubs are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.errors import messages

Mask = npt.NDArray[np.bool_]

_nulls: Final = cast("Any", pa.nulls)
_buffer_of: Final = cast("Any", pa.py_buffer)
_array_over: Final = cast("Any", np.frombuffer)
_chunked: Final = cast("Any", pa.chunked_array)
_union: Final = cast("Any", pa.UnionArray)
_dictionary: Final = cast("Any", pa.DictionaryArray)
_encode: Final = cast("Any", pc).run_end_encode


class Filled(NamedTuple):
    """Which values are there: a bit for each, and how many are not."""

    bits: npt.NDArray[np.uint8]
    nulls: int

    @classmethod
    def of(cls, mask: Mask) -> Filled:
        """The same as a mask."""
        # Arrow's own conversion packs bit by bit: 3 ns each, against 0.1 ns.
        missing = len(mask) - int(np.count_nonzero(mask))
        return cls(np.packbits(mask, bitorder="little"), missing)


def set_bits(bits: npt.NDArray[np.uint8], count: int) -> int:
    """How many of the first bits are set: Arrow counts 64 at a time."""
    flags: Any = pa.Array.from_buffers(pa.bool_(), count, [None, _buffer_of(bits)])
    return flags.true_count


def number_array(
    values: npt.NDArray[Any], dtype: pa.DataType, filled: Mask | Filled | None = None
) -> pa.Array[Any]:
    """The values (bool, int or float, as the type has them), null where not filled.

    The array stands on the memory of `values`, which nobody may write to any more.
    """
    values = np.ascontiguousarray(values)
    data = _buffer_of(Filled.of(values).bits if values.dtype == np.bool_ else values)
    if isinstance(filled, np.ndarray):
        filled = Filled.of(filled)
    missing = 0 if filled is None else filled.nulls
    validity = _buffer_of(filled.bits) if filled is not None and missing else None
    return pa.Array.from_buffers(dtype, len(values), [validity, data], missing)


def bool_array(mask: Mask) -> Any:
    """The mask as Arrow."""
    return number_array(mask, pa.bool_())


def nulls(length: int, dtype: pa.DataType) -> pa.Array[Any]:
    """An array of nulls, of a union too."""
    return _nulls(length, dtype)


def chunked(chunks: Sequence[pa.Array[Any]], dtype: pa.DataType) -> pa.ChunkedArray[Any]:
    """A column of chunks of that type, of none too."""
    return _chunked(list(chunks), dtype)


def take(array: pa.Array[Any], places: npt.NDArray[Any], missing: Mask | None = None) -> Any:
    """The values at these places, null at the missing ones."""
    filled = None if missing is None else ~missing
    indices: Any = number_array(places, pa.from_numpy_dtype(places.dtype), filled)
    try:
        return array.take(indices)
    except pa.ArrowNotImplementedError:  # string_view, run-end encoded, and what holds them
        return _take_runs(array, places, missing)


def choose(condition: Mask, yes: pa.Array[Any], no: pa.Array[Any]) -> pa.Array[Any]:
    """`yes` where the condition holds, else `no`."""
    try:
        return pc.if_else(bool_array(condition), yes, no)
    except pa.ArrowNotImplementedError:
        places = np.arange(len(yes)) + np.where(condition, 0, len(yes))
        return take(pa.concat_arrays([yes, no]), places)


def _take_runs(array: pa.Array[Any], places: npt.NDArray[Any], missing: Mask | None) -> Any:
    """The same by slices: every type has them."""
    if missing is not None:
        places = np.where(missing, len(array), places)
        array = pa.concat_arrays([array, nulls(1, array.type)])
    starts = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist()]
    ends = [*starts[1:], len(places)]
    runs = [array.slice(places[s], e - s) for s, e in zip(starts, ends, strict=True) if e > s]
    return pa.concat_arrays(runs) if runs else array.slice(0, 0)


def struct_columns(array: pa.StructArray) -> list[pa.Array[Any]]:
    """The fields of a struct array, null where the struct is.

    StructArray.flatten gives the same, but ends the process where a field is a union.
    """
    fields = [array.field(place) for place in range(array.type.num_fields)]
    if not array.null_count:
        return fields
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return [choose(valid, field, nulls(len(field), field.type)) for field in fields]


def encoded(array: pa.Array[Any], dtype: pa.DictionaryType[Any, Any, Any]) -> pa.Array[Any]:
    """The array in a dictionary type.

    Errors:  OverflowError where the type has no number for each distinct value
    """
    words: Any = array.dictionary_encode()
    try:
        indices = words.indices.cast(dtype.index_type)
    except pa.ArrowInvalid:
        raise OverflowError(messages.few_codes_text(len(words.dictionary), str(dtype))) from None
    return _dictionary.from_arrays(indices, words.dictionary, ordered=dtype.ordered)


def run_ends(array: pa.Array[Any], dtype: pa.RunEndEncodedType[Any, Any]) -> pa.Array[Any]:
    """The array in a run-end encoded type."""
    return _encode(array, run_end_type=dtype.run_end_type)


def union_array(
    places: npt.NDArray[Any], children: Sequence[pa.Array[Any]], dtype: pa.UnionType
) -> pa.Array[Any]:
    """A sparse union: `places` tells which member each row takes its value from."""
    names = [field.name for field in dtype]
    return _union.from_sparse(pa.array(places, pa.int8()), list(children), names)
