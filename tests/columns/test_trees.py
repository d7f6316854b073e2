"""Whole trees of operations give what their parts give one by one, compiled or not."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.columns import col, when
from tests.columns.reference import BINARY, UNARY, expected

RECORDS = [
    {"x": 1.5, "n": 3, "m": None, "b": True},
    {"x": math.nan, "n": 0, "m": 2, "b": False},
    {"x": None, "n": -7, "m": 2**62, "b": None},
    {"x": -0.0, "n": None, "m": 0, "b": True},
    {"x": math.inf, "n": 2**62, "m": -1, "b": False},
]


def column(name: str) -> tuple[Any, Any]:
    return col(name), lambda r: r.get(name)


def applied(operation: tuple[Any, Any], *operands: tuple[Any, Any]) -> tuple[Any, Any]:
    make, function = operation
    return (
        make(*(expression for expression, _ in operands)),
        lambda r: function(*(value(r) for _, value in operands)),
    )


def choice(condition: Any, yes: Any, no: Any) -> tuple[Any, Any]:
    return (
        when(condition[0]).then(yes[0]).otherwise(no[0]),
        lambda r: yes[1](r) if condition[1](r) else no[1](r),
    )


def shared(operation: tuple[Any, Any], operand: tuple[Any, Any]) -> tuple[Any, Any]:
    return applied(operation, operand, operand)


UNARIES = st.sampled_from([UNARY[name] for name in sorted(UNARY)])
BINARIES = st.sampled_from([BINARY[name] for name in sorted(BINARY)])
TREES = st.recursive(
    st.sampled_from("xnmb").map(column),
    lambda inner: st.one_of(
        st.builds(applied, UNARIES, inner),
        st.builds(applied, BINARIES, inner, inner),
        st.builds(shared, BINARIES, inner),
        st.builds(choice, inner, inner, inner),
    ),
    max_leaves=8,
)


@given(TREES)
def test_a_tree_gives_what_its_parts_give(tree):
    expression, value = tree
    answers = {}
    for backend in ("python", "numpy"):
        run = bp.vectorize(
            expression.row_function(), backend=backend, on_error="null", on_unsupported="ignore"
        )
        answers[backend] = run(RECORDS)

    loop = [expected(value, (record,)) for record in RECORDS]
    loop = [None if isinstance(answer, tuple) else answer for answer in loop]
    assert repr(answers["python"]) == repr(loop)
    assert repr(answers["numpy"]) == repr(loop)
