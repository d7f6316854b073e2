"""Reading runs ahead of computing, but not far, and writing goes on beside both.

No clocks: each side waits for the other one, so that a run without overlap would never go on.
"""

import threading

import pyarrow as pa
import pytest
from pyarrow import parquet

import batchprep as bp
from batchprep import sinks
from batchprep.records.scan.source import FileSource

PATIENCE = 60  # seconds after which a wait is over and the test fails
BATCHES = 40
ROWS = 1_000
AHEAD = 4  # batches that may be read and not yet computed
SCHEMA = pa.schema([("n", pa.int64())])


class Stream:
    """Batches of an Arrow stream, which notes who asked for which."""

    def __init__(self, batches=BATCHES):
        self.count = batches
        self.taken = 0
        self.threads = set()
        self.second_is_asked_for = threading.Event()

    def reader(self):
        return pa.RecordBatchReader.from_batches(SCHEMA, self.noted(self._batches()))

    def noted(self, batches):
        for batch in batches:
            self.threads.add(threading.get_ident())
            if self.taken == 1:
                self.second_is_asked_for.set()
            self.taken += 1
            yield batch

    def _batches(self):
        for number in range(self.count):
            numbers = range(number * ROWS, (number + 1) * ROWS)
            yield pa.record_batch([pa.array(numbers, pa.int64())], schema=SCHEMA)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file whose batches have ROWS rows each, and the stream that notes who reads them."""
    source = tmp_path / "in.parquet"
    parquet.write_table(pa.table({"n": range(BATCHES * ROWS)}, SCHEMA), source)
    stream = Stream()
    batches = FileSource.batches
    monkeypatch.setattr(FileSource, "batches", lambda self: stream.noted(batches(self, ROWS)))
    return source, stream


@pytest.fixture(autouse=True)
def interpreted():
    """The row functions here have effects: they run row by row."""
    with bp.use(backend="numpy", on_unsupported="ignore"):
        yield


def test_the_next_batch_of_a_file_is_read_while_one_is_computed(file, tmp_path):
    source, stream = file

    def waiting(r):
        if r["n"] == 0:
            assert stream.second_is_asked_for.wait(PATIENCE)
        return {"n": r["n"]}

    bp.Pipeline().map(waiting).run(source, tmp_path / "out.parquet")

    assert parquet.read_metadata(tmp_path / "out.parquet").num_rows == BATCHES * ROWS
    assert threading.get_ident() not in stream.threads


def test_a_file_is_read_a_few_batches_ahead(file, tmp_path):
    source, stream = file
    ahead = []

    def noting(r):
        if r["n"] % ROWS == 0:
            ahead.append(stream.taken - r["n"] // ROWS - 1)
        return {"n": r["n"]}

    bp.Pipeline().map(noting).run(source, tmp_path / "out.parquet")

    assert len(ahead) == BATCHES
    assert max(ahead) <= AHEAD


def test_the_callers_own_stream_is_read_on_the_callers_thread(tmp_path):
    stream = Stream()
    ahead = []

    def noting(r):
        if r["n"] % ROWS == 0:
            ahead.append(stream.taken - r["n"] // ROWS - 1)
        return {"n": r["n"]}

    bp.Pipeline().map(noting).run(stream.reader(), tmp_path / "out.parquet")

    assert stream.threads == {threading.get_ident()}
    assert max(ahead) == 0


def test_the_last_batch_is_computed_while_the_first_is_written(tmp_path, monkeypatch):
    computed = threading.Event()
    writers = set()
    write = sinks.Sink.write

    def waiting(sink, table):
        writers.add(threading.get_ident())
        assert computed.wait(PATIENCE)
        write(sink, table)

    def noting(r):
        if r["n"] == ROWS:  # of the second batch
            computed.set()
        return {"n": r["n"]}

    monkeypatch.setattr(sinks.Sink, "write", waiting)
    bp.Pipeline().map(noting).run(Stream().reader(), tmp_path / "out.parquet")

    assert computed.is_set()
    assert threading.get_ident() not in writers


def test_a_failing_row_ends_the_reading_of_a_file(file, tmp_path):
    source, stream = file
    before = threading.active_count()

    with pytest.raises(ZeroDivisionError):
        bp.Pipeline().map(lambda r: {"x": 1 // (5_000 - r["n"])}).run(source, tmp_path / "out.csv")

    assert stream.taken <= 6 + AHEAD
    assert list(tmp_path.iterdir()) == [source]
    assert threading.active_count() <= before


def test_a_failing_row_ends_an_endless_stream(tmp_path):
    stream = Stream(batches=10**9)

    with pytest.raises(ZeroDivisionError):
        bp.Pipeline().map(lambda r: {"x": 1 // (5_000 - r["n"])}).run(
            stream.reader(), tmp_path / "out.parquet"
        )

    assert stream.taken == 6
    assert list(tmp_path.iterdir()) == []


def test_an_exception_of_the_source_ends_the_run(tmp_path):
    def records():
        yield from ({"n": n} for n in range(200_000))
        raise OSError("the line went dead")

    with pytest.raises(OSError, match="the line went dead"):
        bp.Pipeline().map(lambda r: {"n": r["n"]}).run(records(), tmp_path / "out.parquet")

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_the_run(tmp_path, monkeypatch):
    def full(sink, table):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sinks.Sink, "write", full)
    stream = Stream(batches=10**9)

    with pytest.raises(OSError, match="No space left on device"):
        bp.Pipeline().map(lambda r: {"n": r["n"]}).run(stream.reader(), tmp_path / "out.parquet")

    assert list(tmp_path.iterdir()) == []
