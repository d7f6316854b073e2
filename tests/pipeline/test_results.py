"""Containers, head, schema and report: what comes back besides the values."""

from __future__ import annotations

import datetime as dt
import itertools
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import batchprep as bp
from tests.pipeline.named_functions import halves, positive

RECORDS = [{"a": 4, "b": "x"}, {"a": 0, "b": "y"}, {"a": 2, "b": None}, {"a": 6, "b": "x"}]
TABLE = pa.table(
    {
        "a": pa.array([4, 0, 2, 6], pa.int32()),
        "b": pa.array(["x", "y", None, "x"]).dictionary_encode(),
        "t": pa.array([0, 1, None, 3], pa.timestamp("ns", "Europe/Berlin")),
        "l": pa.array([[1], [], None, [2, 3]], pa.list_(pa.int16())),
        "d": pa.array([dt.date(2024, 2, 29)] * 4),
    }
)
CHUNKED = pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1, 0), TABLE.slice(1, 3)])


@pytest.mark.parametrize("table", [TABLE, CHUNKED], ids=["one chunk", "chunks"])
def test_a_filter_keeps_every_column_of_a_table_as_it_is(table):
    found = bp.Pipeline().filter(lambda r: r["a"] > 1)(table)

    assert found.schema.equals(table.schema)
    assert found.equals(table.filter(pa.compute.greater(table["a"], 1)))


@pytest.mark.parametrize("table", [TABLE, CHUNKED], ids=["one chunk", "chunks"])
def test_an_interpreted_filter_keeps_every_column_of_a_table_as_it_is(table):
    log = []

    found = bp.Pipeline().filter(lambda r: log.append(r["a"]) or r["a"] > 1)(table)

    assert log == [4, 0, 2, 6]
    assert found.schema.equals(table.schema)
    assert found.equals(table.filter(pa.compute.greater(table["a"], 1)))


def test_columns_that_interpreted_steps_hand_through_keep_their_types():
    pipe = bp.Pipeline().flat_map(lambda r: [r]).rename({"t": "time"}).map(lambda r: {**r, "n": 1})

    found = pipe(TABLE)

    assert found.column_names == ["a", "b", "time", "l", "d", "n"]
    assert found.drop_columns("n").rename_columns(TABLE.column_names).equals(TABLE)


@pytest.mark.parametrize("table", [TABLE, CHUNKED], ids=["one chunk", "chunks"])
def test_steps_of_columns_keep_the_types_of_the_others(table):
    pipe = bp.Pipeline().with_columns(n=lambda r: r["a"] + 1).rename({"t": "time"}).drop("l")

    found = pipe(table)

    assert found.column_names == ["a", "b", "time", "d", "n"]
    assert found.schema.field("time").type == table.schema.field("t").type
    assert (
        found.drop_columns("n").rename_columns(["a", "b", "t", "d"]).equals(table.drop_columns("l"))
    )


def test_select_gives_the_columns_in_the_order_of_their_names():
    assert bp.Pipeline().select("d", "a")(TABLE).equals(TABLE.select(["d", "a"]))


def test_flat_map_to_the_record_repeats_its_row():
    found = bp.Pipeline().flat_map(lambda r: [r, r] if r["a"] else [])(TABLE)

    assert found.equals(TABLE.take([0, 0, 2, 2, 3, 3]))


def test_scalars_of_a_table_are_a_column_in_chunks():
    found = bp.Pipeline().filter(positive).map(lambda r: r["a"] / 2)(TABLE)

    assert isinstance(found, pa.ChunkedArray)
    assert found.to_pylist() == [2.0, 1.0, 3.0]


def test_a_failed_row_of_a_table_is_null_in_every_column():
    pipe = bp.Pipeline(on_error="null").map(lambda r: {"x": 8 // r["a"], "b": r["b"]})

    assert pipe(TABLE).to_pylist()[1] == {"x": None, "b": None}
    assert pipe.report().failures["row"].to_pylist() == [1]


def test_a_record_batch_gives_what_its_table_gives():
    batch = TABLE.to_batches()[0]

    found = bp.Pipeline().filter(positive).map(lambda r: {"x": r["a"]})(batch)

    assert pa.table(found).to_pylist() == [{"x": 4}, {"x": 2}, {"x": 6}]


def test_a_frame_keeps_the_labels_and_dtypes_of_the_rows_that_stay():
    frame = pd.DataFrame(
        {"a": pd.array([4, 0, 2], "int32"), "c": pd.Categorical(["x", "y", "x"])},
        index=pd.Index(["one", "two", "three"], name="label"),
    )

    found = bp.Pipeline().filter(lambda r: r["a"] > 0)(frame)

    pd.testing.assert_frame_equal(found, frame[frame["a"] > 0])


def test_a_frame_exploded_repeats_its_labels():
    frame = pd.DataFrame({"a": [4, 2]}, index=[10, 20])

    found = bp.Pipeline().flat_map(halves)(frame)

    assert found.index.tolist() == [10, 10, 20, 20]
    assert found.to_dict("list") == {"a": [2.0, 2.0, 1.0, 1.0], "n": [0, 1, 0, 1]}


def test_a_frame_whose_failed_rows_are_dropped_keeps_the_labels_of_the_others():
    frame = pd.DataFrame({"a": [4, 0, 2]}, index=[10, 20, 30])

    found = bp.Pipeline(on_error="drop").map(lambda r: 8 // r["a"])(frame)

    assert found.index.tolist() == [10, 30]
    assert found.tolist() == [2, 4]


def test_polars_gives_polars():
    frame = pl.DataFrame({"a": [4, 0, 2], "b": ["x", None, "z"]})

    assert bp.Pipeline().filter(positive)(frame).equals(frame.filter(pl.col("a") > 0))
    column = bp.Pipeline().map(lambda r: r["a"] + 1)(frame)
    assert isinstance(column, pl.Series)
    assert column.to_list() == [5, 1, 3]


# ------------------------------------------------------------------------------------- head

HEADED = bp.Pipeline().filter(positive).flat_map(halves)


@pytest.mark.parametrize("n", [0, 1, 3, 6, 100])
def test_head_of_a_list_is_the_head_of_its_results(n):
    assert HEADED.head(n, RECORDS) == HEADED(RECORDS)[:n]


@pytest.mark.parametrize("n", [1, 3, 6, 100])
def test_head_of_a_table_is_the_head_of_its_results(n):
    assert HEADED.head(n, TABLE).equals(HEADED(TABLE).slice(0, n))


def test_head_of_an_iterator_reads_no_more_than_it_must():
    read = itertools.count()

    def endless():
        while True:
            yield {"a": next(read) + 1}

    assert [row["n"] for row in HEADED.head(3, endless())] == [0, 1, 0]


def test_head_does_not_fail_for_a_row_behind_it():
    pipe = bp.Pipeline().map(lambda r: 8 // r["a"])

    assert pipe.head(1, RECORDS) == [2]
    assert pipe.head(1, TABLE).to_pylist() == [2]


def test_head_of_a_frame_is_a_frame():
    frame = pd.DataFrame({"a": [4, 0, 2]}, index=[10, 20, 30])

    pd.testing.assert_frame_equal(HEADED.head(3, frame), HEADED(frame).iloc[:3])


# ----------------------------------------------------------------------------------- schema

COMPILED = {
    "filter": bp.Pipeline().filter(positive),
    "dicts": bp.Pipeline().map(lambda r: {"x": r["a"] / 2, "b": r["b"], "ok": r["a"] > 1}),
    "columns": bp.Pipeline().with_columns(n=lambda r: r["a"] * 0.5).drop("l").rename({"a": "z"}),
    "filter_map": bp.Pipeline().filter_map(lambda r: {"x": r["a"]} if r["a"] else None),
}
SCHEMAS = {
    **COMPILED,
    "exploded": bp.Pipeline().flat_map(halves),
    "record exploded": bp.Pipeline().flat_map(lambda r: [r]),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schema_is_that_of_the_result(name):
    pipe = SCHEMAS[name]

    assert pipe.schema(TABLE).equals(pipe(TABLE).schema)


@pytest.mark.parametrize("name", COMPILED)
def test_the_schema_of_a_compiled_chain_does_not_depend_on_the_rows(name):
    pipe = COMPILED[name]

    assert pipe(TABLE.slice(0, 0)).schema.equals(pipe(TABLE).schema)


def test_a_schema_of_scalars_has_one_column_named_after_the_function():
    def half(r):
        return r["a"] / 2

    assert bp.Pipeline().map(half).schema(TABLE) == pa.schema([("half", pa.float64())])
    assert bp.Pipeline().map(lambda r: r["a"] / 2).schema(TABLE).names == ["value"]


# ----------------------------------------------------------------------------------- report


def test_the_report_counts_rows_in_and_out_of_a_chain():
    pipe = bp.Pipeline().filter(positive).flat_map(halves)
    pipe(RECORDS)
    report = pipe.report().to_dict()

    assert report["rows"] == 4
    assert report["stages"][0]["rows_in"] == 4
    assert report["stages"][-1]["rows_out"] == 6
    assert bp.last_report() is pipe.report() or bp.last_report().to_dict() == report


def test_a_failure_tells_the_row_of_the_source_and_its_record():
    pipe = bp.Pipeline(on_error="drop").filter(positive).flat_map(halves).map(lambda r: 1 // r["n"])

    assert pipe(RECORDS) == [1, 1, 1]
    failures = pipe.report().failures.to_pylist()
    assert [failure["row"] for failure in failures] == [0, 2, 3]
    assert [failure["record"] for failure in failures] == [
        '{"a": 4, "b": "x"}', '{"a": 2, "b": null}', '{"a": 6, "b": "x"}',
    ]  # fmt: skip
    assert {failure["type"] for failure in failures} == {"ZeroDivisionError"}
    assert {failure["file"] for failure in failures} == {__file__}


def test_the_note_of_an_exception_names_the_row_of_the_source():
    pipe = bp.Pipeline().filter(lambda r: r["a"] != 4).flat_map(halves).map(lambda r: 1 // r["a"])

    with pytest.raises(ZeroDivisionError) as caught:
        pipe(RECORDS)

    assert "row 1" in "\n".join(caught.value.__notes__)
    assert pipe.report().stopped_at == 1


def test_no_report_before_the_first_call():
    with pytest.raises(LookupError):
        bp.Pipeline().filter(positive).report()


def test_a_column_may_be_called_self():
    assert bp.Pipeline().with_columns(self=lambda r: r["a"])([{"a": 1}]) == [{"a": 1, "self": 1}]


@pytest.mark.parametrize("last", [2**63, 2.5, None])
def test_rows_that_lack_a_column_do_not_stop_a_run_that_meets_a_value_beyond_it(tmp_path, last):
    target = tmp_path / "out.ndjson"
    records = [{"a": 1, "i": 1}, {"i": 2}, {"a": last, "i": 3}]

    report = bp.Pipeline(on_error="drop").run(records, target)

    kept = [json.loads(line) for line in target.read_text().splitlines()]
    failed = [last] if last == 2**63 else []
    assert kept == [{"a": r.get("a"), "i": r["i"]} for r in records if r.get("a") not in failed]
    assert report.failures["row"].to_pylist() == [2] * len(failed)


def never(record):
    """Not compiled, and true of no record."""
    return sorted([record["a"]]) == [99]


KEEPING = {
    "filter": lambda pipe: (pipe, ["a", "b"]),
    "select": lambda pipe: (pipe.select("b"), ["b"]),
    "drop": lambda pipe: (pipe.drop("a"), ["b"]),
    "rename": lambda pipe: (pipe.rename({"a": "c"}), ["c", "b"]),
}


@pytest.mark.parametrize("steps", KEEPING)
def test_columns_stay_where_an_interpreted_filter_keeps_no_row(tmp_path, steps):
    pipe, names = KEEPING[steps](bp.Pipeline(on_unsupported="ignore").filter(never))
    table = TABLE.select(["a", "b"])
    types = [table.schema.field({"c": "a"}.get(name, name)).type for name in names]

    found = pipe(table)
    pipe.run(table, tmp_path / "none.arrow")
    written = pa.ipc.open_file(tmp_path / "none.arrow").read_all()

    assert found.schema.names == written.schema.names == names
    assert found.schema.types == written.schema.types == types
    assert pipe(pl.DataFrame({"a": [1], "b": ["x"]})).columns == names
    assert pipe.head(0, table).schema.names == names


@pytest.mark.parametrize("data", ["list", "pandas", "ndjson"])
def test_columns_of_records_stay_where_an_interpreted_filter_keeps_none(tmp_path, data):
    (tmp_path / "in.ndjson").write_text('{"a": 1, "b": "x"}\n')
    source = {
        "list": [{"a": 1, "b": "x"}],
        "pandas": pd.DataFrame({"a": [1], "b": ["x"]}),
        "ndjson": tmp_path / "in.ndjson",
    }[data]

    bp.Pipeline(on_unsupported="ignore").filter(never).run(source, tmp_path / "none.parquet")

    written = pq.read_schema(tmp_path / "none.parquet")
    assert written.names == ["a", "b"]
    assert written.types == [pa.int64(), pa.string()]


def test_the_first_result_may_come_late(tmp_path):
    pipe = bp.Pipeline(on_unsupported="ignore").flat_map(
        lambda r: [{"a": r["a"], "s": "x"}] if r["a"] == 699_999 else []
    )

    pipe.run(({"a": number} for number in range(700_000)), tmp_path / "late.parquet")

    assert pq.read_table(tmp_path / "late.parquet").to_pylist() == [{"a": 699_999, "s": "x"}]


@pytest.mark.parametrize("steps", ["none", "select", "map", "filter", "flat_map"])
def test_what_pandas_misses_is_null_in_a_file(tmp_path, steps):
    pipe = {
        "none": bp.Pipeline(),
        "select": bp.Pipeline().select("s", "t", "c"),
        "map": bp.Pipeline().map(lambda r: {"s": r["s"], "t": r["t"], "c": r["c"]}),
        "filter": bp.Pipeline().filter(lambda r: r["s"] != "z"),
        "flat_map": bp.Pipeline(on_unsupported="ignore").flat_map(lambda r: [r]),
    }[steps]
    frame = pd.DataFrame(
        {
            "s": pd.Series(["x", None], dtype="str"),
            "t": pd.to_datetime(["2024-01-01", None]),
            "c": pd.Categorical(["x", None]),
        }
    )

    pipe.run(frame, tmp_path / "out.parquet")

    written = [{"s": "x", "t": pd.Timestamp("2024-01-01"), "c": "x"}, dict.fromkeys("stc")]
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == written


def test_texts_of_pandas_have_one_type_whether_or_not_a_part_misses_any(tmp_path):
    frame = pd.DataFrame({"s": pd.Series(["x"] * 530_000 + [None], dtype="str")})

    bp.Pipeline().filter(lambda r: r["s"] != "z").run(frame, tmp_path / "out.parquet")

    assert pq.read_table(tmp_path / "out.parquet")["s"].null_count == 1
    assert bp.Pipeline().schema(frame[-1:]).field("s").type == pa.string()


def test_texts_and_other_floats_of_pandas_stay_several_kinds(tmp_path):
    frame = pd.DataFrame({"s": ["x", "y"], "n": [1, 2]})
    pipe = bp.Pipeline().map(lambda r: {"v": r["s"] if r["n"] == 1 else 2.5})

    with pytest.raises(TypeError, match=r"several kinds \(float, str\)"):
        pipe.run(frame, tmp_path / "out.parquet")
