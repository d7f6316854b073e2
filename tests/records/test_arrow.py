"""Arrow and polars data as sources."""

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch import from_arrow
from batchprep.records import open_source

TABLE = pa.table({"n": [1, None, 3], "s": ["x", "y", None]})


def values(source, name, rows=2):
    return [value for batch in source.batches(rows) for value in batch.values(name)]


FORMS = [
    TABLE,
    TABLE.to_batches()[0],
    pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()),
    TABLE.to_struct_array(),
    TABLE.to_struct_array().chunk(0),
    from_arrow(TABLE),
]


@pytest.mark.parametrize("data", FORMS, ids=lambda data: type(data).__name__)
def test_everything_that_speaks_arrow_is_a_source(data):
    source = open_source(data)

    assert (source.kind, source.data is data, source.names()) == ("arrow", True, ("n", "s"))
    assert set(source.field("n").kinds) == {"int", "none"}
    assert values(source, "n") == [1, None, 3]


def test_a_table_may_be_read_again_a_stream_has_no_length():
    table, stream = open_source(TABLE), open_source(TABLE.to_reader())

    assert values(table, "n") == values(table, "n")
    assert (table.length, stream.length) == (3, None)


def test_a_stream_is_read_batch_by_batch():
    taken = []

    def batches():
        for batch in TABLE.to_batches(max_chunksize=1):
            taken.append(batch)
            yield batch

    source = open_source(pa.RecordBatchReader.from_batches(TABLE.schema, batches()))
    parts = source.batches()

    assert not taken
    assert next(parts).values("n") == [1]
    assert len(taken) == 1


def test_batches_are_views_of_the_chunks():
    chunk = TABLE.to_batches()[0]
    second = list(open_source(TABLE).batches(2))[1]

    buffer = second.column("n").buffers["int"]

    assert second.start == 2
    assert buffer.__array_interface__["data"][0] == chunk.column("n").buffers()[1].address + 16


def test_an_array_without_names_is_refused():
    with pytest.raises(TypeError, match="an Arrow array of int64 has no named columns"):
        open_source(pa.array([1]))


def test_columns_of_the_same_name_are_refused():
    with pytest.raises(ValueError, match="the column names a occur more than once"):
        open_source(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_a_polars_frame_is_known_as_one():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"n": [1, None], "s": ["x", "x"], "c": ["a", None]}).with_columns(
        polars.col("c").cast(polars.Categorical)
    )
    source = open_source(frame)
    (batch,) = source.batches()

    assert (source.kind, source.data is frame, source.length) == ("polars", True, 2)
    assert batch.to_records() == frame.to_dicts()
    assert batch.column("s", source.field("s")).words.to_pylist() == ["x"]


def test_a_lazy_polars_frame_says_what_to_call():
    polars = pytest.importorskip("polars")

    with pytest.raises(TypeError, match=r"call \.collect"):
        open_source(polars.LazyFrame({"n": [1]}))


def test_duckdb_relations_are_sources():
    duckdb = pytest.importorskip("duckdb")
    source = open_source(duckdb.sql("select 1 as n union all select 2 order by n"))

    assert values(source, "n") == [1, 2]


def test_small_chunks_of_a_table_are_joined_and_large_ones_are_views():
    numbers = [np.arange(rows) for rows in (40_000, 20_000, 10_000, 70_000, 3)]
    table = pa.table({"n": pa.chunked_array(numbers)})

    batches = list(open_source(table).batches())

    assert [(batch.start, len(batch)) for batch in batches] == [
        (0, 70_000),
        (70_000, 70_000),
        (140_000, 3),
    ]
    assert np.array_equal(
        np.concatenate([b.column("n").buffers["int"] for b in batches]), np.concatenate(numbers)
    )
    assert batches[1].column("n").buffers["int"].ctypes.data == numbers[3].ctypes.data


def test_strings_of_joined_chunks_keep_their_words():
    parts = [pa.array(words).dictionary_encode() for words in (["a", "b"], ["b", None], ["c"])]
    table = pa.table({"s": pa.chunked_array(parts), "n": pa.chunked_array([[1], [2, 3], [4, 5]])})

    (batch,) = open_source(table).batches()

    assert batch.to_records() == table.to_pylist()
    assert len(batch) == 5
