import math
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from batchprep.feed.packing import SHORTEST_TILE
from tests.feed.tables import loader, numbered, split

SIZES = st.sampled_from([1, 3, 7, SHORTEST_TILE])  # the last is packed without a stage


def error_of(*tables, **options):
    """Type and text of the loop's exception, and the number of batches before it."""
    seen = 0
    try:
        for _ in loader(*tables, **{"batch_size": 2, **options}):
            seen += 1
    except (TypeError, ValueError) as error:
        return type(error), str(error), seen
    pytest.fail("no error")


def test_a_null_in_a_feature():
    table = pa.table({"a": [1, 2, 3, 4, 5], "b": [1.0, 2.0, 3.0, None, None]})

    assert error_of(table) == snapshot(
        (
            ValueError,
            """\
row 3, feature 'b': null, which no tensor holds
  Put a value in its place (map or with_columns), drop such rows with
  filter(lambda r: r['b'] is not None), or give float('nan') there\
""",
            1,
        )
    )


def test_a_null_in_a_label():
    table = pa.table({"a": [1, 2, 3], "paid": [True, False, None]})

    assert error_of(table, label="paid") == snapshot(
        (
            ValueError,
            """\
row 2, label 'paid': null, which no tensor holds
  Put a value in its place (map or with_columns), drop such rows with
  filter(lambda r: r['paid'] is not None), or give float('nan') there\
""",
            1,
        )
    )


def test_a_float_beyond_float32():
    table = pa.table({"a": [1, 2, 3], "volume": [1.0, 2.0, -1e39]})

    assert error_of(table) == snapshot(
        (
            ValueError,
            """\
row 2, feature 'volume': -1e+39 is beyond float32, which ends at 3.4e38
  Scale the column first, for example with_columns(volume=...) or a StandardScaler\
""",
            1,
        )
    )


def test_an_unsigned_label_beyond_int64():
    table = pa.table({"a": [1, 2, 3], "hash": pa.array([1, 2**63, 2**63], pa.uint64())})

    assert error_of(table, label="hash") == snapshot(
        (
            ValueError,
            """\
row 1, label 'hash': 9223372036854775808 is beyond int64, which ends at 9223372036854775807
  Number the classes from 0 with OrdinalEncoder(['hash']), or make it a float\
""",
            0,
        )
    )


def test_the_first_row_is_named_and_there_the_first_column():
    rows = 5_000
    table = pa.table(
        {
            "late": pa.array([1.0] * 4_100 + [None] * 900),
            "wide": [1.0] * 4_000 + [1e300] * 1_000,
            "first": pa.array([1.0] * 4_000 + [None] * 1_000),
        }
    )
    text = error_of(table, batch_size=rows)[1]

    assert text.startswith("row 4,000, feature 'wide': 1e+300 is beyond float32")
    for cuts in ([1], [3_999, 4_000], [4_001], [2_000, 4_050]):
        assert error_of(*split(table, cuts), batch_size=rows)[1] == text
        assert error_of(*split(table, cuts), batch_size=rows, shuffle=True)[1] == text


def first_fault(rows):
    """Start of the text about the first row that cannot be packed, and its number."""
    for number, row in enumerate(rows):
        for name, value in row.items():
            if value is None:
                return number, f"row {number:,}, feature {name!r}: null"
            if 1e39 < value < math.inf:
                return number, f"row {number:,}, feature {name!r}: 1e+300 is beyond"
    return None


VALUES = st.sampled_from([0.5, 0.5, 0.5, 0.5, math.inf, None, 1e300])


@given(st.lists(st.tuples(VALUES, VALUES), max_size=30), st.lists(st.integers(0, 30)), SIZES)
def test_the_loop_decides_which_row_fails_and_what_comes_before(values, cuts, size):
    columns = {
        name: pa.array([row[j] for row in values], pa.float64()) for j, name in enumerate("ab")
    }
    table = pa.table(columns)
    fault = first_fault(table.to_pylist())
    if fault is None:
        assert sum(len(x) for x in loader(*split(table, cuts), batch_size=size)) == len(values)
        return
    row, start = fault

    error, text, batches = error_of(*split(table, cuts), batch_size=size)

    assert (error, text[: len(start)], batches) == (ValueError, start, row // size)


@pytest.mark.parametrize("cuts", [[], [3], [4], [5], [1, 2, 3, 4, 5]])
def test_the_batches_before_a_bad_row_come_first(cuts):
    table = pa.table({"a": pa.array([1, 2, 3, 4, 5, None], pa.int32())})

    assert error_of(*split(table, cuts))[2] == 2


def test_infinities_and_the_largest_float32_pass():
    largest = 3.4028234663852886e38
    values = [largest, -largest, np.inf, -np.inf, np.nan, 5e-324]

    (x,) = loader(pa.table({"a": values}), batch_size=6)

    np.testing.assert_array_equal(x[:, 0], np.array([*values[:5], 0.0], np.float32))


def test_a_float_that_rounds_beyond_float32_is_refused():
    below, beyond = 3.4028235677973362e38, 3.4028235677973366e38  # the border is their middle

    (x,) = loader(pa.table({"a": [below]}), batch_size=1)

    assert np.isfinite(x).all()
    assert "is beyond float32" in error_of(pa.table({"a": [beyond]}))[1]


def test_what_lies_under_a_null_is_not_looked_at():
    hidden = pa.Array.from_buffers(
        pa.float64(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array([1.0, 1e300]))]
    )

    assert error_of(pa.table({"a": hidden}))[1].startswith("row 1, feature 'a': null")


NOT_NUMBERS = {
    "string": ["x"],
    "dictionary": pa.array(["x"]).dictionary_encode(),
    "date": [date(2024, 1, 1)],
    "timestamp": [datetime(2024, 1, 1)],  # noqa: DTZ001
    "list": [[1, 2]],
    "struct": [{"a": 1}],
    "null": [None],
    "decimal": [Decimal("1.5")],
    "binary": [b"x"],
}


@pytest.mark.parametrize("schema_known", [False, True])
@pytest.mark.parametrize("kind", NOT_NUMBERS)
def test_other_columns_are_refused_before_any_row(kind, schema_known):
    table = pa.table({"a": [None], "text": NOT_NUMBERS[kind]}).select(["text", "a"])
    schema = table.schema if schema_known else None

    error, text, batches = error_of(table, batch_size=1, schema=schema)

    assert (error, batches) == (TypeError, 0)
    assert text.startswith("feature 'text' is of type ")


def test_texts_about_other_columns():
    texts = {kind: error_of(pa.table({"c": values}))[1] for kind, values in NOT_NUMBERS.items()}

    assert texts == snapshot(
        {
            "string": """\
feature 'c' is of type string, which is no number
  Number its values: transform(OrdinalEncoder(['c'])), or drop('c')\
""",
            "dictionary": """\
feature 'c' is of type dictionary<values=string, indices=int32, ordered=0>, which is no number
  Number its values: transform(OrdinalEncoder(['c'])), or drop('c')\
""",
            "date": """\
feature 'c' is of type date32[day], which is no number
  Derive numbers from it in a row function (hour, weekday), then drop('c')\
""",
            "timestamp": """\
feature 'c' is of type timestamp[us], which is no number
  Derive numbers from it in a row function (hour, weekday), then drop('c')\
""",
            "list": """\
feature 'c' is of type list<item: int64>, which is no number
  Give its elements columns of their own in a row function, then drop('c')\
""",
            "struct": """\
feature 'c' is of type struct<a: int64>, which is no number
  Give its elements columns of their own in a row function, then drop('c')\
""",
            "null": """\
feature 'c' is of type null, which is no number
  Every value is null: drop('c'), or give numbers\
""",
            "decimal": """\
feature 'c' is of type decimal128(2, 1), which is no number
  Make it numbers in a row function, float(...) or int(...), or drop('c')\
""",
            "binary": """\
feature 'c' is of type binary, which is no number
  Make it numbers in a row function, float(...) or int(...), or drop('c')\
""",
        }
    )


def test_a_label_of_text_names_the_encoder():
    table = pa.table({"a": [1], "country": ["NL"]})

    assert error_of(table, label="country") == snapshot(
        (
            TypeError,
            """\
label 'country' is of type string, which is no number
  Number its values: transform(OrdinalEncoder(['country'])), or drop('country')\
""",
            0,
        )
    )


def test_names_that_no_column_has():
    table = numbered(2)

    assert error_of(table, features=["hlaf"]) == snapshot(
        (
            ValueError,
            """\
feature 'hlaf' is not a column
  nearest: half\
""",
            0,
        )
    )
    assert error_of(table, label="q") == snapshot(
        (
            ValueError,
            """\
label 'q' is not a column
  the columns are n, half, label\
""",
            0,
        )
    )


def test_a_column_that_a_later_table_lacks():
    assert error_of(numbered(3), numbered(3).drop_columns("half")) == snapshot(
        (
            ValueError,
            """\
feature 'half' is not a column
  the columns are n, label\
""",
            1,
        )
    )


def test_a_repeated_name():
    table = pa.table([[1], [2]], names=["a", "a"])

    assert error_of(table) == snapshot(
        (
            ValueError,
            """\
column 'a' occurs more than once
  Rename one: rename({'a': ...})\
""",
            0,
        )
    )


def test_nothing_left_to_pack():
    assert error_of(pa.table({"y": [1]}), label="y") == snapshot(
        (
            ValueError,
            """\
there is no feature column beside the label y
  Add one: with_columns(name=...)\
""",
            0,
        )
    )
    assert error_of(pa.table({"y": [1]}), features=[]) == snapshot(
        (
            ValueError,
            """\
there is no feature column
  Add one: with_columns(name=...)\
""",
            0,
        )
    )


def test_a_label_that_becomes_a_float():
    later = numbered(3).set_column(2, "label", pa.array([0.5, 1.5, 2.5]))

    assert error_of(numbered(3), later, label="label") == snapshot(
        (
            TypeError,
            """\
row 3, label 'label': double, after whole numbers in the rows before
  Give one type on all rows: int(...) or float(...)\
""",
            1,
        )
    )
