"""What a caller gets wrong, and what is said of it."""

import json
import warnings

import polars as pl
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.api.schemas import same_fields
from batchprep.records.list import ListSource
from batchprep.schema import Field


def scaled(r, rate, *, offset=0):
    return r["a"] * rate + offset


WRONG = {
    "missing": ((), {}, r"missing 1 required positional argument: 'rate'"),
    "too many": ((1, 2), {}, "takes 2 positional arguments but 3 were given"),
    "unknown": ((1,), {"offst": 1}, "unexpected keyword argument 'offst'"),
}


@pytest.mark.parametrize("on_error", ["raise", "null", "drop"])
@pytest.mark.parametrize(("args", "kwargs", "text"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_the_calls_fault(args, kwargs, text, on_error):
    f = bp.vectorize(scaled, on_error=on_error)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in ([{"a": 1}], pa.table({"a": [1]})):
            with pytest.raises(TypeError, match=text) as raised:
                f(data, *args, **kwargs)
            assert not hasattr(raised.value, "__notes__")
        with pytest.raises(TypeError, match=text):
            next(f(iter([{"a": 1}]), *args, **kwargs))


def test_wrong_arguments_of_no_records_do_not_matter():
    f = bp.vectorize(scaled)
    assert f([]) == []
    assert list(f(iter([]))) == []


def test_decorator_may_add_the_arguments():
    import functools

    def with_rate(function):
        @functools.wraps(function)
        def wrapped(r):
            return function(r, 3)

        return wrapped

    f = bp.vectorize(with_rate(scaled), on_unsupported="ignore")
    assert f([{"a": 2}]) == [6]


NESTED = {
    "list": (lambda r: [r["k"], r["t"]], "inside its lists"),
    "tuple": (lambda r: (r["k"], [r["t"], r["k"]]), r"at 1\[\]"),
    "dict": (lambda r: {"b": {"c": r["k"] if r["t"] else r["t"]}}, r"at b\.c"),
    "scalar": (lambda r: r["k"] if r["t"] else r["t"], "kinds"),
}


@pytest.mark.parametrize(("function", "where"), NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("compiled", [True, False])
def test_several_kinds_in_polars_are_refused_at_any_depth(function, where, compiled):
    def interpreted(r):
        "".join(map(str, ()))
        return function(r)

    frame = pl.DataFrame({"k": [1, 2], "t": [True, False]})
    f = bp.vectorize(function if compiled else interpreted, on_unsupported="ignore")
    with pytest.raises(TypeError, match=rf"(?s){where}.*\(bool, int\).*Give one kind"):
        f(frame)


def test_ints_fit_decimals():
    table = pa.table({"k": [1, 2**62]})
    f = bp.vectorize(lambda r: r["k"] * 10, returns=pa.decimal128(38, 2))
    assert list(map(int, f(table).to_pylist())) == [10, 2**62 * 10]


def test_misfit_of_a_declared_type_does_not_advise_to_declare_one():
    f = bp.vectorize(lambda r: r["k"], returns=pa.decimal128(3, 1))
    with pytest.raises(OverflowError, match=r"(?s)row 1: 100 does not fit.*Declare a type that"):
        f(pa.table({"k": [1, 100]}))


def test_name_of_a_type_is_no_type():
    f = bp.vectorize(lambda r: r["price"] * 2)
    with pytest.raises(TypeError, match=r"Write \{'price': float\}, without quotes"):
        f.explain({"price": "float"})
    assert f.explain({"price": 1.5}).compiled


def test_one_warning_for_each_place():
    def texts(r):
        return eval("r['a']")

    f = bp.vectorize(texts)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for data in ([{"a": "x"}], [{"a": None}], pa.table({"a": ["x"]}), pa.table({"a": [1]})):
            f(data)
    assert len(said) == 1


class Point:
    def __init__(self, x):
        self.x = x


def test_call_of_a_class_is_not_told_to_be_wrapped():
    f = bp.vectorize(lambda r: Point(r["a"]).x)
    assert "Point is a class" in str(f.explain({"a": int}))
    assert "Write a function" not in str(f.explain({"a": int}))
    assert "Write a function" in str(bp.vectorize(Point).explain({"a": int}))


def test_failed_record_is_whole_and_valid_json():
    def refuse(text):
        raise AssertionError(text)

    record = {"a": 0, "n": float("nan"), "m": [float("inf")], "t": "x" * 10_000}
    f = bp.vectorize(lambda r: 1 / r["a"], on_error="null")
    f([record])
    found = json.loads(f.report().failures["record"][0].as_py(), parse_constant=refuse)
    assert found == {**record, "n": "NaN", "m": ["Infinity"]}


@pytest.mark.parametrize("rows", [[1, 0, 3], [1, 1, 0]])
@pytest.mark.parametrize(
    "make", [lambda rows: [{"a": a} for a in rows], lambda rows: pa.table({"a": rows})]
)
def test_report_of_a_call_that_stopped(make, rows):
    f = bp.vectorize(lambda r: 1 / r["a"], backend="numpy")
    with pytest.raises(ZeroDivisionError):
        f(make(rows))
    at = rows.index(0)
    report = f.report()
    assert (report.rows, report.stopped_at) == (at + 1, at)
    assert f"{at + 1} rows in" in str(report)
    assert f"stopped at row {at}" in str(report)
    assert "1 row: division by zero" in str(report)


PRICES = {"a": 1.0}


def test_explain_says_what_raises_in_plain_words():
    f = bp.vectorize(lambda r: PRICES[r["k"]] * r["p"])
    text = str(f.explain([{"k": "a"}, {"k": "a", "p": 2.0}]))
    assert "raises KeyError where the key is not in the table" in text
    assert "raises KeyError where a record has no 'p'" in text


def test_explain_predicts_no_cost_where_every_row_raises():
    f = bp.vectorize(lambda r: r["prcie"] * 2)
    explanation = f.explain([{"price": 1.0}])
    assert explanation.cost is None
    assert "every row raises KeyError; nearest names: price" in str(explanation)


@pytest.mark.parametrize(
    "columns", [pa.schema([("a", pa.int64())]), pa.table({"a": [1]}), pl.DataFrame({"a": [1]})]
)
def test_explain_reads_nothing_out_of_columns(columns):
    f = bp.vectorize(lambda r: r["a"] + 1)
    assert f.explain(columns).cost.ingest == 0
    assert f.explain([{"a": 1}]).cost.ingest > 0


def test_known_fallback_looks_at_few_records():
    records = [{"a": 1} for _ in range(1_000)]
    assert len(ListSource(records).glance()) < 100
    looked = ListSource(records)
    assert same_fields({"a": Field("a", frozenset({"int"}))}, looked)
    assert not looked._fields  # nothing was read of all of them


def test_kinds_that_look_different_are_seen():
    def doubled(r):
        return r["a"] * 2 if type(r["a"]) is int else [r["a"]].index(r["a"])

    f = bp.vectorize(doubled, on_unsupported="ignore")
    assert f([{"a": "x"}]) == [0]
    assert f([{"a": 2}]) == [4]
