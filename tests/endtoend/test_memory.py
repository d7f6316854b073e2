"""A run needs the memory of its batches, however long its input is."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from tests.endtoend.limited import NO_MEMORY

ROOT = Path(__file__).parents[2]
MIB = 2**20
TIMES = 10
BLOCK_ROWS = 250_000
TEXT = 240  # characters
ENVIRONMENT = {
    # Arrow's allocator takes a gigabyte at once; like this it asks for what it uses.
    "MIMALLOC_ARENA_EAGER_COMMIT": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "2",
}


def block():
    """Rows that say little, so that files are small: 32 bytes each in memory."""
    a = np.arange(BLOCK_ROWS) % 1_000
    return pa.table({"a": a, "b": a % 7, "c": a / 2, "d": np.ones(BLOCK_ROWS)})


def write_parquet(path, total):
    table = block()
    with parquet.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(total // table.nbytes + 1):
            writer.write_table(table)
    return path


def write_csv(path, total):
    """With a long text in each row: most of the time would go into parsing numbers."""
    table = block().append_column("text", pa.array(["x" * TEXT] * BLOCK_ROWS))
    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink, csv.WriteOptions(include_header=False))
    rows = sink.getvalue()
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(f"{','.join(table.column_names)}\n".encode())
        for _ in range(total // len(rows) + 1):
            stream.write(rows)
    return path


def limited(way, source, margin, folder):
    """The exit code, the limit in bytes, and what went to stderr."""
    arguments = [way, str(source), str(margin), str(folder / "out.parquet")]
    run = subprocess.run(
        [sys.executable, "-m", "tests.endtoend.limited", *arguments],
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout, run.stderr
    return run.returncode, int(run.stdout), run.stderr


def parquet_file(folder, total):
    return write_parquet(folder / "in.parquet", total)


def csv_file(folder, total):
    return write_csv(folder / "in.csv.zst", total)


def records(folder, total):
    return total


# What imports take, about 140 MiB, and the margin are the limit; the input is ten times that.
@pytest.mark.parametrize(
    ("make", "margin", "total"),
    [
        (parquet_file, 256 * MIB, 4_200 * MIB),
        # The types of a CSV are inferred from blocks of text, which take more than numbers do.
        (csv_file, 384 * MIB, 5_400 * MIB),
        (records, 160 * MIB, 3_300 * MIB),
    ],
)
def test_ten_times_the_memory_goes_through(make, margin, total, tmp_path):
    source = make(tmp_path, total)

    code, limit, errors = limited("run", source, margin, tmp_path)
    written = parquet.read_table(tmp_path / "out.parquet")
    (tmp_path / "out.parquet").unlink()
    control, _, _ = limited("whole", source, margin, tmp_path)

    assert limit * TIMES <= total
    assert (code, errors) == (0, "")
    assert written.num_rows > 1_000
    assert {a % 1_000 for a in written["a"].to_pylist()} == {7}
    # Read as a whole, the same input does not fit: the limit holds.
    assert control == NO_MEMORY
