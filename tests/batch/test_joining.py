"""Chunks of a column that Arrow cannot put together as they are."""

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch import joining
from batchprep.batch.joining import joined
from batchprep.records.arrow import ArrowSource


def dictionaries(*words, index=None):
    """A chunk for each list of words, whose rows are the words and a null."""
    index = index or pa.int32()
    return pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(pa.array([*range(len(own)), None], index), pa.array(own))
            for own in words
        ]
    )


NULLS = dictionaries(["a", None, "x"], ["a", "y", None])
MANY = dictionaries([f"a{n}" for n in range(100)], [f"b{n}" for n in range(100)], index=pa.int8())
LISTS = dictionaries([[1], [2]], [[3]])
STRUCTS = pa.chunked_array(
    [pa.StructArray.from_arrays([chunk], ["word"]) for chunk in NULLS.chunks]
)
NESTED = pa.chunked_array(
    [pa.LargeListArray.from_arrays([0, 1, len(chunk)], chunk) for chunk in NULLS.chunks]
)


@pytest.mark.parametrize(
    "column", [NULLS, MANY, LISTS, STRUCTS, NESTED], ids=["nulls", "many", "lists", "structs", "in"]
)
def test_chunks_that_arrow_cannot_join_keep_their_values(column):
    with pytest.raises((pa.ArrowInvalid, pa.ArrowNotImplementedError)):
        column.combine_chunks()
    assert joined(column).to_pylist() == column.to_pylist()
    table = pa.table({"value": column})
    records = bp.from_arrow(table).to_records()
    assert [r["value"] for r in records] == column.to_pylist()
    assert bp.vectorize(lambda r: r["value"])(table).to_pylist() == column.to_pylist()
    is_null = bp.vectorize(lambda r: r["value"] is None)(table)
    assert is_null.to_pylist() == [r["value"] is None for r in records]


@pytest.mark.parametrize("column", [NULLS, MANY], ids=["nulls", "many"])
@pytest.mark.parametrize("backend", ["numpy", "python", "auto"])
def test_their_words_stay_words_of_a_dictionary(column, backend):
    table = pa.table({"value": column})
    with bp.use(backend=backend):
        assert bp.vectorize(lambda r: r["value"])(table).type == column.type
        upper = bp.vectorize(lambda r: (r["value"] or "none").upper())(table)
    assert upper.to_pylist() == [(word or "none").upper() for word in column.to_pylist()]


def test_chunks_of_more_bytes_than_offsets_reach_stay_apart(monkeypatch):
    table = pa.table({"text": pa.chunked_array([["some"], ["text"]])})
    assert [len(batch) for batch in ArrowSource(table).batches()] == [2]
    monkeypatch.setattr(joining, "_REACH", 8)
    assert [len(batch) for batch in ArrowSource(table).batches()] == [1, 1]


@pytest.mark.parametrize("column", [NULLS, MANY], ids=["nulls", "many"])
def test_results_of_their_parts_are_joined_too(column):
    table = pa.table({"value": pa.chunked_array(column.chunks * 2), "n": range(2 * len(column))})

    def kept(r):
        if r["n"] % 5 == 4:
            return {"value": r["value"], "big": 2**62 + r["n"] * 2**60 // 2**60}
        return {"value": r["value"], "big": r["n"] * 2**61 // 2**61}

    for backend in ("numpy", "auto"):
        with bp.use(backend=backend):
            found = bp.vectorize(kept)(table)
        assert found.to_pylist() == [kept(r) for r in table.to_pylist()]
        assert found.schema.field("value").type == column.type


def test_structs_are_joined_by_field_and_keep_their_types():
    column = pa.chunked_array([
        pa.StructArray.from_arrays([chunk, pa.array(range(4))], ["word", "n"],
                                   mask=pa.array([False, False, True, False]))
        for chunk in NULLS.chunks
    ])  # fmt: skip
    found = joined(pa.chunked_array([chunk.slice(1) for chunk in column.chunks]))
    assert found.type == column.type
    assert found.to_pylist() == [v for c in column.chunks for v in c.slice(1).to_pylist()]


def test_unions_are_joined_by_member():
    chunks = [
        pa.UnionArray.from_sparse(
            pa.array([0, 1, 0, 1], pa.int8()), [chunk, pa.array(range(4))], ["word", "n"]
        )
        for chunk in NULLS.chunks
    ]
    found = joined(pa.chunked_array([chunk.slice(1) for chunk in chunks]))
    assert found.type == chunks[0].type
    assert found.to_pylist() == [v for c in chunks for v in c.to_pylist()[1:]]
