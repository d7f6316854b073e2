"""What a call was given: one record, records, or nothing that holds any."""

from __future__ import annotations

from os import PathLike
from typing import Any, Final

import pyarrow as pa

from batchprep.errors import messages
from batchprep.records import Source, open_source

# Iterable or not, these are values: the elements of a string are no records.
VALUES: Final = (str, PathLike, bytes, bytearray, int, float, complex, type(None), type)


def records_of(data: Any, name: str) -> Source | None:
    """The source of the records in the data; None where the data is one record.

    Errors:  TypeError for what holds no records
    """
    if type(data) is dict:
        return None
    # To ask whether it is a path takes 1 us.
    is_data = type(data) is list or isinstance(data, (pa.Table, pa.RecordBatch))
    if not is_data and isinstance(data, VALUES):
        raise TypeError(messages.not_records_text(name, data))
    source = open_source(data)
    return None if source.kind == "record" else source
