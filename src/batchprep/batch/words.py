"""Strings as codes: each distinct string of a batch once."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch.arrow_buffers import data_view
from batchprep.batch.column import Payloads

_STRING_BYTES: Final = 2**31 - 1  # what the 32-bit offsets of pa.string() reach


def encode_words(array: pa.Array[Any]) -> Payloads:
    """Codes and words of a string or dictionary array; a null gets the code 0."""
    encoded: Any = array
    if not pa.types.is_dictionary(array.type) or not _is_distinct(encoded.dictionary):
        encoded = _encode(array)
    codes = encoded.indices
    if codes.null_count:  # fill_null copies, even where there is nothing to fill
        codes = codes.fill_null(0)
    words = _as_string(encoded.dictionary)
    places = data_view(codes, codes.type.to_pandas_dtype())
    return Payloads({"str": places.astype(np.int32, copy=False)}, words=words)


def _is_distinct(words: pa.Array[Any]) -> bool:
    words = _as_string(words)
    return words.null_count == 0 and len(pc.unique(words)) == len(words)


def _encode(array: pa.Array[Any]) -> Any:
    if pa.types.is_dictionary(array.type):
        array = _as_string(array.dictionary).take(array.indices)  # pyright: ignore[reportAttributeAccessIssue]
    # Arrow has no dictionary_encode for string_view.
    view = pa.types.is_string_view(array.type)
    return (array.cast(pa.large_string()) if view else array).dictionary_encode()


def _as_string(words: pa.Array[Any]) -> pa.Array[Any]:
    if pa.types.is_string_view(words.type):
        words = words.cast(pa.large_string())
    if pa.types.is_large_string(words.type) and words.nbytes <= _STRING_BYTES:
        return words.cast(pa.string())
    return words
