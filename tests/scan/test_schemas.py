"""Files of different columns and types, and columns that the caller fixes."""

import pyarrow as pa
import pytest

from batchprep.records.scan import scan
from batchprep.records.scan.unite import common_type
from tests.scan.files import write


def files(folder, *tables, suffix="parquet"):
    return [write(folder / f"{i}.{suffix}", table) for i, table in enumerate(tables)]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_the_union_has_columns_in_order_of_first_sight(tmp_path, suffix):
    one, two = pa.table({"a": [1], "b": [True]}), pa.table({"c": ["x"], "a": [2]})

    found = scan(files(tmp_path, one, two, suffix=suffix))

    assert found.schema.names == ["a", "b", "c"]
    assert list(found) == [{"a": 1, "b": True, "c": None}, {"a": 2, "b": None, "c": "x"}]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_ints_and_floats_give_doubles(tmp_path, suffix):
    found = scan(files(tmp_path, pa.table({"a": [1]}), pa.table({"a": [0.5]}), suffix=suffix))

    assert [repr(row["a"]) for row in found] == ["1.0", "0.5"]


def test_an_int_that_a_double_would_change_is_an_error(tmp_path):
    paths = files(tmp_path, pa.table({"a": [1, 2**53 + 1]}), pa.table({"a": [0.5]}))

    with pytest.raises(ValueError, match=r"0\.parquet, row 1, column 'a': 9007199254740993 does"):
        list(scan(paths))


def test_types_that_do_not_go_together_are_an_error(tmp_path):
    paths = files(tmp_path, pa.table({"a": [1]}), pa.table({"a": ["x"]}))

    with pytest.raises(
        ValueError, match=r"'a' is int64 in .*0\.parquet and string in .*1\.parquet"
    ):
        scan(paths).schema  # noqa: B018


def test_columns_that_are_not_read_need_not_go_together(tmp_path):
    one, two = pa.table({"a": [1], "b": [1]}), pa.table({"a": ["x"], "b": [2]})

    assert list(scan(files(tmp_path, one, two), columns=["b"])) == [{"b": 1}, {"b": 2}]


def test_csv_columns_that_differ_are_text(tmp_path):
    paths = files(tmp_path, pa.table({"a": [1]}), pa.table({"a": ["x"]}), suffix="csv")

    assert [row["a"] for row in scan(paths)] == ["1", "x"]


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (pa.int8(), pa.int64(), pa.int64()),
        (pa.int64(), pa.float32(), pa.float64()),
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.null(), pa.string(), pa.string()),
        (pa.string(), pa.large_string(), pa.large_string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        (pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("us")),
        (pa.list_(pa.int32()), pa.list_(pa.float64()), pa.list_(pa.float64())),
        (pa.bool_(), pa.int64(), None),
        (pa.date32(), pa.timestamp("us"), None),
        (pa.timestamp("us", "UTC"), pa.timestamp("us"), None),
        (pa.string(), pa.binary(), None),
    ],
)
def test_common_types_hold_both(one, other, wanted):
    assert common_type(one, other) == wanted == common_type(other, one)


def test_the_schema_fixes_columns_and_types(tmp_path):
    schema = pa.schema([("b", pa.int8()), ("a", pa.float64())])
    path = write(tmp_path / "t.parquet", pa.table({"a": [1], "b": ["7"], "c": [0]}))

    found = scan(path, schema=schema)

    assert pa.table(found) == pa.table({"b": pa.array([7], pa.int8()), "a": [1.0]})


@pytest.mark.parametrize(
    ("dtype", "values", "row"),
    [
        (pa.int8(), [1, 300, 2], 1),
        (pa.int64(), ["1", "2", "x"], 2),
        (pa.int64(), [0.5, 1.0], 0),
        (pa.bool_(), [1, 0, 2], 2),
    ],
)
def test_a_value_that_does_not_fit_names_file_row_and_column(tmp_path, dtype, values, row):
    path = write(tmp_path / "t.parquet", pa.table({"a": values}))

    with pytest.raises(ValueError, match=rf"t\.parquet, row {row}, column 'a': .* does not fit"):
        list(scan(path, schema=pa.schema([("a", dtype)])))


def test_a_null_in_a_column_declared_without_is_an_error(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"a": [1, None]}))
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])

    with pytest.raises(ValueError, match=r"row 1, column 'a': the value is missing"):
        list(scan(path, schema=schema))


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow"])
def test_a_column_that_no_file_has_is_an_error(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}", pa.table({"price": [1], "n": [2]}))

    with pytest.raises(KeyError, match="no file has a column 'pirce'; nearest: price"):
        list(scan(path, columns=["n", "pirce"]))
    with pytest.raises(KeyError, match="no file has a column 'x'; there are price, n"):
        list(scan(path, schema=pa.schema([("x", pa.int64())])))


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow", "ipc.gz", "ndjson"])
def test_columns_are_read_in_their_order(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}", pa.table({"a": [1], "b": [2], "a.b": [3]}))

    assert [list(row.items()) for row in scan(path, columns=["b", "a"])] == [[("b", 2), ("a", 1)]]
    source = scan(path).source({"a", "other"})
    assert source.names() == ("a",)
    (batch,) = source.batches()
    assert batch.to_records() == [{"a": 1}]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow", "ipc", "ndjson"])
def test_rows_are_counted_without_any_column(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}", pa.table({"a": [1, 2, 3]}))

    (batch,) = scan(path).source(()).batches()

    assert batch.to_records() == [{}, {}, {}]


def test_options_of_a_wrong_type_are_errors(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"a": [1]}))

    with pytest.raises(TypeError, match=r"schema=.* it takes a pyarrow\.Schema"):
        scan(path, schema={"a": int})
    with pytest.raises(TypeError, match="columns='a' is of type str; it takes a list of names"):
        scan(path, columns="a")
    with pytest.raises(TypeError, match="null_values='NA' is of type str; it takes a list of"):
        scan(path, null_values="NA")
