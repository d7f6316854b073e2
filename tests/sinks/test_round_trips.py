import csv
import datetime as dt
import decimal
import gzip
import io
import json
import math

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from batchprep.batch.arrow_values import python_values
from batchprep.sinks import open_sink
from tests.sinks import columns
from tests.sinks.columns import table_of


def written(path, table, **options):
    with open_sink(path, table.schema, **options) as sink:
        sink.write(table)
    assert sink.bytes == path.stat().st_size
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    return path


def same(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return one == other and type(one) is type(other)


def from_cell(text, dtype):
    """What Python makes of a cell of CSV."""
    if pa.types.is_boolean(dtype):
        return {"true": True, "false": False}[text]
    if pa.types.is_integer(dtype):
        return int(text)
    if pa.types.is_floating(dtype):
        return float(text)
    if pa.types.is_decimal(dtype):
        return decimal.Decimal(text)
    if pa.types.is_duration(dtype):
        return dt.timedelta(microseconds=int(decimal.Decimal(text) * 10**6))
    for is_type, parse in (
        (pa.types.is_date, dt.date.fromisoformat),
        (pa.types.is_time, dt.time.fromisoformat),
        (pa.types.is_timestamp, dt.datetime.fromisoformat),
    ):
        if is_type(dtype):
            return parse(text)
    return text


def in_json(value):
    """What json.loads gives for a value, as documented."""
    if isinstance(value, dict):
        return {key: in_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [in_json(item) for item in value]
    if isinstance(value, dt.date | dt.time):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, decimal.Decimal) else value


@pytest.mark.parametrize("name", columns.PARQUET)
def test_parquet_gives_back_every_type_that_it_holds(name, tmp_path):
    table = table_of(columns.PARQUET[name])

    found = pq.read_table(written(tmp_path / "out.parquet", table))

    dtype = table["x"].type
    assert found.schema.field("x").type == columns.PARQUET_TYPES.get(dtype, dtype)
    plain = dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    assert found["x"].cast(plain).equals(table["x"].cast(plain))


@pytest.mark.parametrize("name", columns.EVERY)
def test_an_arrow_file_gives_back_every_type(name, tmp_path):
    table = table_of(columns.EVERY[name])

    with pa.ipc.open_file(written(tmp_path / "out.arrow", table)) as file:
        found = file.read_all()

    assert found.equals(table)


@pytest.mark.parametrize("name", columns.TEXT)
def test_python_reads_every_value_of_a_csv_file_back(name, tmp_path):
    array = columns.TEXT[name]
    path = written(tmp_path / "out.csv", table_of(array))

    with path.open(encoding="utf-8", newline="") as file:
        cells = [row["x"] for row in csv.DictReader(file)]

    dtype = getattr(array.type, "value_type", array.type)
    wanted = python_values(array)
    assert len(cells) == len(wanted)
    for cell, value in zip(cells, wanted, strict=True):
        assert cell == "" if value is None else same(from_cell(cell, dtype), value)


@pytest.mark.parametrize("name", columns.JSON)
def test_python_reads_every_value_of_an_ndjson_file_back(name, tmp_path):
    array = columns.JSON[name]
    path = written(tmp_path / "out.ndjson", table_of(array))

    lines = path.read_bytes().decode().split("\n")

    assert lines.pop() == ""
    found = [json.loads(line)["x"] for line in lines]
    wanted = [in_json(value) for value in python_values(array)]
    assert len(found) == len(wanted)
    assert all(map(same, found, wanted)), (found, wanted)


@pytest.mark.parametrize("name", columns.TEXT)
@pytest.mark.parametrize("first", [1, 2])
def test_a_slice_is_written_as_a_slice(name, first, tmp_path):
    table = table_of(columns.TEXT[name])

    whole = written(tmp_path / "out.csv", table).read_bytes()
    rows = list(csv.reader(io.StringIO(whole.decode(), newline="")))
    part = written(tmp_path / "out.csv", table.slice(first), overwrite=True).read_bytes()

    assert list(csv.reader(io.StringIO(part.decode(), newline=""))) == [rows[0], *rows[first + 1 :]]


@pytest.mark.parametrize("name", columns.JSON)
def test_json_of_a_slice_is_a_slice_of_the_json(name, tmp_path):
    table = table_of(columns.JSON[name])

    whole = written(tmp_path / "out.ndjson", table).read_bytes().splitlines()
    part = written(tmp_path / "out.ndjson", table.slice(1), overwrite=True).read_bytes()

    assert part.splitlines() == whole[1:]


NANOSECOND_TEXTS = {
    "time64[ns]": ["00:00:00.000000001", "00:00:01.000000001", None],
    "timestamp[ns]": [
        "1970-01-01T00:00:00.000000001",
        "1969-12-31T23:59:59.999999999",
        "1970-01-01T00:00:01.500000",
        None,
    ],
    "duration[ns]": ["1E-9", "-1E-9", "4611686018.427387904", None],
}


@pytest.mark.parametrize("name", NANOSECOND_TEXTS)
def test_text_keeps_every_digit_of_a_nanosecond(name, tmp_path):
    table = table_of(columns.NANOSECONDS[name])

    rows = written(tmp_path / "out.csv", table).read_text().splitlines()[1:]
    lines = written(tmp_path / "out.csv", table, format="ndjson", overwrite=True).read_text()
    found = [json.loads(line, parse_float=str)["x"] for line in lines.splitlines()]

    assert found == NANOSECOND_TEXTS[name]
    assert [row.partition(",")[2] or None for row in rows] == NANOSECOND_TEXTS[name]


def test_pyarrow_reads_a_csv_file_back_with_its_types(tmp_path):
    table = pa.table(
        {
            "n": [1, None],
            "x": [3.0, None],
            "t": pa.array([0, None], pa.timestamp("us")),
            "d": pa.array([0, None], pa.date32()),
            "b": [True, None],
            "s": ["", None],
        }
    )
    path = written(tmp_path / "out.csv", table)
    options = pa.csv.ConvertOptions(
        strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
    )

    found = pa.csv.read_csv(path, convert_options=options)

    assert found.cast(table.schema).equals(table)
    assert [str(t) for t in found.schema.types[:2]] == ["int64", "double"]


def test_a_null_of_a_single_csv_column_is_no_empty_line(tmp_path):
    path = written(tmp_path / "out.csv", pa.table({"x": [1, None, 3]}))

    assert path.read_text() == 'x\n1\n""\n3\n'
    with path.open() as file:
        assert [row["x"] for row in csv.DictReader(file)] == ["1", "", "3"]


@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
@pytest.mark.parametrize("outer", ["gz", "zst"])
def test_text_is_compressed_by_suffix_or_by_option(suffix, outer, tmp_path):
    table = pa.table({"n": range(1000)})
    plain = written(tmp_path / f"out.{suffix}", table).read_bytes()
    (tmp_path / f"out.{suffix}").unlink()
    codec = {"gz": "gzip", "zst": "zstd"}[outer]

    for name, option in ((f"out.{suffix}.{outer}", None), (f"out.{suffix}", codec)):
        path = written(tmp_path / name, table, compression=option)
        assert len(path.read_bytes()) < len(plain) / 2
        with pa.CompressedInputStream(pa.OSFile(str(path)), codec) as stream:
            assert stream.read() == plain
        path.unlink()


def test_gzip_is_what_python_reads(tmp_path):
    path = written(tmp_path / "out.csv.gz", pa.table({"n": [1]}))

    assert gzip.decompress(path.read_bytes()) == b"n\n1\n"


@pytest.mark.parametrize("option", ["zstd", "snappy", "gzip", "lz4", "brotli", "none", None])
def test_parquet_is_compressed_as_asked(option, tmp_path):
    path = written(tmp_path / "out.parquet", pa.table({"n": range(100)}), compression=option)

    wanted = {"none": "UNCOMPRESSED", None: "ZSTD"}.get(option, str(option).upper())
    assert pq.read_metadata(path).row_group(0).column(0).compression == wanted


@pytest.mark.parametrize("option", ["lz4", "zstd", "none"])
def test_an_arrow_file_is_compressed_as_asked(option, tmp_path):
    table = pa.table({"n": pa.repeat(7, 100_000)})
    path = written(tmp_path / "out.arrow", table, compression=option)

    assert (path.stat().st_size < 100_000) is (option != "none")
    with pa.ipc.open_file(path) as file:
        assert file.read_all().equals(table)


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.ndjson", "out.arrow"])
def test_no_rows_make_a_valid_file(name, tmp_path):
    schema = pa.schema([("n", pa.int64()), ("s", pa.string())])
    path = written(tmp_path / name, schema.empty_table())

    match path.suffix:
        case ".parquet":
            assert pq.read_table(path).equals(schema.empty_table())
        case ".arrow":
            with pa.ipc.open_file(path) as file:
                assert file.read_all().equals(schema.empty_table())
        case ".csv":
            assert path.read_text() == "n,s\n"
        case _:
            assert path.read_bytes() == b""


@pytest.mark.parametrize("name", ["out.ndjson", "out.arrow"])
def test_rows_without_columns_are_counted(name, tmp_path):
    table = pa.table({"x": [1, 2, 3]}).select([])
    path = written(tmp_path / name, table)

    if name == "out.ndjson":
        assert path.read_text() == "{}\n" * 3
    else:
        with pa.ipc.open_file(path) as file:
            assert sum(file.get_batch(i).num_rows for i in range(file.num_record_batches)) == 3
