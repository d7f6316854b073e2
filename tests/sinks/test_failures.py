import threading
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batchprep.sinks import failures_sink
from batchprep.sinks.failures import BLOCK

SCHEMA = pa.schema([("row", pa.int64()), ("message", pa.string()), ("line", pa.int64())])


@dataclass(frozen=True)
class Failed:
    row: int
    message: str = "integer division or modulo by zero"
    line: int | None = None


def test_failed_rows_are_written_in_blocks(tmp_path):
    count = 2 * BLOCK + 5
    with failures_sink(tmp_path / "failed.parquet", SCHEMA) as sink:
        for row in range(count):
            sink.add(Failed(row))
        assert sink.rows == count

    found = pq.read_table(tmp_path / "failed.parquet")
    assert found.schema.equals(SCHEMA)
    assert found["row"].to_pylist() == list(range(count))
    assert found.slice(0, 1).to_pylist() == [vars(Failed(0))]


@pytest.mark.parametrize("name", ["failed.csv", "failed.ndjson.gz", "failed.arrow", "parts/"])
def test_any_format_takes_failed_rows(name, tmp_path):
    with failures_sink(f"{tmp_path}/{name}", SCHEMA) as sink:
        sink.add(Failed(3))

    assert sink.rows == 1
    assert (tmp_path / name).exists()


def test_no_failed_row_makes_an_empty_file(tmp_path):
    failures_sink(tmp_path / "failed.csv", SCHEMA).close()

    assert (tmp_path / "failed.csv").read_text() == "row,message,line\n"


def test_threads_may_share_it(tmp_path):
    with failures_sink(tmp_path / "failed.parquet", SCHEMA) as sink:
        threads = [
            threading.Thread(target=lambda s=s: [sink.add(Failed(s + i)) for i in range(6000)])
            for s in (0, 6000)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted(pq.read_table(tmp_path / "failed.parquet")["row"].to_pylist()) == list(
        range(12_000)
    )


def test_an_exception_leaves_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt), failures_sink(tmp_path / "f.csv", SCHEMA) as sink:  # noqa: PT012
        sink.add(Failed(1))
        raise KeyboardInterrupt

    assert list(tmp_path.iterdir()) == []


def test_overwrite_must_be_asked_for(tmp_path):
    (tmp_path / "failed.csv").write_text("mine")

    with pytest.raises(FileExistsError):
        failures_sink(tmp_path / "failed.csv", SCHEMA)
    failures_sink(tmp_path / "failed.csv", SCHEMA, overwrite=True).close()
    assert (tmp_path / "failed.csv").read_text() == "row,message,line\n"
