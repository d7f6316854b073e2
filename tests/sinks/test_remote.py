import builtins

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batchprep.sinks import check_target, open_sink

N = pa.schema([("n", pa.int64())])


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield files
    files.store.clear()


def write(target, *values, **options):
    with open_sink(target, N, **options) as sink:
        sink.write(pa.table({"n": pa.array(values, pa.int64())}))
    return sink


def test_a_remote_file_has_its_name_once_all_rows_are_in(memory):
    with open_sink("memory://data/out.csv", N) as sink:
        sink.write(pa.table({"n": [1]}))
        assert not memory.exists("/data/out.csv")

    assert memory.cat("/data/out.csv") == b"n\n1\n"
    assert memory.find("/") == ["/data/out.csv"]
    assert sink.bytes == 4


def test_a_remote_folder_of_parts(memory):
    write("memory://data/out/", 1, 2, 3, rows_per_file=2)

    paths = memory.find("/")
    assert paths == ["/data/out/part-00000.parquet", "/data/out/part-00001.parquet"]
    found = [pq.read_table(memory.open(path))["n"].to_pylist() for path in paths]
    assert found == [[1, 2], [3]]


@pytest.mark.parametrize("target", ["memory://data/out.csv", "memory://data/out.csv/"])
def test_remote_targets_are_not_replaced_unasked(target, memory):
    write(target, 1)
    late = open_sink("memory://data/late.csv", N)
    write("memory://data/late.csv", 7)

    with pytest.raises(FileExistsError, match=r"exists, and nothing was written"):
        check_target(target)
    with pytest.raises(FileExistsError, match=r"late\.csv exists, and nothing was written"):
        late.close()
    write(target, 2, overwrite=True)

    [path, late_path] = sorted(memory.find("/"), reverse=True)
    assert (memory.cat(path), memory.cat(late_path)) == (b"n\n2\n", b"n\n7\n")


@pytest.mark.parametrize("target", ["memory://data/out.csv", "memory://data/out/"])
def test_an_aborted_remote_run_leaves_nothing(target, memory):
    sink = open_sink(target, N)
    sink.write(pa.table({"n": [1]}))
    sink.abort()
    sink.abort()

    assert memory.find("/") == []


def test_a_remote_folder_with_other_files_is_not_replaced(memory):
    memory.pipe("/data/out/notes.txt", b"mine")

    with pytest.raises(FileExistsError, match=r"holds what is no part \(notes\.txt\)"):
        open_sink("memory://data/out/", N, overwrite=True)


def test_a_remote_folder_is_no_file(memory):
    write("memory://data/out.csv/", 1)

    with pytest.raises(IsADirectoryError, match=r"out\.csv is a folder"):
        check_target("memory://data/out.csv")


def test_an_unknown_protocol_is_named():
    with pytest.raises(ValueError, match=r"nowhere://x/out\.csv cannot be opened: .*nowhere"):
        check_target("nowhere://x/out.csv")


def test_without_fsspec_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without_fsspec(name, *args):
        if name.startswith("fsspec"):
            raise ModuleNotFoundError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without_fsspec)
    with pytest.raises(ModuleNotFoundError) as caught:
        check_target("s3://bucket/out.csv")
    assert str(caught.value) == (
        "writing to s3://bucket/out.csv needs fsspec\n  Type: pip install 'batchprep[remote]'"
    )
