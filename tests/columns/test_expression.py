"""Expressions as values: their text, names, pickles, functions and mistakes."""

from __future__ import annotations

import functools
import linecache
import math
import operator
import pickle
from datetime import date

import numpy as np
import pytest

import batchprep as bp
from batchprep.columns import Expression, col, lit, when
from batchprep.rowfn.source import find_source
from tests.plan.schemas import plan_text

A, B = col("a"), col("b")

AS_WRITTEN = {
    'col("a") / col("b")': A / B,
    '(col("a") + 1) * -col("b")': (A + 1) * -B,
    'col("a") - (col("b") - 2)': A - (B - 2),
    'col("a") - col("b") - 2': A - B - 2,
    '2 - col("a")': 2 - A,
    '-col("a") ** 2': -(A**2),
    '(-col("a")) ** 2': (-A) ** 2,
    'col("a") ** -2': A**-2,
    '(-2) ** col("a")': (-2) ** A,
    'col("a") ** col("b") ** 2': A ** (B**2),
    '(col("a") ** col("b")) ** 2': (A**B) ** 2,
    '(col("a") > 1) & ~(col("b") == "x") | col("b").is_null()': (A > 1) & ~(B == "x") | B.is_null(),
    '(col("a") < 1) == (col("b") < 2)': (A < 1) == (B < 2),
    'col("a") % 3 // 2': A % 3 // 2,
    "lit(3) + lit(None)": lit(3) + lit(None),
    '(col("a") + col("b")).round(2)': (A + B).round(2),
    '(-col("a")).abs().sqrt()': (-A).abs().sqrt(),
    'col("a").is_in(["x", 1]).fill_null(False)': A.is_in(["x", 1]).fill_null(False),
    'col("a").is_between(0, col("b"))': A.is_between(0, B),
    'col("a").clip(None, 5)': A.clip(high=5),
    'col("a").cast(float).alias("price")': A.cast(float).alias("price"),
    'when(col("a") > 0).then("up").when(col("b")).then(col("b")).otherwise(-1)': (
        when(A > 0).then("up").when(B).then(B).otherwise(-1)
    ),
    'when(col("a")).then(1)': when(A).then(1),
    'col(\'say "hi"\') == "it\'s"': col('say "hi"') == "it's",
}


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_repr_is_the_text_as_it_was_written(text):
    expression = AS_WRITTEN[text]

    assert repr(expression) == text
    assert repr(eval(text, {"col": col, "lit": lit, "when": when})) == text


@pytest.mark.parametrize(
    ("expression", "name", "columns"),
    [
        (A / B, "a", ("a", "b")),
        ((B + A * B).round(), "b", ("b", "a")),
        ((A / B).alias("ratio"), "ratio", ("a", "b")),
        (1 + A, "literal", ("a",)),
        (lit(2.5), "literal", ()),
        (when(A > 0).then(B).otherwise(col("c")), "b", ("a", "b", "c")),
    ],
)
def test_name_and_columns(expression, name, columns):
    assert expression.name == name
    assert expression.columns == columns


def test_the_row_function_is_made_once_and_its_source_is_found():
    expression = A / B
    function = expression.row_function()

    assert expression.row_function() is function
    source = find_source(function)
    assert [line.strip() for line in source.lines] == [
        "def expression(r):",
        "v1 = r.get('a')",
        "v2 = r.get('b')",
        "v3 = divide(v1, v2)",
        "return v3",
    ]


def test_the_source_is_found_after_linecache_was_cleared():
    function = (A - B).row_function()
    linecache.clearcache()

    assert find_source(function).function == "expression"
    linecache.checkcache()
    assert find_source(function).function == "expression"


def test_a_column_and_a_shared_part_are_computed_once():
    shared = A + B
    lines = find_source((shared * shared - A).row_function()).lines

    assert sum("r.get('a')" in line for line in lines) == 1
    assert sum("add(" in line for line in lines) == 1


def test_parts_doubled_forty_times_stay_forty_lines():
    doubled = A
    for _ in range(40):
        doubled = doubled + doubled

    assert len(find_source(doubled.row_function()).lines) < 50
    assert doubled.row_function()({"a": 1}) == 2**40


def test_a_sum_of_a_thousand_columns_does_not_recurse():
    names = [f"c{number}" for number in range(1000)]
    total = functools.reduce(operator.add, map(col, names))

    assert total.row_function()(dict.fromkeys(names, 1)) == 1000
    assert pickle.loads(pickle.dumps(total)).columns == tuple(names)
    assert repr(total).count(" + ") == 999


def test_a_choice_of_hundreds_of_conditions_runs():
    choice = when(A == 0).then("0")
    for number in range(1, 300):
        choice = choice.when(A == number).then(str(number))
    function = choice.row_function()

    assert [function({"a": number}) for number in (0, 19, 21, 299, 300)] == [
        "0", "19", "21", "299", None,
    ]  # fmt: skip


def test_a_choice_computes_only_what_it_chooses(backend):
    guarded = when(B == 0).then(None).otherwise(A // B)
    run = bp.vectorize(guarded.row_function(), backend=backend, on_unsupported="raise")

    assert run([{"a": 7, "b": 0}, {"a": 7, "b": 2}, {"a": 7, "b": None}]) == [None, 3, None]


def test_a_condition_counts_as_python_takes_it(backend):
    choice = when(A).then("yes").when(B).then("maybe").otherwise("no")
    run = bp.vectorize(choice.row_function(), backend=backend, on_unsupported="raise")
    rows = [(True, None), (None, True), (False, False), (None, None), (2, 0), (0, 1)]

    assert run([{"a": a, "b": b} for a, b in rows]) == ["yes", "maybe", "no", "no", "yes", "maybe"]


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_a_pickle_gives_the_same_expression(text):
    back = pickle.loads(pickle.dumps(AS_WRITTEN[text]))

    assert repr(back) == text
    assert type(back) is type(AS_WRITTEN[text])
    assert find_source(back.row_function()).lines == (
        find_source(AS_WRITTEN[text].row_function()).lines
    )


def test_a_pickle_keeps_shared_parts_shared():
    shared = A + B
    back = pickle.loads(pickle.dumps(shared * shared))

    assert back.inputs[0] is back.inputs[1]


def test_constants_without_a_literal_are_kept():
    function = when(A > 0).then(math.inf).otherwise(lit(date(2020, 1, 2))).row_function()

    assert function({"a": 1}) == math.inf
    assert function({"a": 0}) == date(2020, 1, 2)


def test_numpy_scalars_are_plain_constants():
    assert repr(np.float64(2) * A) == '2.0 * col("a")'
    assert repr(A + np.int64(3)) == 'col("a") + 3'


def test_an_expression_does_not_change():
    with pytest.raises(AttributeError):
        A.operation = "lit"


def test_expressions_are_told_apart_by_identity_in_dicts():
    assert {A: 1, B: 2}[B] == 2


@pytest.mark.parametrize(
    "use",
    [
        lambda: bool(A),
        lambda: 0 < A < 5,
        lambda: A and B,
        lambda: not A,
        lambda: 1 if A == 1 else 2,
        lambda: A in [B],
    ],
)
def test_the_truth_of_an_expression_is_refused(use):
    with pytest.raises(TypeError, match=r"has no truth value of its own.*write & for and, \| for"):
        use()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: col(3), TypeError, "col takes the name of a column, a text, not 3"),
        (lambda: A.alias(None), TypeError, "alias takes the name of a column, a text, not None"),
        (lambda: A + [1], TypeError, "[1] is a list, which a column expression cannot hold"),
        (lambda: lit({}), TypeError, "{} is a dict, which a column expression cannot hold"),
        (lambda: A + 2**70, OverflowError, "is beyond a 64-bit integer; write it as a float: 1.18"),
        (lambda: A.is_in("xy"), TypeError, "is_in takes a list, tuple or set of values, not 'xy'"),
        (lambda: A.is_in(3), TypeError, "is_in takes a list, tuple or set of values, not 3"),
        (lambda: A.round(1.5), TypeError, "round takes a number of decimal digits, an int"),
        (lambda: A.cast("float"), TypeError, "cast takes float, int, bool or str, not 'float'"),
        (lambda: A.cast(list), TypeError, "cast takes float, int, bool or str"),
        (lambda: A.clip(3, 1), ValueError, "clip(3, 1): the lower bound is above the upper one"),
    ],
)
def test_mistakes_are_told_at_once(make, error, text):
    with pytest.raises(error) as caught:
        make()

    assert text in str(caught.value)


FAILING_ROWS = [
    (
        A * B,
        {"a": 2**62, "b": 4},
        OverflowError,
        (
            'col("a") * col("b") is 18446744073709551616, beyond a 64-bit integer; compute with '
            "floats: .cast(float) on one of its columns"
        ),
    ),
    (
        A**B,
        {"a": 3, "b": 10**12},
        OverflowError,
        (
            'col("a") ** col("b") is beyond a 64-bit integer; compute with floats: .cast(float) on '
            "one of its columns"
        ),
    ),
    (A // B, {"a": 1, "b": 0}, ZeroDivisionError, "integer division or modulo by zero"),
    (
        A * 2,
        {"a": "ab", "b": 0},
        TypeError,
        (
            "col(\"a\") * 2 needs numbers, not str 'ab' and int 2; convert with .cast(float) or "
            ".cast(int)"
        ),
    ),
    (
        A.cast(bool),
        {"a": "no", "b": 0},
        TypeError,
        'col("a").cast(bool) of the text \'no\': compare instead, as in col("paid") == "yes"',
    ),
]


@pytest.mark.parametrize(("expression", "record", "error", "text"), FAILING_ROWS)
def test_a_failing_row_names_the_expression_and_its_values(
    expression, record, error, text, backend
):
    run = bp.vectorize(expression.row_function(), backend=backend, on_unsupported="ignore")

    with pytest.raises(error) as caught:
        run([{"a": 1, "b": 1}, record] if not isinstance(record["a"], str) else [record] * 2)
    note = "\n".join(caught.value.__notes__)
    assert str(caught.value) == text
    assert f"<{expression!r} ".replace("/", "\N{DIVISION SLASH}") in note
    assert repr(record["a"]) in text + note


def test_a_long_expression_is_shortened_in_its_errors():
    total = functools.reduce(operator.add, [col(f"column{number}") for number in range(50)])

    with pytest.raises(OverflowError) as caught:
        total.row_function()({"column0": 2**63 - 1, **{f"column{n}": 1 for n in range(1, 50)}})
    assert len(str(caught.value)) < 300


SMALL = [
    (A / B, ("float", "float"), ["buffer", "buffer", "fdiv"]),
    (A / B, ("int", "float"), ["buffer", "i2f", "buffer", "fdiv"]),
    (A + 1, ("float", "float"), ["buffer", "fadd"]),
    (A.sqrt(), ("float", "float"), ["buffer", "sqrt"]),
    (A.exp(), ("float", "float"), ["buffer", "exp"]),
    (A.floor(), ("float", "float"), ["buffer", "floor"]),
    (A**2, ("float", "float"), ["buffer", "fmul"]),
    (A.is_null(), ("float", "float"), []),
    (A * B, ("int", "int"), ["buffer", "buffer", "imul", "imul_overflows"]),
]


@pytest.mark.parametrize(
    ("expression", "kinds", "ops"), SMALL, ids=lambda value: repr(value).replace("/", "over")
)
def test_columns_without_nulls_compile_to_few_nodes(expression, kinds, ops):
    text = plan_text(expression.row_function(), a=kinds[0], b=kinds[1])
    nodes = [line for line in text.splitlines() if line.startswith("%")]

    assert [line.split(" = ")[1].split("(")[0] for line in nodes] == ops


def test_an_expression_is_an_expression():
    assert isinstance(when(A).then(1), Expression)
    assert isinstance(A.is_in([1]), Expression)
