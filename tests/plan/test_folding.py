"""Laws of folding: each rule with the law it rests on."""

from __future__ import annotations

import gc
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.dtypes import INT64_MAX, INT64_MIN
from batchprep.ops import OPS
from batchprep.plan.boolean import conjuncts
from batchprep.plan.build import (
    LARGEST_EXPONENT,
    both,
    build,
    either,
    has_kind,
    invert,
    kind_code,
    select,
)
from batchprep.plan.node import FALSE, TRUE, Node, const, in_order, intern, kind_const

A, B, C = (intern("buffer", (), (name, "bool"), "b") for name in "abc")
INT, OTHER_INT = (intern("buffer", (), (name, "int"), "i") for name in "ij")
F, G = (intern("buffer", (), (name, "float"), "f") for name in "fg")
KIND = intern("kind", (), "x", "k")


@pytest.mark.parametrize(
    ("folded", "expected"),
    [
        (both(A, TRUE), A),
        (both(A, FALSE), FALSE),
        (both(A, A), A),
        (both(A, invert(A)), FALSE),
        (both(both(A, B), invert(A)), FALSE),
        (both(both(A, B), B), both(A, B)),
        (both(has_kind(KIND, "int"), has_kind(KIND, "none")), FALSE),
        (both(either(A, B), both(invert(A), invert(B))), FALSE),
        (both(both(A, B), intern("not", (both(A, B),), None, "b")), FALSE),
        (either(A, FALSE), A),
        (either(A, TRUE), TRUE),
        (either(A, invert(A)), TRUE),
        (either(A, both(A, B)), A),
        (either(both(C, A), both(C, invert(A))), C),
        (either(A, both(invert(A), B)), either(A, B)),
        (invert(invert(A)), A),
        (invert(either(A, B)), both(invert(A), invert(B))),
        (invert(build("ilt", INT, OTHER_INT)), build("ige", INT, OTHER_INT)),
        (select(TRUE, INT, OTHER_INT), INT),
        (select(A, INT, INT), INT),
        (select(A, TRUE, B), either(A, B)),
        (select(A, B, A), both(A, B)),
        (select(invert(A), INT, OTHER_INT), select(A, OTHER_INT, INT)),
        (select(A, select(A, INT, OTHER_INT), OTHER_INT), select(A, INT, OTHER_INT)),
        (build("iadd", INT, const(0)), INT),
        (build("imul", const(1), INT), INT),
        (build("fmul", F, const(1.0)), F),
        (build("ieq", INT, INT), TRUE),
        (build("igt", INT, const(INT64_MAX)), FALSE),
        (build("ilt", INT, const(INT64_MIN)), FALSE),
        (build("fisnan", build("i2f", INT)), FALSE),
        (build("fisnan", build("exp", F)), build("fisnan", F)),
        (build("seq", const("a"), const("b")), FALSE),
        (build("ine", build("b2i", A), const(0)), A),
        (build("iadd", const(2), const(3)), const(5)),
        (build("fdiv", const(1.0), const(0.0)), const(math.inf)),
        (has_kind(kind_const("int"), "int"), TRUE),
    ],
)
def test_rule(folded: Node, expected: Node) -> None:
    assert folded is expected


BY_ZERO = build("fmul", F, build("fcopysign", const(math.inf), G))
BELOW_ZERO = build("fge", F, const(0.0))
TOO_LARGE = build("fgt", F, const(LARGEST_EXPONENT))
FLOOR = build("ffloordiv", F, const(1.0))
# Python spells IEEE 754 with a test; the op behind has the same value on every row.
IEEE = [
    ((build("feq", G, const(0.0)), BY_ZERO, build("fdiv", F, G)), build("fdiv", F, G)),
    ((BELOW_ZERO, build("sqrt", F), const(math.nan)), build("sqrt", F)),
    ((TOO_LARGE, const(math.inf), build("exp", F)), build("exp", F)),
    ((build("fisinf", F), F, FLOOR), build("floor", F)),
]


@pytest.mark.parametrize(("choice", "folded"), IEEE, ids=["/", "sqrt", "exp", "floor"])
def test_a_test_for_what_ieee_gives_anyway_is_folded(
    choice: tuple[Node, Node, Node], folded: Node
) -> None:
    assert select(*choice) is folded


EDGES = [0.0, -0.0, 1.0, -2.5, 0.5, 5e-324, 1e308, -1e308, LARGEST_EXPONENT, 709.8, -746.0]
EDGES += [math.nextafter(LARGEST_EXPONENT, math.inf), math.inf, -math.inf, math.nan]


@pytest.mark.parametrize(("choice", "folded"), IEEE, ids=["/", "sqrt", "exp", "floor"])
@given(f=st.sampled_from(EDGES) | st.floats(), g=st.sampled_from(EDGES) | st.floats())
def test_a_folded_choice_has_the_value_of_the_choice(
    choice: tuple[Node, Node, Node], folded: Node, f: float, g: float
) -> None:
    spelled = intern("select", choice, None, "f")

    assert repr(_number(spelled, f, g)) == repr(_number(folded, f, g))


def _number(node: Node, f: float, g: float) -> object:
    values: dict[Node, object] = {F: f, G: g}
    for current in in_order([node]):
        if current.op == "const":
            values[current] = current.attr
        elif current not in values:
            values[current] = OPS[current.op].meaning(*(values[arg] for arg in current.args))
    return values[node]


def test_a_float_is_not_folded_where_nan_or_zero_signs_differ() -> None:
    assert build("feq", F, F) is not TRUE
    assert invert(build("flt", F, G)).op == "not"
    assert build("fadd", F, const(0.0)) is not F


def test_constants_are_told_apart_by_type_and_sign() -> None:
    distinct = [const(1), const(1.0), const(value=True), const(0.0), const(-0.0), const("1")]
    assert len(set(distinct)) == len(distinct)
    assert const(math.nan) is const(math.nan)


def test_equal_nodes_are_one_object_and_are_freed() -> None:
    made = build("iadd", INT, const(123_456_789))
    assert made is build("iadd", INT, const(123_456_789))
    number = made.id
    del made
    gc.collect()
    assert build("iadd", INT, const(123_456_789)).id != number


def test_kind_code_gives_back_its_guards() -> None:
    code = kind_code((("int", A), ("none", both(invert(A), B)), ("str", TRUE)))
    assert has_kind(code, "int") is A
    assert has_kind(code, "none") is both(invert(A), B)


BOOLEANS = st.recursive(
    st.sampled_from([A, B, C, TRUE, FALSE]),
    lambda inner: st.one_of(
        st.tuples(st.just(both), inner, inner),
        st.tuples(st.just(either), inner, inner),
        st.tuples(st.just(invert), inner),
        st.tuples(st.just(select), inner, inner, inner),
    ),
    max_leaves=20,
)


@given(BOOLEANS)
def test_boolean_folding_keeps_the_truth_table(tree: object) -> None:
    node = _folded(tree)
    for values in itertools.product((False, True), repeat=3):
        row = dict(zip((A, B, C), values, strict=True))
        assert _evaluate(node, row) == _meaning(tree, row)


def _folded(tree: object) -> Node:
    if isinstance(tree, Node):
        return tree
    assert isinstance(tree, tuple)
    return tree[0](*(_folded(arg) for arg in tree[1:]))


def _meaning(tree: object, row: dict[Node, bool]) -> bool:
    if isinstance(tree, Node):
        return row[tree] if tree in row else bool(tree.attr)
    assert isinstance(tree, tuple)
    values = [_meaning(arg, row) for arg in tree[1:]]
    if tree[0] is both:
        return values[0] and values[1]
    if tree[0] is either:
        return values[0] or values[1]
    if tree[0] is invert:
        return not values[0]
    return values[1] if values[0] else values[2]


def _evaluate(node: Node, row: dict[Node, bool]) -> bool:
    values: dict[Node, object] = dict(row)
    for current in in_order([node]):
        if current.op == "const":
            values[current] = current.attr
        elif current not in row:
            values[current] = OPS[current.op].meaning(*(values[arg] for arg in current.args))
    return bool(values[node])


def test_a_deep_chain_neither_recurses_nor_explodes() -> None:
    node = A
    for number in range(5_000):
        node = both(node, build("ilt", INT, build("imul", OTHER_INT, const(number))))
    assert len(in_order([node])) < 25_000
    assert len(conjuncts(node)) < 100
