"""pandas frames: each column's own values, as `to_dict("records")` lists them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa

from batchprep.batch.arrow_buffers import valid_rows
from batchprep.batch.arrow_build import array_of_values
from batchprep.batch.arrow_columns import column_of_array
from batchprep.batch.arrow_rows import check_distinct
from batchprep.batch.arrow_types import field_of_type, kind_of_type
from batchprep.batch.batch import Batch
from batchprep.batch.column import Buffer, Column, Payloads, build_column
from batchprep.batch.encode import encode
from batchprep.batch.kinds import kinds_of
from batchprep.batch.rows import Indices
from batchprep.batch.words import encode_words
from batchprep.dtypes import KIND_CODE, Kind
from batchprep.records.sample import sample
from batchprep.records.source import ROWS, SourceKind
from batchprep.schema import Field, RecordForm

# Types whose values `to_dict("records")` hands on as they are; it boxes some of the others.
_LISTED_AS_IS: Final[frozenset[type]] = frozenset(
    {bool, int, float, str, bytes, list, dict, tuple, type(None), type(pd.NaT)}
    | {Decimal, dt.date, dt.datetime, dt.timedelta, dt.time, pd.Timestamp, pd.Timedelta}
)
# Kinds whose extension arrays Arrow reads value for value; pandas lists the others as its own
# scalars (Timestamp, Timedelta, ...), which are of kind "other".
_THROUGH_ARROW: Final[frozenset[Kind]] = frozenset({"bool", "int", "float", "str"})


class PandasSource:
    """Rows of a DataFrame; the index is not part of a record, `data` keeps it."""

    kind: SourceKind = "pandas"
    form: RecordForm = "mapping"
    closed = True

    def __init__(self, frame: Any) -> None:
        check_distinct(list(frame.columns))
        self.data = frame
        self.length = len(frame)
        self._rows = FrameRows(frame)
        self._fields: dict[str, Field] = {}

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = self._rows.field(name)
        return self._fields[name]

    def names(self) -> tuple[str, ...]:
        return self._rows.names()

    def batches(self, rows: int = ROWS) -> Iterator[Batch]:
        for start in range(0, self.length, rows):
            yield Batch(FrameRows(self.data.iloc[start : start + rows]), start)


class FrameRows:
    """Rows of a frame or a part of one; plain numeric columns are viewed, not copied."""

    form: RecordForm = "mapping"
    divisible = True

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self._positions = {name: i for i, name in enumerate(frame.columns)}

    def __len__(self) -> int:
        return len(self.frame)

    def names(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    def field(self, name: str) -> Field:
        if name not in self._positions:
            return Field(name, frozenset({"absent"}))
        dtype = self.series(name).dtype
        if _is_plain(dtype):
            return field_of_type(name, pa.from_numpy_dtype(dtype), nullable=False)
        array = self._extension(name, slice(0, 0))
        if array is None:
            looked_at = self.frame.iloc[list(sample(range(len(self))))]
            return Field(name, kinds_of(_listed(looked_at, self._positions[name])))
        field = field_of_type(name, array.type, nullable=True)
        return Field(name, frozenset({"str", "float"})) if _missing_is_nan(dtype) else field

    def column(self, name: str, field: Field) -> Column:
        if name not in self._positions:
            return build_column(field, "absent", Payloads({}), len(self))
        dtype = self.series(name).dtype
        if _is_plain(dtype):
            return column_of_array(pa.array(self._numbers(name), from_pandas=False), field)
        array = self._extension(name, slice(None))
        if array is None:
            return encode(self.values(name, None), field)
        return (
            _nan_strings(array, field) if _missing_is_nan(dtype) else column_of_array(array, field)
        )

    def null_free(self, name: str) -> bool:
        return name in self._positions and _is_plain(self.series(name).dtype)

    def records(self, indices: Indices | None) -> Sequence[Any]:
        frame = self.frame if indices is None else self.frame.iloc[indices]
        return FrameRows(frame).dicts()

    def part(self, start: int, end: int) -> FrameRows:
        """Some of the rows."""
        return FrameRows(self.frame.iloc[start:end])

    def dicts(self) -> list[dict[str, Any]]:
        names = self.names()
        if not names:
            return [{} for _ in range(len(self))]
        columns = [self.values(name, None) for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def values(self, name: str, indices: Indices | None) -> list[Any]:
        if indices is not None:
            return FrameRows(self.frame.iloc[indices]).values(name, None)
        if _is_plain(self.series(name).dtype):
            return self.series(name).to_numpy().tolist()
        return _listed(self.frame, self._positions[name])

    def arrow(self, name: str) -> pa.Array[Any]:
        if _is_plain(self.series(name).dtype):
            return pa.array(self._numbers(name), from_pandas=False)
        if _missing_is_nan(self.series(name).dtype):
            texts = self._extension(name, slice(None))
            if texts is not None:
                return _texts_and_nan(texts)
        return array_of_values(self.values(name, None), name, None)

    def series(self, name: Any) -> Any:
        """The column itself."""
        return self.frame.iloc[:, self._positions[name]]

    def _numbers(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        return np.ascontiguousarray(self.series(name).to_numpy())

    def _extension(self, name: str, part: slice) -> Any:
        """The column as Arrow where it is an extension array of plain values, else None."""
        series = self.series(name)
        if isinstance(series.dtype, np.dtype) or not hasattr(series.array, "__arrow_array__"):
            return None
        try:
            array = pa.array(series.array[part])
        except (pa.ArrowException, UnicodeEncodeError, TypeError, ValueError):
            return None
        is_encoded = pa.types.is_dictionary(array.type)  # a categorical
        if is_encoded or kind_of_type(array.type) not in _THROUGH_ARROW:
            return None
        return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf" and dtype.itemsize <= 8


def _missing_is_nan(dtype: Any) -> bool:
    return isinstance(dtype, pd.StringDtype) and dtype.na_value is not pd.NA


def _listed(frame: Any, position: int) -> list[Any]:
    """A column's values as pandas itself lists them; its "list" form differs for Arrow dtypes."""
    values = list(frame.iloc[:, position])
    if set(map(type, values)) <= _LISTED_AS_IS:
        return values
    name = frame.columns[position]
    return [row[name] for row in frame.iloc[:, [position]].to_dict("records")]


def _nan_strings(array: pa.Array[Any], field: Field) -> Column:
    valid = valid_rows(array)
    payloads = encode_words(array)
    if valid is None:
        return build_column(field, "str", payloads, len(array))
    codes = np.where(valid, np.int8(KIND_CODE["str"]), np.int8(KIND_CODE["float"]))
    buffers: dict[Kind, Buffer] = {**payloads.buffers, "float": np.full(len(array), np.nan)}
    return build_column(field, codes, Payloads(buffers, words=payloads.words), len(array))


def _texts_and_nan(array: Any) -> pa.Array[Any]:
    """Of two kinds whether or not a text is missing here: another batch may lack one."""
    kinds = array.is_valid().cast(pa.int8())
    nans = pa.array(np.full(len(array), np.nan), from_pandas=False)
    union: Any = pa.UnionArray
    return union.from_sparse(kinds, [nans, array.cast(pa.string())], ["float", "str"])
