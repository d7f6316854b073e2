"""Batches: their sizes, where they come from, what is read for them and what is not."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batchprep.records import open_source, scan
from batchprep.records.scan import Range
from batchprep.records.scan.rebatch import BATCH_BYTES
from tests.scan.files import write

SUFFIXES = ["parquet", "arrow", "ipc", "csv", "csv.gz"]


def numbers(count, first=0):
    return pa.table({"n": np.arange(first, first + count), "m": np.zeros(count)})


def places(batches):
    return [(b.start, len(b), b.origin.file.rpartition("/")[2], b.origin.row) for b in batches]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("rows", [1, 7, 100, 10_000])
def test_every_row_comes_once_in_order_with_its_place(tmp_path, suffix, rows):
    for number, count in enumerate((250, 0, 60)):
        write(tmp_path / f"{number}.{suffix}", numbers(count, number * 1_000))
    source = open_source(scan(tmp_path))
    first_of_file = {f"0.{suffix}": 0, f"2.{suffix}": 250}
    seen = 0

    for batch in source.batches(rows):
        file = batch.origin.file.rpartition("/")[2]
        row = batch.start - first_of_file[file]
        assert (batch.start, batch.origin.row) == (seen, row)
        assert 0 < len(batch) <= rows
        first = int(file[0]) * 1_000 + row
        assert batch.values("n") == list(range(first, first + len(batch)))
        seen += len(batch)

    assert seen == 310
    assert source.bytes_read <= source.total_bytes
    assert source.total_rows == (310 if suffix == "parquet" else None)


def test_small_row_groups_are_joined_and_large_ones_cut(tmp_path):
    path = write(tmp_path / "t.parquet", numbers(1_000), row_group_size=10)

    assert [len(batch) for batch in scan(path).source().batches()] == [1_000]
    assert [len(batch) for batch in scan(path).source().batches(300)] == [300, 300, 300, 100]


@pytest.mark.parametrize("suffix", ["arrow", "ipc"])
def test_small_record_batches_are_joined(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}", numbers(1_000), max_chunksize=10)

    assert [len(batch) for batch in scan(path).source().batches()] == [1_000]


def test_wide_rows_come_fewer_at_a_time(tmp_path):
    count = 12_000
    table = pa.table({"n": np.arange(count), "wide": [b"x" * 8_192] * count})
    path = write(tmp_path / "t.arrow", table, max_chunksize=1_000)
    parquet = write(tmp_path / "t.parquet", table, use_dictionary=False)

    assert [len(batch) for batch in scan(path).source().batches()] == [9_000, 3_000]
    assert max(len(batch) for batch in scan(parquet).source().batches()) < 9_000
    assert [len(batch) for batch in scan(parquet).source({"n"}).batches()] == [count]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a" * 10_000, "b" * 10_000, "c"]),
        pa.array([list(range(1_000)), [7] * 1_500, []]),
        pa.array([{"texts": ["a" * 5_000, "b" * 5_000]}, {"texts": []}, None]),
    ],
    ids=["texts", "lists", "nested texts"],
)
def test_rows_that_take_few_bytes_in_the_file_come_fewer_at_a_time(tmp_path, values):
    count = 20_000
    table = pa.table({"wide": values.take(pa.array(np.arange(count) % len(values)))})
    pq.write_table(table, tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 1 << 21

    batches = list(scan(tmp_path / "t.parquet").source().batches())

    assert sum(map(len, batches)) == count
    assert max(batch.to_arrow().nbytes for batch in batches) < 1.1 * BATCH_BYTES


def test_a_row_group_that_is_skipped_keeps_its_numbers(tmp_path):
    path = write(tmp_path / "a.parquet", numbers(100), row_group_size=10)
    other = write(tmp_path / "b.parquet", numbers(5), row_group_size=10)
    source = scan([path, other]).source({"m"}, lambda ranges: ranges["n"].high < 60)

    assert places(source.batches()) == [(60, 40, "a.parquet", 60)]
    assert source.row_groups_skipped == 7
    assert (source.total_rows, source.length) == (105, None)
    assert 0 < source.bytes_read < source.total_bytes
    assert source.names() == ("m",)


def test_row_groups_between_skipped_ones_are_read_apart(tmp_path):
    path = write(tmp_path / "a.parquet", numbers(60), row_group_size=10)
    source = scan(path).source(skip=lambda ranges: ranges["n"].low in {10, 40})

    assert places(source.batches()) == [
        (0, 10, "a.parquet", 0),
        (20, 20, "a.parquet", 20),
        (50, 10, "a.parquet", 50),
    ]


def test_ranges_are_given_where_they_are_exact(tmp_path):
    nan = float("nan")
    table = pa.table({
        "i": [3, None, 1], "u": pa.array([2**64 - 1, 0, 1], pa.uint64()), "f": [0.5, nan, -1.0],
        "b": [True, False, None], "s": ["b", "a", None], "long": ["x" * 99] * 3,
        "none": pa.array([None] * 3, pa.int64()), "raw": [b"x"] * 3, "list": [[1]] * 3,
        "struct": [{"i": 7}] * 3, "category": pa.array(["p", "q", "q"]).dictionary_encode(),
        "dotted.name": [5, 6, 7],
    })  # fmt: skip
    seen = []

    path = write(tmp_path / "t.parquet", table)
    list(scan(path).source(skip=lambda ranges: seen.append(dict(ranges))).batches())

    assert seen == [
        {
            "i": Range(1, 3, 1),
            "u": Range(0, 2**64 - 1, 0),
            "f": Range(-1.0, 0.5, 0),
            "b": Range(low=False, high=True, nulls=1),
            "s": Range("a", "b", 1),
            "category": Range("p", "q", 0),
            "dotted.name": Range(5, 7, 0),
        }
    ]


def test_ranges_of_values_that_are_read_as_another_type_are_left_out(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"s": ["10", "9"], "i": [1, 2]}))
    schema = pa.schema([("s", pa.int64()), ("i", pa.float64())])
    seen = []

    list(scan(path, schema=schema).source(skip=lambda r: seen.append(dict(r))).batches())

    assert seen == [{"i": Range(1, 2, 0)}]


def test_columns_without_statistics_have_no_range(tmp_path):
    path = write(tmp_path / "t.parquet", numbers(10), write_statistics=False)

    source = scan(path).source(skip=lambda ranges: "n" in ranges or len(ranges) > 0)

    assert sum(map(len, source.batches())) == 10


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_whole_is_one_batch_also_of_no_rows(tmp_path, suffix):
    for number, count in enumerate((3, 2)):
        write(tmp_path / f"{number}.{suffix}", numbers(count))
    empty = tmp_path / "empty"
    empty.mkdir()
    write(empty / f"t.{suffix}", numbers(0))

    assert scan(tmp_path.joinpath(f"*.{suffix}")).source().whole().values("n") == [0, 1, 2, 0, 1]
    assert len(scan(empty).source().whole()) == 0
    assert scan(empty).source().whole().names() == ("n", "m")


def test_no_more_is_read_than_is_asked_for(tmp_path):
    for number in range(3):
        write(tmp_path / f"{number}.parquet", numbers(100_000), row_group_size=10_000)
    source = scan(tmp_path).source()
    batches = source.batches(10_000)

    next(batches)

    assert source.bytes_read < source.total_bytes / 10
    batches.close()
    assert source.bytes_read < source.total_bytes / 10


@pytest.mark.parametrize("suffix", [*SUFFIXES, "ndjson"])
def test_files_are_closed_also_where_nobody_reads_on(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}", numbers(200_000))
    batches = scan(path).source().batches(100)

    next(batches)
    assert path in opened_files()
    batches.close()

    assert path not in opened_files()


def opened_files():
    """Files that this process holds open."""
    links = Path("/proc/self/fd").iterdir()
    return {link.readlink() for link in links if link.is_symlink()}


def test_a_large_row_group_is_streamed(tmp_path):
    count = 20_000_000
    table = pa.table({"n": np.random.default_rng(0).integers(0, 2**62, count)})
    path = write(tmp_path / "t.parquet", table, row_group_size=count, compression="none",
                 use_dictionary=False)  # fmt: skip
    del table
    before = pa.total_allocated_bytes()
    most = 0

    for batch in scan(path).source().batches():
        most = max(most, pa.total_allocated_bytes() - before)
        assert len(batch) <= 524_288

    assert most < 60_000_000  # the row group has 160,000,000 bytes


def test_a_vectorized_function_reads_a_scan(tmp_path):
    import batchprep as bp

    path = write(tmp_path / "t.parquet", numbers(5))
    double = bp.vectorize(lambda r: r["n"] * 2)

    assert pa.chunked_array(double(scan(path))).to_pylist() == [0, 2, 4, 6, 8]
