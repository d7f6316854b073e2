"""Readers of dicts, each with its own way to the values, and what their columns have to be."""

import time

from batchprep.batch.record_reader import RecordReader, loaded_reader
from batchprep.batch.record_rows import RecordRows
from batchprep.kernels.cpu import records as records_kernel


def asking_reader():
    """A reader that knows no layout: it asks the C API for everything."""
    found = learning_reader()
    found._known[found.layout.LAYOUT, 0] = 0
    return found


def learning_reader():
    """A reader that holds every record while it is read, and looks where a key was last."""
    found = RecordReader(records_kernel)
    found.reads_plain = False
    return found


class HelpedReader(RecordReader):
    """A reader whose helpers are waited for, however few records there are."""

    def read(self, records, part, table, threads=1):
        assert threads == 1
        return super().read(records, part, table, 3)

    def _ready(self, work, looks):
        deadline = time.monotonic() + 10
        while super()._ready(work, looks) < 2:
            assert time.monotonic() < deadline


READERS = {
    "plain": loaded_reader(),
    "helped": HelpedReader(records_kernel),
    "learning": learning_reader(),
    "asking": asking_reader(),
}


def ordinary(records, field, part=None):
    rows = RecordRows(records, "mapping", None, part)
    rows._is_strange = True
    return rows.column(field.name, field)


def assert_same_array(left, right):
    assert (left is None) == (right is None)
    if left is not None:
        assert left.dtype == right.dtype
        assert left.tobytes() == right.tobytes()


def assert_same(left, right):
    assert left.field == right.field
    assert_same_array(left.kind, right.kind)
    assert_same_array(left.irregular, right.irregular)
    assert list(left.buffers) == list(right.buffers)
    for kind, buffer in left.buffers.items():
        assert_same_array(buffer, right.buffers[kind])
    assert (left.words is None) == (right.words is None)
    if left.words is not None:
        assert left.words.type == right.words.type
        assert left.words.equals(right.words)
