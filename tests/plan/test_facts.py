"""Path facts remove checks, and never one that could hold."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.ops import OPS
from batchprep.plan.build import LARGEST_EXPONENT, both, build, invert
from batchprep.plan.facts import simplify
from batchprep.plan.node import FALSE, Node, const, in_order, intern

INT = intern("buffer", (), ("i", "int"), "i")
F = intern("buffer", (), ("f", "float"), "f")
RELATIONS = st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"])
INTS = st.integers(-5, 5)
FLOATS = st.sampled_from([-math.inf, -2.5, -1.0, -0.0, 0.0, 5e-324, 1.0, 2.5, math.inf, math.nan])
FACTS = st.tuples(RELATIONS, FLOATS, st.booleans())


@given(st.tuples(RELATIONS, INTS, st.booleans()), RELATIONS, INTS, INTS)
def test_facts_of_ints_never_lie(
    fact: tuple[str, int, bool], asked: str, limit: int, value: int
) -> None:
    assert_sound(_fact("i", INT, fact), build("i" + asked, INT, const(limit)), INT, value)


@given(FACTS, RELATIONS, FLOATS, FLOATS)
def test_facts_of_floats_never_lie(
    fact: tuple[str, float, bool], asked: str, limit: float, value: float
) -> None:
    assert_sound(_fact("f", F, fact), build("f" + asked, F, const(limit)), F, value)


@given(FACTS, RELATIONS, INTS, INTS)
def test_facts_of_widened_ints_never_lie(
    fact: tuple[str, float, bool], asked: str, limit: int, value: int
) -> None:
    widened = _fact("f", build("i2f", INT), fact)
    assert_sound(widened, build("i" + asked, INT, const(limit)), INT, value)


@given(
    st.tuples(RELATIONS, INTS, st.booleans()),
    st.sampled_from(["iadd", "isub", "imul", "imod"]),
    RELATIONS,
    st.tuples(INTS, INTS, INTS),
)
def test_ranges_of_arithmetic_never_lie(
    fact: tuple[str, int, bool], op: str, asked: str, numbers: tuple[int, int, int]
) -> None:
    operand, limit, value = numbers
    check = build("i" + asked, build(op, INT, const(operand)), const(limit))
    assert_sound(_fact("i", INT, fact), check, INT, value)


@given(FACTS, st.sampled_from(["fisinf", "fisnan"]), st.booleans(), FLOATS)
def test_facts_of_special_floats_never_lie(
    fact: tuple[str, float, bool], check: str, exponential: bool, value: float
) -> None:
    subject = build("exp", F) if exponential else F
    assert_sound(_fact("f", F, fact), build(check, subject), F, value)


def _fact(prefix: str, subject: Node, fact: tuple[str, float, bool]) -> Node:
    relation, bound, negated = fact
    node = build(prefix + relation, subject, const(bound))
    return invert(node) if negated else node


def assert_sound(fact: Node, check: Node, leaf: Node, value: float) -> None:
    if _truth(fact, leaf, value):
        assert _truth(simplify(check, fact), leaf, value) == _truth(check, leaf, value)


def _truth(node: Node, leaf: Node, value: float) -> bool:
    values: dict[Node, object] = {leaf: value}
    for current in in_order([node]):
        if current.op == "const":
            values[current] = current.attr
        elif current is not leaf:
            values[current] = OPS[current.op].meaning(*(values[arg] for arg in current.args))
    return bool(values[node])


@pytest.mark.parametrize(
    ("check", "path"),
    [
        (build("ieq", INT, const(0)), build("igt", INT, const(0))),
        (build("feq", F, const(0.0)), build("fgt", F, const(0.0))),
        (build("flt", F, const(0.0)), build("fge", F, const(1.5))),
        (build("fisnan", F), build("flt", F, const(3.0))),
        (build("iadd_overflows", INT, const(1)), build("ilt", INT, const(1000))),
        (
            build("imul_overflows", INT, INT),
            both(build("ilt", INT, const(9)), build("igt", INT, const(-9))),
        ),
        (build("feq", build("i2f", INT), const(0.0)), build("ige", INT, const(1))),
        (build("fisinf", build("exp", F)), invert(build("fgt", F, const(LARGEST_EXPONENT)))),
        (build("fisinf", F), both(build("fgt", F, const(-9.0)), build("flt", F, const(9.0)))),
    ],
)
def test_a_path_removes_a_check(check: Node, path: Node) -> None:
    assert simplify(check, path) is FALSE
