"""polars frames: read through Arrow, answered as polars."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from batchprep.batch.messages import not_frame_text
from batchprep.records.arrow import ArrowSource


def is_polars(data: Any) -> bool:
    """Whether data is a polars object; polars is not imported to find out."""
    return type(data).__module__.partition(".")[0] == "polars"


def open_polars(data: Any) -> ArrowSource:
    """Source over a DataFrame, which is viewed and not copied."""
    if type(data).__name__ != "DataFrame":
        raise TypeError(not_frame_text(data))
    table = pa.RecordBatchReader.from_stream(data).read_all()
    return ArrowSource(data, kind="polars", table=table)
