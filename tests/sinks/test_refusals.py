import os

import pyarrow as pa
import pytest

from batchprep.sinks import check_target, open_sink
from tests.sinks import columns

N = pa.schema([("n", pa.int64())])


def refused(tmp_path, name, schema=N, error=ValueError, **options):
    """The text of the refusal, with the folder cut off; nothing is left behind."""
    before = sorted(tmp_path.iterdir())
    with pytest.raises(error) as caught:
        open_sink(tmp_path / name, schema, **options)
    assert sorted(tmp_path.iterdir()) == before
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        (
            "out.parqet",
            {},
            (
                "out.parqet: '.parqet' names no format; known are .parquet, .pq, .csv, .ndjson, "
                ".jsonl, .arrow, .ipc, .feather\n  nearest: .parquet, .pq\n"
                '  Or pass format="parquet", "csv", "ndjson" or "ipc"'
            ),
        ),
        (
            "out",
            {},
            (
                "out: the name has no suffix; known are .parquet, .pq, .csv, .ndjson, "
                ".jsonl, .arrow, .ipc, .feather\n"
                '  Or pass format="parquet", "csv", "ndjson" or "ipc"\n'
                '  For a folder of parts, write "out/"'
            ),
        ),
        (
            "out.csv",
            {"format": "parket"},
            "format='parket' is not one of 'parquet', 'csv', 'ndjson', 'ipc'\n  nearest: 'parquet'",
        ),
        (
            "out.parquet",
            {"compression": "ztsd"},
            (
                "out.parquet (Parquet file): compression='ztsd' is not one of "
                "'zstd', 'snappy', 'gzip', 'lz4', 'brotli', 'none'\n  nearest: 'zstd'"
            ),
        ),
        (
            "out.csv.gz",
            {"compression": "zstd"},
            (
                'out.csv.gz: the suffix says gzip, compression="zstd" says otherwise\n'
                "  Leave out compression=, or change the suffix"
            ),
        ),
        (
            "out.parquet.gz",
            {},
            (
                "out.parquet.gz (Parquet file): this format is compressed inside, not as a whole\n"
                '  Write "out.parquet" with compression="gzip"'
            ),
        ),
        (
            "out.parquet",
            {"row_group_rows": 0},
            "row_group_rows=0\n  row_group_rows takes at least 1 row",
        ),
        (
            "out.csv",
            {"storage_options": {"key": "x"}},
            "out.csv is a local path, which takes no storage_options\n  Leave them out",
        ),
    ],
)
def test_an_option_that_means_nothing_is_refused_with_the_choices(tmp_path, name, options, text):
    assert refused(tmp_path, name, **options) == text
    with pytest.raises(ValueError, match=r"\n  "):
        check_target(tmp_path / name, **options)


def test_a_count_of_rows_is_an_int(tmp_path):
    text = refused(tmp_path, "out/", error=TypeError, rows_per_file="10")

    assert text == "rows_per_file='10' is of type str\n  rows_per_file takes a number of rows"


@pytest.mark.parametrize("target", [None, 3, b"out.csv"])
def test_a_target_is_a_path_or_a_url(target):
    with pytest.raises(TypeError, match=r"It takes a path or a URL"):
        open_sink(target, N)


def test_a_missing_folder_is_named_with_its_nearest(tmp_path):
    (tmp_path / "results").mkdir()

    text = refused(tmp_path, "result/out.csv", error=FileNotFoundError)

    assert text == (
        "result/out.csv: there is no folder result\n"
        "  nearest: results\n  Make it first: mkdir -p result"
    )


def test_a_folder_that_is_a_file_is_named(tmp_path):
    (tmp_path / "results").write_text("")

    text = refused(tmp_path, "results/out.csv", error=NotADirectoryError)

    assert text.startswith("results/out.csv: results is a file, not a folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_named(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)

    text = refused(tmp_path, "locked/out.csv", error=PermissionError)

    assert text.startswith("locked/out.csv: no permission to write into locked")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "out.csv").mkdir()

    text = refused(tmp_path, "out.csv", error=IsADirectoryError)

    assert text.startswith('out.csv is a folder\n  Write "out.csv/" for a folder of parts')


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.ndjson"])
def test_a_union_is_refused_with_its_kinds(tmp_path, name):
    schema = pa.schema([("n", pa.int64()), ("u", columns.UNION.type)])

    text = refused(tmp_path, name, schema, TypeError)

    kind = {"out.parquet": "Parquet", "out.csv": "CSV", "out.ndjson": "NDJSON"}[name]
    assert text == (
        f"{name}: column 'u' has values of several kinds (int, str), which no {kind} file holds\n"
        "  Give one kind (for example str(...) on each path), pass the type to hold them as "
        "returns=, or write an Arrow file (.arrow)"
    )


def test_a_union_inside_is_refused_with_its_path(tmp_path):
    schema = pa.schema([("a", pa.list_(pa.struct([("b", columns.UNION.type)])))])

    assert "column 'a[].b' has values" in refused(tmp_path, "out.parquet", schema, TypeError)


@pytest.mark.parametrize("name", columns.NESTED | columns.EMPTY_STRUCT)
def test_csv_refuses_what_is_nested(tmp_path, name):
    array = (columns.NESTED | columns.EMPTY_STRUCT)[name]

    text = refused(tmp_path, "out.csv", pa.schema([("x", array.type)]), TypeError)

    assert text == (
        f"out.csv: column 'x' is of type {array.type}, which no CSV file holds\n"
        "  Write Parquet or NDJSON (.ndjson), or write an Arrow file (.arrow)"
    )


@pytest.mark.parametrize("name", columns.BINARY | columns.INTERVAL | columns.EXTENSION)
@pytest.mark.parametrize("file", ["out.csv", "out.ndjson"])
def test_text_refuses_bytes(tmp_path, name, file):
    array = (columns.BINARY | columns.INTERVAL | columns.EXTENSION)[name]

    text = refused(tmp_path, file, pa.schema([("x", array.type)]), TypeError)

    assert text.startswith(f"{file}: column 'x' is of type ")
    assert text.endswith("\n  Decode it to text, write Parquet, or write an Arrow file (.arrow)")


def test_ndjson_names_bytes_inside(tmp_path):
    schema = pa.schema([("x", pa.struct([("y", pa.list_(pa.binary()))]))])

    text = refused(tmp_path, "out.ndjson", schema, TypeError)

    assert "column 'x.y[]' is of type binary" in text


@pytest.mark.parametrize("name", ["interval", "run_end_encoded", "empty struct"])
def test_parquet_refuses_what_its_writer_cannot_write(tmp_path, name):
    array = columns.EVERY[name]

    text = refused(tmp_path, "out.parquet", pa.schema([("x", array.type)]), TypeError)

    assert text.startswith(f"out.parquet: column 'x' is of type {array.type}, which no Parquet ")


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_rows_without_columns_are_refused_where_they_would_be_lost(tmp_path, name):
    text = refused(tmp_path, name, pa.schema([]), TypeError)

    assert text.startswith(f"{name}: the rows have no columns")


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.ndjson", "out.arrow"])
def test_repeated_names_are_refused(tmp_path, name):
    schema = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("a", pa.string())])

    assert refused(tmp_path, name, schema) == (
        f"{name}: the rows have 'a' more than once\n"
        "  Rename them, since a record holds each key once"
    )


def test_repeated_fields_of_a_struct_are_refused_in_json(tmp_path):
    schema = pa.schema([("x", pa.struct([("a", pa.int64()), ("a", pa.int64())]))])

    assert "the structs of column 'x' have 'a' more than once" in refused(
        tmp_path, "out.ndjson", schema
    )
