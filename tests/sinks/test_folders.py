import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from batchprep.sinks import open_sink

N = pa.schema([("n", pa.int64())])


def rows(*values):
    return pa.table({"n": pa.array(values, pa.int64())})


def write(target, *tables, **options):
    with open_sink(target, N, **options) as sink:
        for table in tables:
            sink.write(table)
    return sink


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("sizes", [[10], [1] * 10, [3, 3, 4], [8, 0, 2]])
def test_parts_have_the_same_size_however_the_rows_come(sizes, tmp_path):
    start, tables = 0, []
    for size in sizes:
        tables.append(rows(*range(start, start + size)))
        start += size

    sink = write(tmp_path / "out", *tables, rows_per_file=4)

    parts = sorted((tmp_path / "out").iterdir())
    assert [p.name for p in parts] == [f"part-0000{i}.parquet" for i in range(3)]
    assert [pq.read_table(p)["n"].to_pylist() for p in parts] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]
    assert (sink.rows, sink.bytes) == (10, sum(p.stat().st_size for p in parts))


def test_full_parts_are_followed_by_no_empty_one(tmp_path):
    write(tmp_path / "out", rows(1, 2, 3, 4), rows(), rows_per_file=2)

    assert names(tmp_path / "out") == ["part-00000.parquet", "part-00001.parquet"]


@pytest.mark.parametrize(
    ("target", "options", "part"),
    [
        ("out/", {}, "part-00000.parquet"),
        ("out/", {"format": "csv"}, "part-00000.csv"),
        ("out/", {"format": "ndjson", "compression": "gzip"}, "part-00000.ndjson.gz"),
        ("out.csv.zst/", {}, "part-00000.csv.zst"),
        ("out.arrow", {"rows_per_file": 9}, "part-00000.arrow"),
        ("out", {"rows_per_file": 9, "compression": "snappy"}, "part-00000.parquet"),
        ("there", {"format": "ipc"}, "part-00000.arrow"),
    ],
)
def test_the_name_or_the_format_says_what_the_parts_are(target, options, part, tmp_path):
    (tmp_path / "there").mkdir()
    write(f"{tmp_path}/{target}", rows(1), **options)

    assert names(tmp_path / target) == [part]
    assert names(tmp_path) == sorted({"there", target.rstrip("/")})


def test_no_rows_make_one_part_with_the_schema(tmp_path):
    write(f"{tmp_path}/out/")

    assert pyarrow.dataset.dataset(tmp_path / "out").to_table().equals(N.empty_table())


def test_nothing_is_under_the_name_until_all_parts_are_there(tmp_path):
    with open_sink(tmp_path / "out", N, rows_per_file=1) as sink:
        sink.write(rows(1, 2, 3))
        assert not (tmp_path / "out").exists()

    assert len(names(tmp_path / "out")) == 3
    assert names(tmp_path) == ["out"]


def test_a_folder_is_not_replaced_unasked(tmp_path):
    write(f"{tmp_path}/out/", rows(1))

    with pytest.raises(FileExistsError, match=r"out/ exists, and nothing was written"):
        open_sink(f"{tmp_path}/out/", N)
    assert names(tmp_path) == ["out"]


def test_a_folder_that_fills_while_rows_are_written_is_not_replaced(tmp_path):
    sink = open_sink(f"{tmp_path}/out/", N)
    write(f"{tmp_path}/out/", rows(7))

    with pytest.raises(FileExistsError, match=r"out/ exists, and nothing was written"):
        sink.close()
    assert pq.read_table(tmp_path / "out")["n"].to_pylist() == [7]
    assert names(tmp_path) == ["out"]


def test_a_replaced_folder_keeps_none_of_the_old_parts(tmp_path):
    write(tmp_path / "out", rows(1, 2, 3), rows_per_file=1)
    with open_sink(tmp_path / "out", N, rows_per_file=1, overwrite=True) as sink:
        sink.write(rows(4, 5))
        assert len(names(tmp_path / "out")) == 3

    assert pq.read_table(tmp_path / "out")["n"].to_pylist() == [4, 5]
    assert names(tmp_path / "out") == ["part-00000.parquet", "part-00001.parquet"]
    assert names(tmp_path) == ["out"]


def test_a_replacement_that_fails_puts_the_old_folder_back(tmp_path, monkeypatch):
    write(f"{tmp_path}/out/", rows(1))
    sink = open_sink(f"{tmp_path}/out/", N, overwrite=True)
    sink.write(rows(2))
    real = type(tmp_path).rename

    def rename(self, target):
        if self.suffix == ".tmp":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(type(tmp_path), "rename", rename)
    with pytest.raises(OSError, match=r"No space left on device while writing .*out/"):
        sink.close()

    assert pq.read_table(tmp_path / "out")["n"].to_pylist() == [1]
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("foreign", ["notes.txt", "part-1.parquet", "data.parquet", "year=2024"])
def test_a_folder_that_holds_more_than_parts_is_never_replaced(foreign, tmp_path):
    write(f"{tmp_path}/out/", rows(1))
    (tmp_path / "out" / foreign).mkdir()

    with pytest.raises(FileExistsError) as caught:
        open_sink(f"{tmp_path}/out/", N, overwrite=True)
    assert str(caught.value) == (
        f"{tmp_path}/out/ holds what is no part ({foreign}), and is not replaced\n"
        "  Remove it yourself, or write to another name"
    )


def test_a_file_that_comes_into_a_folder_meanwhile_is_kept(tmp_path):
    write(f"{tmp_path}/out/", rows(1))
    sink = open_sink(f"{tmp_path}/out/", N, overwrite=True)
    (tmp_path / "out" / "notes.txt").write_text("mine")

    with pytest.raises(FileExistsError, match=r"holds what is no part \(notes\.txt\)"):
        sink.close()
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert names(tmp_path) == ["out"]


def test_a_file_is_not_replaced_by_a_folder(tmp_path):
    (tmp_path / "out").write_text("mine")

    with pytest.raises(FileExistsError, match=r"out/ is a file, and is not replaced"):
        open_sink(f"{tmp_path}/out/", N, overwrite=True)
