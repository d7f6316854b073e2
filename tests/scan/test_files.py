"""Which files a scan names, and what is said where there are none."""

import pickle

import pyarrow as pa
import pytest

from batchprep.records.scan import scan
from tests.scan.files import write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.parquet", "a.parquet", "_hidden.parquet", ".tmp.parquet", "in/c.parquet"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        write(path, pa.table({"n": [name]}))
    (tmp_path / "in" / "README.txt").write_text("no data")
    (tmp_path / "_old").mkdir()
    write(tmp_path / "_old" / "d.parquet", pa.table({"n": ["old"]}))
    return tmp_path


def names(paths, **options):
    return [row["n"] for row in scan(paths, **options)]


@pytest.mark.parametrize(
    ("paths", "wanted"),
    [
        ("a.parquet", ["a.parquet"]),
        (["b.parquet", "a.parquet"], ["b.parquet", "a.parquet"]),
        ("*.parquet", ["_hidden.parquet", "a.parquet", "b.parquet"]),
        ("[ab].parquet", ["a.parquet", "b.parquet"]),
        ("**/c.parquet", ["in/c.parquet"]),
        ("in/*.parquet", ["in/c.parquet"]),
        ("i*", ["in/c.parquet"]),
        ("*n/**/*.parquet", ["in/c.parquet"]),
        (".", ["a.parquet", "b.parquet", "in/c.parquet"]),
        ("./in/", ["in/c.parquet"]),
        (["in", "a.parquet", "a.parquet"], ["in/c.parquet", "a.parquet"]),
    ],
)
def test_paths_globs_and_folders_name_files(folder, paths, wanted):
    assert names(paths) == wanted
    paths = [paths] if isinstance(paths, str) else paths
    assert names([folder / path for path in paths]) == wanted
    assert names([f"file://{folder}/{path}" for path in paths]) == wanted


def test_a_name_with_brackets_is_a_name_where_it_exists(folder):
    write(folder / "x[1].parquet", pa.table({"n": ["bracket"]}))

    assert names("x[1].parquet") == ["bracket"]


def test_an_order_is_that_of_the_names(folder):
    assert scan(folder).files == tuple(
        f"{folder}/{name}" for name in ("a.parquet", "b.parquet", "in/c.parquet")
    )


@pytest.mark.parametrize(
    ("paths", "error", "text"),
    [
        ("aa.parquet", FileNotFoundError, r"no such file or folder; near names there: a\.parquet"),
        ("gone/x.parquet", FileNotFoundError, "no such file or folder; check the folder"),
        ("*.tsv", FileNotFoundError, r"no file matches \*.tsv"),
        ("empty", FileNotFoundError, "empty: no data file in this folder"),
        ([], ValueError, "no path was given"),
        (["a.parquet", "t.csv"], ValueError, "a.parquet is parquet and t.csv is csv"),
        ("in/README.txt", ValueError, "its suffix names no format; known are .parquet"),
        ("z.parquet.gz", ValueError, "decompress it first"),
        (5, TypeError, "5 is of type int, not a path"),
        ([5], TypeError, "5 is of type int, not a path"),
    ],
)
def test_what_leads_to_no_file_is_an_error(folder, paths, error, text):
    (folder / "empty").mkdir()
    (folder / "t.csv").write_text("n\n1\n")
    (folder / "z.parquet.gz").write_bytes(b"")

    with pytest.raises(error, match=text):
        scan(paths)


def test_the_format_may_be_named(folder):
    (folder / "in" / "data.txt").write_text("n,m\nx,y\n")

    assert names("in/data.txt", format="csv") == ["x"]
    with pytest.raises(ValueError, match=r"format='xls' is not one of 'arrow', 'csv'"):
        scan("in/data.txt", format="xls")


def test_a_file_that_went_away_names_its_neighbours(folder):
    found = scan("a.parquet")
    (folder / "a.parquet").rename(folder / "aa.parquet")

    with pytest.raises(FileNotFoundError, match=r"near names there: aa\.parquet"):
        list(found)


@pytest.fixture
def hive(tmp_path):
    for country, year, number in (("NO", "2024", 1), ("a%20b", "-7", 2)):
        path = tmp_path / f"year={year}" / f"country={country}" / "part.parquet"
        path.parent.mkdir(parents=True)
        write(path, pa.table({"n": [number, number]}))
    path = tmp_path / "year=__HIVE_DEFAULT_PARTITION__" / "part.parquet"
    path.parent.mkdir()
    write(path, pa.table({"n": [3]}))
    return tmp_path


def test_folders_give_columns(hive):
    found = scan(hive)

    assert found.schema == pa.schema(
        [("n", pa.int64()), ("year", pa.int64()), ("country", "string")]
    )
    assert list(found) == [
        {"n": 2, "year": -7, "country": "a b"},
        {"n": 2, "year": -7, "country": "a b"},
        {"n": 1, "year": 2024, "country": "NO"},
        {"n": 1, "year": 2024, "country": "NO"},
        {"n": 3, "year": None, "country": None},
    ]
    assert list(scan(hive / "year=2024" / "country=NO")) == [{"n": 1}, {"n": 1}]
    assert list(scan(f"{hive}/year=2*/*/*.parquet", columns=["country"])) == [{"country": "NO"}] * 2


def test_a_glob_of_folders_gives_their_files_and_columns(hive):
    found = scan(f"{hive}/year=2*", columns=["n", "year", "country"])

    assert list(found) == [{"n": 1, "year": 2024, "country": "NO"}] * 2


def test_the_schema_types_columns_of_folders(hive):
    schema = pa.schema([("year", pa.string()), ("n", pa.int8())])

    assert list(scan(hive / "year=2*", schema=schema)) == [{"year": "2024", "n": 1}] * 2
    with pytest.raises(ValueError, match="column 'year': 2024 does not fit date32"):
        list(scan(hive / "year=2*", schema=pa.schema([("year", pa.date32())])))


def test_folders_of_row_groups_are_pruned_too(hive):
    source = scan(hive).source(skip=lambda ranges: "year" in ranges and ranges["year"].high < 0)

    assert [(batch.start, len(batch)) for batch in source.batches()] == [(2, 2), (4, 1)]


@pytest.mark.parametrize(("values", "dtype"), [(["1", "02"], "string"), (["1", "2"], "int64")])
def test_a_leading_zero_makes_text(tmp_path, values, dtype):
    for value in values:
        (tmp_path / f"k={value}").mkdir()
        (tmp_path / f"k={value}" / "t.csv").write_text("n\n1\n")

    assert str(scan(tmp_path).schema.field("k").type) == dtype


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
def test_a_column_of_both_file_and_folder_is_an_error(tmp_path, suffix):
    (tmp_path / "n=1").mkdir()
    write(tmp_path / "n=1" / f"t.{suffix}", pa.table({"n": [1], "m": [2]}))

    with pytest.raises(ValueError, match=r"the column 'n' is in the file, and a folder"):
        list(scan(tmp_path))


def test_folders_give_keys_of_ndjson_records(tmp_path):
    (tmp_path / "k=x").mkdir()
    write(tmp_path / "k=x" / "t.ndjson", pa.table({"n": [1]}))

    assert list(scan(tmp_path)) == [{"n": 1, "k": "x"}]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "csv.gz", "ndjson", "arrow", "ipc.zst"])
def test_urls_are_read_through_fsspec(tmp_path, suffix):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    content = write(tmp_path / f"t.{suffix}", pa.table({"n": [1, 2]})).read_bytes()
    for name in ("k=1/a", "k=2/b"):
        memory.pipe(f"/{tmp_path.name}/{name}.{suffix}", content)
    url = f"memory://{tmp_path.name}"

    assert list(scan(f"{url}/k=1/a.{suffix}")) == [{"n": 1}, {"n": 2}]
    rows = [{"n": n, "k": k} for k in (1, 2) for n in (1, 2)]
    assert list(scan(url)) == list(scan(f"{url}/*/*.{suffix}")) == rows
    assert scan(url).files[0] == f"{url}/k=1/a.{suffix}"
    with pytest.raises(FileNotFoundError, match=f"near names there: a.{suffix}"):
        scan(f"{url}/k=1/aa.{suffix}")


def test_urls_without_fsspec_say_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)

    with pytest.raises(ImportError, match=r"pip install 'batchprep\[remote\]'"):
        scan("s3://bucket/x.parquet")


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson", "arrow"])
def test_a_scan_pickles_before_and_after_use(tmp_path, suffix):
    found = scan(
        write(tmp_path / f"t.{suffix}", pa.table({"n": [1, 2], "m": [3, 4]})), columns=["m"]
    )

    for _ in range(2):
        copy = pickle.loads(pickle.dumps(found))
        assert list(copy) == [{"m": 3}, {"m": 4}] == list(found)
        assert (copy.files, copy.format, copy.schema) == (found.files, found.format, found.schema)


def test_the_repr_names_files_format_and_columns(folder):
    found = scan(["a.parquet"])

    assert repr(found) == "<Scan of parquet: 'a.parquet'; columns not looked at yet>"
    assert found.schema.names == ["n"]
    assert repr(found) == "<Scan of parquet: 'a.parquet'; columns n: string>"
