"""Missing values of pandas in tables: a text column says NaN, Arrow and files say null."""

from __future__ import annotations

from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

TEXTS = {"str", "float", "none"}


def nan_as_null(table: pa.Table) -> pa.Table:
    """The table with texts and nulls in the place of columns of texts and NaN.

    A column with any other float stays as it is: its values are of several kinds.
    """
    for place, field in enumerate(table.schema):
        if not _is_texts(field.type):
            continue
        chunks = [_texts(cast("pa.UnionArray", chunk)) for chunk in table.column(place).chunks]
        if None not in chunks:
            column = pa.chunked_array(cast("Any", chunks), pa.string())
            table = table.set_column(place, field.with_type(pa.string()), column)
    return table


def _is_texts(dtype: pa.DataType) -> bool:
    if not pt.is_union(dtype):
        return False
    names = {field.name for field in cast("pa.UnionType", dtype)}
    return {"str", "float"} <= names <= TEXTS


def _texts(array: pa.UnionArray) -> pa.Array[Any] | None:
    """The texts, null where there is none; None if some float is no NaN."""
    places = {field.name: place for place, field in enumerate(array.type)}
    floats = cast("Any", array.field(places["float"]))
    is_float = pc.equal(array.type_codes, pa.scalar(places["float"], pa.int8()))
    if pc.any(pc.and_(is_float, pc.invert(pc.is_nan(floats)))).as_py():
        return None
    texts = cast("Any", array.field(places["str"]))
    is_text = pc.equal(array.type_codes, pa.scalar(places["str"], pa.int8()))
    return pc.if_else(is_text, texts, pa.scalar(None, pa.string())).cast(pa.string())
