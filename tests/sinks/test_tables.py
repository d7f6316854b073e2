import resource
import signal
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batchprep.sinks import open_sink, writers

N = pa.schema([("n", pa.int64())])


def rows(*values):
    return pa.table({"n": pa.array(values, pa.int64())})


def group_sizes(path):
    metadata = pq.read_metadata(path)
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


@pytest.mark.parametrize("sizes", [[10], [1] * 10, [3, 3, 3, 1], [7, 0, 3], [4, 4, 2]])
def test_row_groups_have_the_same_size_however_the_rows_come(sizes, tmp_path):
    path, start = tmp_path / "out.parquet", 0
    with open_sink(path, N, row_group_rows=4) as sink:
        for size in sizes:
            sink.write(rows(*range(start, start + size)))
            start += size

    assert group_sizes(path) == [4, 4, 2]
    assert pq.read_table(path)["n"].to_pylist() == list(range(10))
    assert sink.rows == 10


def test_a_row_group_ends_early_where_its_rows_are_big(tmp_path, monkeypatch):
    monkeypatch.setattr(writers, "ROW_GROUP_BYTES", 1000)
    path = tmp_path / "out.parquet"
    with open_sink(path, pa.schema([("s", pa.string())])) as sink:
        for _ in range(4):
            sink.write(pa.table({"s": ["x" * 600]}))

    assert group_sizes(path) == [2, 2]


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_tables_may_bring_dictionaries_of_their_own(suffix, nested, tmp_path):
    def column(*words):
        array = pa.array(words, pa.string()).dictionary_encode()
        return pa.StructArray.from_arrays([array], ["d"]) if nested else array

    tables = [pa.table({"x": column(*words)}) for words in ("ab", "cab", "d", "a")]
    path = tmp_path / f"out.{suffix}"
    with open_sink(path, tables[0].schema) as sink:
        for table in tables:
            sink.write(table)

    if suffix == "parquet":
        found = pq.read_table(path)
    else:
        with pa.ipc.open_file(path) as file:
            found = file.read_all()
    assert found.to_pylist() == pa.concat_tables(tables).to_pylist()
    assert found.schema.field("x").type == tables[0].schema.field("x").type


def test_more_words_than_the_dictionary_can_number_are_an_error(tmp_path):
    dtype = pa.dictionary(pa.int8(), pa.string())
    path = tmp_path / "out.arrow"
    with pytest.raises(ValueError, match=r"out\.arrow, rows 100 to 199 of the result"):  # noqa: PT012
        with open_sink(path, pa.schema([("x", dtype)])) as sink:
            for start in (0, 100):
                words = [str(number) for number in range(start, start + 100)]
                sink.write(pa.table({"x": pa.array(words, dtype)}))

    assert list(tmp_path.iterdir()) == []


def test_nullability_and_metadata_may_differ(tmp_path):
    schema = pa.schema(
        [
            pa.field("n", pa.int64(), nullable=False),
            pa.field("s", pa.struct([pa.field("a", pa.string(), nullable=False)])),
            pa.field("l", pa.list_(pa.field("element", pa.int64()))),
        ]
    )
    table = pa.table({"n": [1], "s": [{"a": "x"}], "l": [[1]]}).replace_schema_metadata({"a": "b"})
    with open_sink(tmp_path / "out.arrow", schema) as sink:
        sink.write(table)

    with pa.ipc.open_file(tmp_path / "out.arrow") as file:
        assert file.schema.equals(schema)
        assert file.read_all().to_pylist() == table.to_pylist()


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            pa.table({"n": ["1"]}),
            (
                "column 'n' came as string, and is int64 in the file\n"
                "  Cast it to int64 before it is written"
            ),
        ),
        (
            pa.table({"n": pa.array([1], pa.int32())}),
            (
                "column 'n' came as int32, and is int64 in the file\n"
                "  Cast it to int64 before it is written"
            ),
        ),
        (
            pa.table({"m": [1]}),
            (
                "the columns of the rows changed\n  missing: n\n  not in the file: m\n"
                "  The file has, in this order: n"
            ),
        ),
    ],
)
def test_other_columns_are_refused_and_nothing_is_left(table, text, tmp_path):
    sink = open_sink(tmp_path / "out.csv", N)

    with pytest.raises(TypeError) as caught:
        sink.write(table)

    assert str(caught.value) == f"{tmp_path}/out.csv: {text}"
    assert list(tmp_path.iterdir()) == []


def test_a_null_in_a_column_without_nulls_is_an_error(tmp_path):
    schema = pa.schema([pa.field("n", pa.int64(), nullable=False)])

    with pytest.raises(ValueError, match=r"out\.parquet, rows 0 to 1 of the result: .*'n'"):
        open_sink(tmp_path / "out.parquet", schema).write(rows(1, None))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out.csv", "out.ndjson"])
def test_a_moment_beyond_the_calendar_is_an_error_in_text(name, tmp_path):
    table = pa.table({"t": pa.array([0, 2**62], pa.timestamp("s"))})

    with pytest.raises(ValueError, match=r"rows 0 to 1 of the result: .* beyond what text can say"):
        open_sink(tmp_path / name, table.schema).write(table)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_sink_takes_no_rows(tmp_path):
    sink = open_sink(tmp_path / "out.csv", N)

    assert sink.close() == sink.close() == 2

    with pytest.raises(ValueError, match=r"out\.csv is closed"):
        sink.write(rows(1))
    assert (tmp_path / "out.csv").read_text() == "n\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
@pytest.mark.parametrize("name", ["out.parquet", "out.csv.gz", "out.ndjson.zst", "out.arrow", "o/"])
def test_an_interrupted_block_leaves_nothing(error, name, tmp_path):
    with pytest.raises(error), open_sink(f"{tmp_path}/{name}", N) as sink:  # noqa: PT012
        sink.write(rows(1, 2))
        assert len(list(tmp_path.iterdir())) == 1
        raise error

    sink.abort()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk():
    """No file may grow beyond 100,000 bytes: the system refuses as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize(
    "name", ["out.parquet", "out.csv", "out.csv.gz", "out.ndjson.zst", "out.arrow", "folder/"]
)
def test_a_full_disk_names_the_file_and_leaves_nothing(name, tmp_path, small_disk):
    random = Random(0)
    table = pa.table({"x": [random.random() for _ in range(40_000)]})

    with pytest.raises(OSError, match=f"(?s)while writing .*{name}\n  Nothing was left"):  # noqa: PT012
        with open_sink(f"{tmp_path}/{name}", table.schema, row_group_rows=10_000) as sink:
            for _ in range(5):
                sink.write(table)

    assert list(tmp_path.iterdir()) == []
