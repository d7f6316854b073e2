import dataclasses
import itertools
import math
import types
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import batchprep as bp


def ratio(r):
    if r["b"] == 0:
        return None
    return r["a"] / r["b"]


def summary(r):
    return {"total": r["a"] + r["b"], "big": r["a"] > 1}


def both(r):
    return r["a"], r["b"]


def mixed(r):
    return r["a"] if r["a"] > 1 else "small"


@dataclasses.dataclass
class Point:
    a: int
    b: int


class Pair(NamedTuple):
    a: int
    b: int


RECORDS = [{"a": 1, "b": 2}, {"a": 5, "b": 0}, {"a": 3, "b": 4}]
RATIOS = [0.5, None, 0.75]
TABLE = pa.table({"a": [1, 5, 3], "b": [2, 0, 4]})


@pytest.fixture(autouse=True)
def one_backend():
    with bp.use(backend="numpy"):
        yield


# ------------------------------------------------------------------------------ records


@pytest.mark.parametrize("make", [list, tuple])
def test_sequence_gives_a_list(make):
    assert bp.vectorize(ratio)(make(RECORDS)) == RATIOS


def test_any_other_iterable_gives_an_iterator():
    view = dict(enumerate(RECORDS)).values()

    assert list(bp.vectorize(ratio)(view)) == RATIOS


def test_iterator_gives_a_lazy_iterator():
    pulled = []

    def records():
        for record in RECORDS:
            pulled.append(record)
            yield record

    results = bp.vectorize(ratio)(records())

    assert isinstance(results, types.GeneratorType)
    assert pulled == []
    assert list(results) == RATIOS


def test_endless_iterator_is_read_as_far_as_it_is_asked():
    numbers = ({"a": n, "b": 1} for n in itertools.count())
    results = bp.vectorize(ratio)(numbers)

    assert list(itertools.islice(results, 3)) == [0.0, 1.0, 2.0]
    assert next(numbers)["a"] < 500_000


def test_iterator_keeps_the_options_of_its_call():
    with bp.use(on_error="null"):
        results = bp.vectorize(lambda r: 1 / r["a"])(iter([{"a": 0}, {"a": 2}]))

    assert list(results) == [None, 0.5]


@pytest.mark.parametrize(
    "record",
    [
        {"a": 1, "b": 2},
        types.MappingProxyType({"a": 1, "b": 2}),
        OrderedDict(a=1, b=2),
    ],
)
def test_one_mapping_calls_the_function_itself(record):
    assert bp.vectorize(ratio)(record) == 0.5
    assert bp.vectorize(lambda r: r)(record) is record


@pytest.mark.parametrize("kind", [Point, Pair])
def test_objects_are_records(kind):
    f = bp.vectorize(lambda r: r.a + r.b)

    assert f(kind(1, 2)) == 3
    assert f([kind(1, 2), kind(3, 4)]) == [3, 7]


@pytest.mark.parametrize("data", ["text", b"bytes", 5, 2.5, None, True, int])
def test_no_records_is_a_type_error(data):
    with pytest.raises(
        TypeError, match=r"ratio was called on .*\n  It takes a list or an iterator"
    ):
        bp.vectorize(ratio)(data)


def test_batch_of_records_gives_a_list_and_one_of_arrow_gives_arrow():
    f = bp.vectorize(ratio)

    assert f(bp.from_records(RECORDS)) == RATIOS
    assert f(bp.from_arrow(TABLE)).to_pylist() == RATIOS


def test_many_batches_are_one_result():
    records = [{"a": n, "b": 1} for n in range(150_000)]

    assert bp.vectorize(summary)(records) == list(map(summary, records))


# -------------------------------------------------------------------------------- Arrow


def test_table_gives_a_chunked_array():
    result = bp.vectorize(ratio)(TABLE)

    assert isinstance(result, pa.ChunkedArray)
    assert result.type == pa.float64()
    assert result.to_pylist() == RATIOS


def test_record_batch_gives_an_array():
    (batch,) = TABLE.to_batches()

    assert bp.vectorize(ratio)(batch).equals(pa.array(RATIOS))
    assert bp.vectorize(summary)(batch).equals(
        pa.record_batch({"total": [3, 5, 7], "big": [False, True, True]})
    )


def test_dict_results_give_a_table():
    result = bp.vectorize(summary)(TABLE)

    assert result.equals(pa.table({"total": [3, 5, 7], "big": [False, True, True]}))


def test_tuple_results_give_a_struct_array():
    result = bp.vectorize(both)(TABLE)

    assert result.type == pa.struct({"0": pa.int64(), "1": pa.int64()})
    assert result.to_pylist()[0] == {"0": 1, "1": 2}


def test_dict_or_none_is_a_nullable_struct_array():
    result = bp.vectorize(lambda r: {"a": r["a"]} if r["b"] else None)(TABLE)

    assert isinstance(result, pa.ChunkedArray)
    assert result.to_pylist() == [{"a": 1}, None, {"a": 3}]


def test_failed_row_of_a_table_is_null_in_every_column():
    f = bp.vectorize(lambda r: {"half": r["a"] // r["b"], "a": r["a"]}, on_error="null")

    assert f(TABLE).to_pylist()[1] == {"half": None, "a": None}


def test_reader_and_foreign_stream_are_tables():
    class Foreign:
        def __arrow_c_stream__(self, requested_schema=None):
            return TABLE.__arrow_c_stream__(requested_schema)

    f = bp.vectorize(ratio)

    assert f(pa.RecordBatchReader.from_stream(TABLE)).to_pylist() == RATIOS
    assert f(Foreign()).to_pylist() == RATIOS


def test_several_chunks_are_one_column():
    table = pa.concat_tables([TABLE, TABLE.slice(1)])

    assert bp.vectorize(ratio)(table).to_pylist() == RATIOS + RATIOS[1:]


@pytest.mark.filterwarnings("ignore::batchprep.FallbackWarning")
def test_interpreted_function_gives_the_same_containers():
    def shout(r):
        return {"text": f"{r['a']!s:>4}", "a": r["a"]}

    two_chunks = pa.concat_tables([TABLE, TABLE])
    result = bp.vectorize(shout)(two_chunks)

    assert isinstance(result, pa.Table)
    assert result.to_pylist() == list(map(shout, two_chunks.to_pylist()))


# ----------------------------------------------------------------------- empty containers


def test_no_rows_give_no_rows_of_the_right_type():
    f = bp.vectorize(ratio)
    empty = TABLE.slice(0, 0)

    assert f([]) == []
    assert list(f(iter([]))) == []
    assert f(empty).equals(pa.chunked_array([pa.array([], pa.float64())]))
    assert f(TABLE.schema.empty_table()).type == pa.float64()
    assert f(empty.to_pandas()).dtype == object
    assert f(pl.from_arrow(empty)).dtype == pl.Float64


def test_no_rows_give_a_table_with_its_columns():
    result = bp.vectorize(summary)(TABLE.slice(0, 0))

    assert result.schema == pa.schema({"total": pa.int64(), "big": pa.bool_()})
    assert bp.vectorize(lambda r: {})(TABLE).num_rows == 3


# ------------------------------------------------------------------------------- pandas


FRAME = pd.DataFrame({"a": [1, 5, 3], "b": [2, 0, 4]}, index=["x", "y", "z"])


def test_pandas_gives_a_series_with_the_index():
    result = bp.vectorize(lambda r: r["a"] * 0.5)(FRAME)

    pd.testing.assert_series_equal(result, pd.Series([0.5, 2.5, 1.5], index=["x", "y", "z"]))


def test_pandas_dict_results_give_a_frame():
    result = bp.vectorize(summary)(FRAME)

    pd.testing.assert_frame_equal(
        result, pd.DataFrame({"total": [3, 5, 7], "big": [False, True, True]}, index=FRAME.index)
    )


def test_pandas_keeps_mixed_values_as_they_are():
    result = bp.vectorize(lambda r: r["a"] if r["b"] else None)(FRAME)

    assert result.dtype == object
    assert [(type(v), v) for v in result] == [(int, 1), (type(None), None), (int, 3)]


def test_pandas_holds_an_int_past_64_bits():
    result = bp.vectorize(lambda r: r["a"] * 2**62)(FRAME)

    assert result.tolist() == [2**62, 5 * 2**62, 3 * 2**62]


def test_pandas_strings_and_missing_keys():
    f = bp.vectorize(lambda r: {"s": "big", "n": 1} if r["a"] > 1 else {"s": "small"})
    result = f(FRAME)

    assert result["s"].tolist() == ["small", "big", "big"]
    assert result["s"].dtype == "str"
    assert math.isnan(result["n"].iloc[0])
    assert result["n"].tolist()[1:] == [1, 1]


def test_pandas_keeps_the_key_order_of_the_results():
    result = bp.vectorize(lambda r: {**r, "c": r["a"] + r["b"], "a": 0})(FRAME)

    assert list(result.columns) == ["a", "b", "c"]
    assert result["c"].tolist() == [3, 5, 7]


def test_pandas_row_that_failed_is_missing_in_every_column():
    f = bp.vectorize(lambda r: {"q": r["a"] // r["b"], "s": "x"}, on_error="null")
    result = f(FRAME)

    assert result.isna().all(axis=1).tolist() == [False, True, False]
    assert result["q"].tolist()[::2] == [0, 0]


def test_pandas_without_rows_has_the_columns_and_their_types():
    result = bp.vectorize(summary)(FRAME.iloc[:0])

    assert result.dtypes.astype(str).to_dict() == {"total": "int64", "big": "bool"}


def test_pandas_drops_the_index_of_failed_rows():
    result = bp.vectorize(lambda r: r["a"] // r["b"], on_error="drop")(FRAME)

    assert result.index.tolist() == ["x", "z"]
    assert result.tolist() == [0, 0]


# ------------------------------------------------------------------------------- polars


def test_polars_gives_polars():
    frame = pl.from_arrow(TABLE)

    series = bp.vectorize(ratio)(frame)
    assert isinstance(series, pl.Series)
    assert series.to_list() == RATIOS
    assert bp.vectorize(summary)(frame).to_dicts() == list(map(summary, RECORDS))


def test_polars_refuses_several_kinds():
    with pytest.raises(TypeError, match="mixed gives values of several kinds"):
        bp.vectorize(mixed)(pl.from_arrow(TABLE))


# ---------------------------------------------------------------------- further arguments


def scaled(r, factor, *, offset=0):
    return r["a"] * factor + offset


def test_further_arguments_are_constants_of_the_call():
    f = bp.vectorize(scaled)

    assert f(RECORDS, 2) == [2, 10, 6]
    assert f(RECORDS, factor=3, offset=1) == [4, 16, 10]
    assert f(RECORDS[0], 4) == 4


def test_arguments_are_told_apart_by_type():
    f = bp.vectorize(scaled, on_unsupported="ignore")
    results = [f(RECORDS[:1], factor) for factor in (1, 1.0, True, -0.0, 0.0, np.float64(2.0))]

    assert list(map(repr, itertools.chain(*results))) == [
        repr(scaled(RECORDS[0], factor)) for factor in (1, 1.0, True, -0.0, 0.0, np.float64(2.0))
    ]


def test_argument_that_changed_is_seen():
    f = bp.vectorize(lambda r, table: table.get(r["a"], 0))
    table = {1: 10}

    assert f(RECORDS, table) == [10, 0, 0]
    table[5] = 50
    assert f(RECORDS, table) == [10, 50, 0]


def test_wrong_arguments_raise_the_functions_own_error():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'factor'"):
        bp.vectorize(scaled, on_unsupported="ignore")(RECORDS)
