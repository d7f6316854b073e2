"""Small batches, and functions over them, for the tests of programs that are made anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from batchprep.api import calls, respecialise
from batchprep.records import iterator
from batchprep.records import list as records_list
from batchprep.records import open as records_open
from batchprep.records.iterator import IteratorSource
from batchprep.records.scan import scanned
from batchprep.records.scan.records_source import RecordFileSource

BATCH = 8


@contextmanager
def small_batches(*, times: int = respecialise.MOST_TIMES) -> Iterator[None]:
    """Batches of a few rows, of which the first alone tells the kinds."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(calls, "LIST_ROWS", BATCH)
        patched.setattr(calls, "STREAM_ROWS", BATCH)
        patched.setattr(respecialise, "FEWEST_ROWS", BATCH // 2)
        patched.setattr(respecialise, "MOST_TIMES", times)
        patched.setattr(records_open, "IteratorSource", SmallIterator)
        patched.setattr(scanned, "RecordFileSource", SmallFiles)
        patched.setattr(iterator, "_LOOK_AHEAD", 1)
        patched.setattr(records_list, "sample", lambda records: records[:BATCH])
        yield


class SmallIterator(IteratorSource):
    def __init__(self, records):
        super().__init__(records, BATCH)

    def batches(self, rows=BATCH):
        return super().batches(rows)


class SmallFiles(RecordFileSource):
    def __init__(self, *given):
        super().__init__(*given)
        self._rows = BATCH

    def batches(self, rows=BATCH):
        return super().batches(rows)


def doubled(r):
    return r["x"] * 2


def xs(*values, rows=2 * BATCH):
    """Records with each of the values in so many rows."""
    return [{"x": value} for value in values for _ in range(rows)]


def stage(function):
    return function.report().stages[0]


FORMS = {"list": lambda records: records, "iterator": iter}


# ----------------------------------------------------------------------------- what is made anew


def told(r):
    return {"x": r["x"], "is_one": r["x"] == 1}
