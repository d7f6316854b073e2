import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.feed.packing import SHORTEST_TILE
from tests.feed.tables import as_float32, loader, numbered, split

FLOAT32_MAX = 3.4028234663852886e38
COLUMNS = {
    pa.bool_(): st.booleans(),
    **{
        dtype: st.integers(int(np.iinfo(name).min), int(np.iinfo(name).max))
        for name, dtype in [(n, getattr(pa, n)()) for n in ("int8", "int16", "int32", "int64")]
        + [(n, getattr(pa, n)()) for n in ("uint8", "uint16", "uint32", "uint64")]
    },
    pa.float16(): st.floats(width=16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(-FLOAT32_MAX, FLOAT32_MAX)
    | st.sampled_from([math.inf, -math.inf, math.nan]),
}


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 12))
    columns = {}
    for number, dtype in enumerate(
        draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=5))
    ):
        values = draw(st.lists(COLUMNS[dtype], min_size=rows, max_size=rows))
        columns[f"c{number}"] = pa.array(values, dtype)
    return pa.table(columns)


@given(tables(), st.lists(st.integers(0, 12), max_size=4), st.integers(1, 6))
def test_batches_are_what_a_loop_over_the_rows_packs(table, cuts, size):
    rows = [[as_float32(value) for value in row.values()] for row in table.to_pylist()]
    expected = [rows[at : at + size] for at in range(0, len(rows), size)]

    batches = list(loader(*split(table, cuts), batch_size=size))

    assert [batch.shape for batch in batches] == [(len(e), table.num_columns) for e in expected]
    for batch, wanted in zip(batches, expected, strict=True):
        np.testing.assert_array_equal(batch, np.array(wanted, np.float32))


def test_many_tiles_are_packed_like_one():
    table = pa.table(
        {
            "a": np.arange(5 * SHORTEST_TILE + 7) / 3,
            **{f"c{j}": np.arange(5 * SHORTEST_TILE + 7) % 97 for j in range(300)},
        }
    )

    (x,) = loader(table, batch_size=table.num_rows)

    np.testing.assert_array_equal(x, np.column_stack(table.columns).astype(np.float32))


@pytest.mark.parametrize(
    ("label", "dtype", "wanted"),
    [
        ("flag", np.int64, [1, 0]),
        ("class", np.int64, [2**62 + 1, 7]),
        ("price", np.float32, [0.5, 1.5]),
        (["class"], np.int64, [[2**62 + 1], [7]]),
        (["flag", "class"], np.int64, [[1, 2**62 + 1], [0, 7]]),
        (["price", "flag"], np.float32, [[0.5, 1.0], [1.5, 0.0]]),
    ],
)
def test_labels_keep_whole_numbers_and_the_shape_that_was_asked_for(label, dtype, wanted):
    table = pa.table(
        {"flag": [True, False], "class": [2**62 + 1, 7], "price": [0.5, 1.5], "f": [1, 2]}
    )

    ((x, y),) = loader(table, batch_size=2, features=["f"], label=label)

    assert x.tolist() == [[1.0], [2.0]]
    assert (y.dtype, y.tolist()) == (dtype, wanted)


def test_all_columns_but_the_labels_are_features_unless_named():
    table = numbered(2)

    assert loader(batch_size=1, schema=table.schema, label="label").features == ("n", "half")
    assert loader(batch_size=1, schema=table.schema).features == ("n", "half", "label")
    assert loader(batch_size=1, features=["half", "n"]).features == ("half", "n")
    assert next(iter(loader(table, batch_size=2, features=["half", "n"])))[1].tolist() == [0.5, 1.0]


def test_columns_are_found_by_name_in_each_table():
    other = (
        numbered(2)
        .select(["label", "half", "n"])
        .cast(pa.schema([("label", pa.int8()), ("half", pa.float32()), ("n", pa.uint16())]))
    )

    batches = list(loader(numbered(2), other, batch_size=4, label="label"))

    assert [x.tolist() for x, _ in batches] == [[[0, 0], [1, 0.5], [0, 0], [1, 0.5]]]
    assert [y.tolist() for _, y in batches] == [[0, 3, 0, 3]]


def test_ints_beyond_float32_are_rounded_to_even():
    (x,) = loader(pa.table({"n": [2**24 + 1, 2**24 + 3]}), batch_size=2)

    assert x.tolist() == [[2.0**24], [2.0**24 + 4]]


def test_the_last_batch_is_short_or_dropped():
    assert [len(x) for x in loader(numbered(5), batch_size=2)] == [2, 2, 1]
    assert [len(x) for x in loader(numbered(5), batch_size=2, drop_last=True)] == [2, 2]
    assert [len(x) for x in loader(numbered(4), batch_size=2, drop_last=True)] == [2, 2]
    assert list(loader(numbered(0), batch_size=2)) == []
    assert list(loader(batch_size=2)) == []


def test_length_counts_batches_where_the_rows_are_known():
    assert len(loader(batch_size=2, rows=5)) == 3
    assert len(loader(batch_size=2, rows=5, drop_last=True)) == 2
    assert len(loader(batch_size=2, rows=4)) == 2
    with pytest.raises(TypeError, match="this loader has no length"):
        len(loader(batch_size=2))
