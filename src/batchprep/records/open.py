"""What the caller handed over, as a source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import pyarrow as pa

from batchprep.batch.access import form_of_type
from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch
from batchprep.batch.messages import not_data_text, not_pandas_frame_text
from batchprep.batch.record_rows import RecordRows
from batchprep.records.arrow import ArrowSource, is_arrow
from batchprep.records.iterator import IteratorSource
from batchprep.records.list import ListSource
from batchprep.records.polars import is_polars, open_polars
from batchprep.records.scan import Scan
from batchprep.records.source import Source


def open_source(data: Any) -> Source:
    """Source of the rows of a list, iterable, Arrow, pandas or polars object, scan or one record.

    >>> open_source([{"a": 1}, {"a": 2.5}]).field("a").kinds == {"int", "float"}
    True
    """
    if isinstance(data, (pa.Table, pa.RecordBatch)):  # first what needs no looking into
        return ArrowSource(data)
    if type(data) is list:
        return ListSource(data)
    if isinstance(data, Scan):
        return data.source()
    if isinstance(data, Batch):
        return _open_batch(data)
    if form_of_type(type(data)) is not None:
        return ListSource((data,), data=data, kind="record")
    if _is_pandas_frame(data):
        from batchprep.records.pandas import PandasSource

        return PandasSource(data)
    if is_polars(data):
        return open_polars(data)
    if _is_pandas(data):
        raise TypeError(not_pandas_frame_text(data))
    if is_arrow(data):
        return ArrowSource(data)
    return _open_iterable(data)


def _open_iterable(data: Any) -> Source:
    if isinstance(data, (str, bytes, bytearray)) or not isinstance(data, Iterable):
        raise TypeError(not_data_text(data))
    if isinstance(data, (list, tuple)):
        return ListSource(data)
    if isinstance(data, Collection) and not isinstance(data, Iterator):
        return ListSource(list(data), data=data)
    return IteratorSource(data)


def _open_batch(batch: Batch) -> Source:
    rows = batch.rows
    if isinstance(rows, ArrowRows):
        return ArrowSource(batch, table=rows.data)
    if isinstance(rows, RecordRows):
        return ListSource(batch.records(), data=batch, schema=rows.schema)
    return ListSource(batch.to_records(), data=batch)


def _is_pandas(data: Any) -> bool:
    """Whether data is a pandas object or of a subclass; pandas is not imported to find out."""
    return bool(_pandas_classes(data))


def _is_pandas_frame(data: Any) -> bool:
    return "DataFrame" in _pandas_classes(data)


def _pandas_classes(data: Any) -> set[str]:
    bases = type(data).__mro__
    return {b.__name__ for b in bases if b.__module__.partition(".")[0] == "pandas"}
