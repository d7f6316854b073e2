"""Files that were cut or damaged: an error with file and place, never fewer rows."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.records.scan import scan
from tests.scan.files import table_of, write

NUMBERS = pa.table({"n": np.arange(4_000), "s": [f"word {i % 700}" for i in range(4_000)]})
WRITTEN = {
    "parquet": {"row_group_size": 1_000},
    "arrow": {"max_chunksize": 1_000},
    "ipc": {"max_chunksize": 1_000},
    "ipc.gz": {"max_chunksize": 1_000},
    "ipc.zst": {"max_chunksize": 1_000},
    "csv.gz": {},
    "csv.zst": {},
    "ndjson.gz": {},
    "ndjson.zst": {},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damage")


@pytest.fixture(scope="module")
def contents(folder):
    return {
        suffix: write(folder / f"whole.{suffix}", NUMBERS, **options).read_bytes()
        for suffix, options in WRITTEN.items()
    }


@given(data=st.data(), suffix=st.sampled_from(list(WRITTEN)))
def test_a_file_that_was_cut_is_an_error(folder, contents, data, suffix):
    whole = contents[suffix]
    cut = data.draw(st.integers(0, len(whole) - 1), "cut")
    path = folder / f"cut.{suffix}"
    path.write_bytes(whole[:cut])

    with pytest.raises(ValueError, match=rf"cut\.{suffix}") as raised:
        list(scan(path))
    assert type(raised.value) is ValueError


@pytest.mark.parametrize("suffix", WRITTEN)
def test_a_file_that_was_cut_by_a_byte_is_an_error(folder, contents, suffix):
    path = folder / f"short.{suffix}"
    path.write_bytes(contents[suffix][:-1])

    with pytest.raises(ValueError, match=rf"short\.{suffix}"):
        list(scan(path))


@pytest.mark.parametrize("suffix", ["ipc", "ipc.gz"])
def test_a_stream_that_was_cut_between_batches_is_an_error(tmp_path, suffix):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, NUMBERS.schema) as writer:
        for batch in NUMBERS.to_batches(max_chunksize=1_000)[:2]:
            writer.write_batch(batch)
        between = sink.tell()
        writer.write_table(NUMBERS.slice(2_000))
    content = sink.getvalue().to_pybytes()[:between]
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(gzip.compress(content) if suffix == "ipc.gz" else content)

    with pytest.raises(ValueError, match="after record batch 1: the Arrow stream ends without its"):
        list(scan(path))


def test_bytes_behind_a_stream_are_an_error(tmp_path):
    path = write(tmp_path / "t.ipc", table_of("int64"))
    path.write_bytes(path.read_bytes() * 2)

    with pytest.raises(ValueError, match="more bytes behind the end of the Arrow stream"):
        list(scan(path))


def test_a_damaged_page_names_its_row_group(tmp_path):
    path = write(tmp_path / "t.parquet", NUMBERS, row_group_size=1_000, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    content[len(content) * 3 // 4] ^= 255
    path.write_bytes(content)
    source = scan(path).source()

    with pytest.raises(ValueError, match=r"t\.parquet, row group [123] of 4: the file is damaged"):
        list(source.batches(1_000))


def test_rows_ahead_of_the_damage_come_first(tmp_path):
    path = tmp_path / "t.ndjson"
    path.write_text('{"a": 1}\n{"a": 2}\n{"a": \n')
    batches = scan(path).source().batches()

    assert next(batches).to_records() == [{"a": 1}, {"a": 2}]
    with pytest.raises(ValueError, match=r"t\.ndjson, line 3: '{\"a\": ' is no JSON"):
        next(batches)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "ipc", "csv.gz", "ndjson.zst"])
def test_another_format_under_the_suffix_is_an_error(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(b"this is no such file, but a text that someone renamed\n")

    with pytest.raises(ValueError, match=rf"t\.{suffix}"):
        list(scan(path))


def test_what_arrow_said_is_the_cause(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 and no more")

    with pytest.raises(ValueError, match="copy it again") as raised:
        list(scan(path))
    assert isinstance(raised.value.__cause__, pa.ArrowInvalid)


def test_an_arrow_file_that_is_compressed_as_a_whole_says_what_to_do(tmp_path):
    path = write(tmp_path / "t.arrow.gz", table_of("int64"))

    with pytest.raises(ValueError, match="decompress it first, or write it as an Arrow stream"):
        list(scan(path))
