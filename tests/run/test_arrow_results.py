import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.batch import from_records
from batchprep.run.arrow_calls import struct_columns
from batchprep.run.program import Options, Program
from tests.run.programs import run, traced

TABLE = pa.table(
    {
        "n": pa.array([0, 1, 2, 3], pa.int64()),
        "small": pa.array([1, None, 3, 4], pa.int8()),
        "x": pa.array([0.5, None, 1.5, 2.5]),
        "s": pa.array(["a", "b", None, "a"]),
        "day": pa.array([dt.date(2024, 1, 1)] * 4),
        "tags": pa.array([["u"], [], None, ["v", "w"]]),
    }
)
KINDS = {"a": 1, "b": True, "c": "text", "d": None}

UNION = pa.sparse_union(
    [
        pa.field("none", pa.null()),
        pa.field("bool", pa.bool_()),
        pa.field("int", pa.int64()),
        pa.field("str", pa.string()),
    ]
)

CASES = {
    "int": (lambda r: r["n"] + 1, pa.int64(), [1, 2, 3, 4]),
    "float": (lambda r: r["n"] / 2, pa.float64(), [0.0, 0.5, 1.0, 1.5]),
    "bool": (lambda r: r["n"] > 1, pa.bool_(), [False, False, True, True]),
    "none": (lambda r: None, pa.null(), [None] * 4),
    "constant": (lambda r: "k", pa.string(), ["k"] * 4),
    "int or none": (lambda r: r["small"], pa.int8(), [1, None, 3, 4]),
    "string or none": (lambda r: r["s"], pa.string(), ["a", "b", None, "a"]),
    "int or float": (lambda r: r["n"] if r["n"] > 1 else 0.5, pa.float64(), [0.5, 0.5, 2, 3]),
    "int or float or none": (
        lambda r: r["n"] if r["n"] > 1 else r["x"], pa.float64(), [0.5, None, 2, 3],
    ),
    "date": (lambda r: r["day"], pa.date32(), [dt.date(2024, 1, 1)] * 4),
    "list": (lambda r: r["tags"], pa.list_(pa.string()), [["u"], [], None, ["v", "w"]]),
    "other mixes": (
        lambda r: True if r["n"] == 0 else r["s"] or r["n"] + 0,
        pa.sparse_union(list(UNION)[1:]),
        [True, "b", 2, "a"],
    ),
    "mixes with none": (lambda r: KINDS.get(r["s"]), UNION, [1, True, None, 1]),
    "dict": (
        lambda r: {"b": r["n"], "a": r["s"]},
        pa.struct([("b", pa.int64()), ("a", pa.string())]),
        [{"b": n, "a": s} for n, s in enumerate(["a", "b", None, "a"])],
    ),
    "dict or none": (
        lambda r: {"n": r["n"]} if r["n"] > 1 else None,
        pa.struct([("n", pa.int64())]),
        [None, None, {"n": 2}, {"n": 3}],
    ),
    "dicts of two shapes": (
        lambda r: {"a": 1} if r["n"] > 1 else {"b": "x", "a": 0.5},
        pa.struct([("a", pa.float64()), ("b", pa.string())]),
        [{"a": 0.5, "b": "x"}] * 2 + [{"a": 1.0, "b": None}] * 2,
    ),
    "tuple": (
        lambda r: (r["n"], r["s"]),
        pa.struct([("0", pa.int64()), ("1", pa.string())]),
        [{"0": n, "1": s} for n, s in enumerate(["a", "b", None, "a"])],
    ),
    "record": (
        lambda r: {**r, "n": r["s"], "new": 1},
        pa.struct(
            [("n", pa.string()), *((f.name, f.type) for f in list(TABLE.schema)[1:]),
             ("new", pa.int64())]
        ),
        [{**r, "n": r["s"], "new": 1} for r in TABLE.to_pylist()],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_type_and_values(name):
    function, dtype, values = CASES[name]
    results = traced(function, TABLE).results

    results.validate(full=True)
    assert results.type == dtype
    assert results.to_pylist() == values


@pytest.mark.parametrize("name", CASES)
def test_type_does_not_depend_on_the_rows(name):
    function, dtype, _ = CASES[name]

    assert traced(function, TABLE.slice(0, 0)).results.type == dtype
    assert traced(function, TABLE.slice(1, 1)).results.type == dtype


@pytest.mark.parametrize("name", CASES)
def test_values_beside_deviating_rows(name):
    def function(r):
        1 // r["n"]
        return inner(r)

    inner, dtype, values = CASES[name]
    dropped = traced(function, TABLE, on_error="drop").results
    nulled = traced(function, TABLE, on_error="null").results

    assert dropped.type == nulled.type == dtype
    assert dropped.to_pylist() == values[1:]
    assert nulled.to_pylist() == [None, *values[1:]]


def big_or_float(r):
    return r["n"] if r["n"] > 5 else r["x"]


def test_an_int_that_a_double_would_change_is_a_failed_row():
    table = pa.table({"n": [1, 2**53, 2**53 + 1], "x": [0.5, 0.5, 0.5]})

    with pytest.raises(OverflowError) as raised:
        traced(big_or_float, table)

    assert str(raised.value) == (
        "row 2: 9007199254740993 does not fit the result column, whose type is double\n"
        "  Pass the type to hold it as returns=, or call the function on a list of records"
    )
    kept = traced(big_or_float, table, on_error="null")
    assert kept.results.to_pylist() == [0.5, 2.0**53, None]
    assert [f.type for f in kept.report.failed] == ["OverflowError"]


def test_an_int_beyond_the_column_is_a_failed_row():
    table = pa.table({"n": [1, 2**62]})

    with pytest.raises(OverflowError, match="row 1: 9223372036854775808 does not fit column 'm'"):
        traced(lambda r: {"m": r["n"] * 2}, table)


def test_failures_of_two_sorts_come_in_row_order():
    def function(r):
        return r["n"] // r["d"] * 2**40

    table = pa.table({"n": [1, 2**30, 5], "d": [1, 1, 0]})

    with pytest.raises(OverflowError, match="row 1"):
        traced(function, table)
    assert [f.row for f in traced(function, table, on_error="drop").report.failed] == [1, 2]


RETURNS = {
    "narrower int": (lambda r: r["n"], pa.int8(), [1, 300], [1, None]),
    "exact float": (lambda r: r["n"], pa.float64(), [1, 2**53 + 1], [1.0, None]),
    "float32, which rounds": (
        lambda r: r["n"] / 10 if r["n"] else 1e300,
        pa.float32(),
        [5, 1, 0],
        [0.5, float(np.float32(0.1)), None],
    ),
    "float16": (lambda r: r["n"] * 0.1, pa.float16(), [1, 10**6], [float(np.float16(0.1)), None]),
    "exact float32": (lambda r: r["n"], pa.float32(), [1, 2**24 + 1], [1.0, None]),
    "not null": (
        lambda r: {"a": r["n"] if r["n"] > 1 else None},
        pa.schema([pa.field("a", pa.int64(), nullable=False)]),
        [1, 2],
        [None, {"a": 2}],
    ),
    "not null, and no such key": (
        lambda r: {"a": r["n"], "b": 0} if r["n"] > 1 else {"b": 1},
        pa.schema([pa.field("a", pa.int64(), nullable=False), ("b", pa.int64())]),
        [1, 2],
        [None, {"a": 2, "b": 0}],
    ),
    "dictionary of ints": (
        lambda r: r["n"],
        pa.dictionary(pa.int8(), pa.int16()),
        [1, 70_000],
        [1, None],
    ),
    "never from float to int": (lambda r: r["n"] / 1, pa.int64(), [1, 2], [None, None]),
    "never from bool to int": (lambda r: r["n"] > 1, pa.int64(), [1, 2], [None, None]),
    "never to string": (lambda r: r["n"], pa.string(), [1, 2], [None, None]),
    "dictionary": (
        lambda r: "a" if r["n"] > 1 else None,
        pa.dictionary(pa.int32(), pa.string()),
        [1, 2],
        [None, "a"],
    ),
    "schema": (
        lambda r: {"a": r["n"]},
        pa.schema([("a", pa.int16()), ("more", pa.string())]),
        [1, 70_000],
        [{"a": 1, "more": None}, None],
    ),
    "schema without a key": (
        lambda r: {"a": 1, "b": 2} if r["n"] > 1 else {"a": 1},
        pa.schema([("a", pa.int64())]),
        [1, 2],
        [{"a": 1}, None],
    ),
}


@pytest.mark.parametrize("name", RETURNS)
@pytest.mark.parametrize("compiled", [True, False])
def test_returns_decides_the_type_and_nothing_is_coerced(name, compiled):
    function, returns, numbers, values = RETURNS[name]
    table = pa.table({"n": numbers})
    if compiled:
        results = traced(function, table, returns=returns, on_error="null").results
    else:
        results = interpreted(function, table.to_pylist(), returns=returns, on_error="null")

    results.validate(full=True)
    wanted = pa.struct(list(returns)) if isinstance(returns, pa.Schema) else returns
    assert results.type == wanted
    assert results.to_pylist() == values


def interpreted(function, records, **options):
    whole = Program(function=function, name="f", trace=None)
    return run(whole, from_records(records), Options(**options), form="arrow").results


FALLBACK_TYPES = [
    ([1, None, 2.5], pa.float64()),
    ([None, None], pa.null()),
    ([1, True, None], pa.sparse_union(list(UNION)[:3])),
    ([{"a": 1}, {"b": "x", "a": None}], pa.struct([("a", pa.int64()), ("b", pa.string())])),
    ([[1], [2.5], None], pa.list_(pa.float64())),
    ([(1, "a"), (2, "b")], pa.struct([("0", pa.int64()), ("1", pa.string())])),
    ([b"x", None], pa.binary()),
    ([dt.datetime(2024, 1, 1, 5, 6, 7, 8)], pa.timestamp("us")),  # noqa: DTZ001
]


@pytest.mark.parametrize(("values", "dtype"), FALLBACK_TYPES)
def test_whole_fallback_infers_the_type_from_all_results(values, dtype):
    results = interpreted(lambda r: r["v"], [{"v": value} for value in values])

    results.validate(full=True)
    assert results.type == dtype


def test_whole_fallback_refuses_what_the_inferred_type_cannot_hold():
    with pytest.raises(OverflowError, match="row 1: 18446744073709551616 does not fit"):
        interpreted(lambda r: r["v"], [{"v": 1}, {"v": 2**64}])


def test_a_string_that_utf8_cannot_carry_is_a_failed_row():
    records = [{"s": "fine"}, {"s": "\udfff"}]

    assert interpreted(lambda r: r["s"], records, on_error="null").to_pylist() == ["fine", None]


def test_dict_keys_that_are_no_strings_have_no_column():
    with pytest.raises(TypeError, match="row 1"):
        interpreted(lambda r: r["v"], [{"v": {"a": 1}}, {"v": {"a": 1, 2: 3}}])


PASSED_ON = {
    "view": pa.array(["a", "b", None]).cast(pa.string_view()),
    "dictionary": pa.array(["a", "b", None]).dictionary_encode(),
    "list_view": pa.array([[1], None, []], pa.list_view(pa.int64())),
    "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "binary": pa.array([b"x", None, b""]),
    "nanoseconds": pa.array([1, 2_000, None], pa.timestamp("ns", "UTC")),
    "struct": pa.array([{"a": 1}, None, {"a": None}]),
    "union": pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])],
        ["int", "str"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSED_ON)
def test_columns_that_are_not_read_pass_through(name):
    table = pa.table({"n": [1, 0, 2], "c": PASSED_ON[name]})
    results = traced(lambda r: {**r, "n": 4 // r["n"]}, table, on_error="drop").results

    assert results.type.field("c").type == PASSED_ON[name].type
    column = results.field("c")
    assert column.to_pylist() == [PASSED_ON[name].to_pylist()[i] for i in (0, 2)]


def test_columns_of_a_struct_are_null_where_it_is():
    struct = pa.StructArray.from_arrays(
        [PASSED_ON["union"], pa.array([1, 2, 3])],
        names=["u", "n"],
        mask=pa.array([False, True, False]),
    )

    assert [c.to_pylist() for c in struct_columns(struct)] == [[1, None, 3], [1, None, 3]]


def test_an_int_beside_float_and_text_is_double():
    def mixed(r):
        if r["a"] > 9:
            return "much"
        return divmod(r["a"], 2)[0] if r["a"] > 5 else math.sqrt(r["a"])

    table = pa.table({"a": [1, 6, 10]})
    assert bp.vectorize(mixed, backend="numpy")(table).to_pylist() == [1.0, 3.0, "much"]


def test_nothing_is_said_of_no_records():
    assert bp.vectorize(lambda r: r.a + 1, backend="numpy", on_unsupported="raise")([]) == []
