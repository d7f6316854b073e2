"""Objects of the user's own classes that join lists, tuples and dicts made by the function."""

from decimal import Decimal

import pytest

import batchprep as bp


class Level(int):
    """A subclass, which may do anything."""


class Own:
    """An object that is itself alone."""


def copied(r):
    if r["a"]:
        return dict(r)
    return round(r["b"], 2)


def in_a_dict(r):
    if r["a"]:
        return {"x": r["o"]}
    return round(r["b"], 2)


def in_a_list(r):
    if r["a"]:
        return [r["o"], 1]
    return round(r["b"], 2)


def in_a_tuple(r):
    found = (r["o"], 1) if r["a"] else r["b"]
    return {"found": found}


def joined_with_a_record(r):
    return {**r, "b": 1} if r["a"] else r["o"]


FUNCTIONS = [copied, in_a_dict, in_a_list, in_a_tuple, joined_with_a_record]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "held", [Level(3), Own(), [Own()], {"k": Level(2)}], ids=["int", "object", "list", "dict"]
)
@pytest.mark.parametrize("backend", ["numpy", "python", "auto"])
def test_they_are_in_the_result_where_a_branch_makes_them_part_of_it(function, held, backend):
    records = [
        {"a": 1, "b": Decimal(1), "o": held},
        {"a": 0, "b": Decimal("2.555"), "o": held},
        {"a": 1, "b": Decimal(3), "o": 4},
    ]
    expected = [function(r) for r in records]
    with bp.use(backend=backend):
        found = bp.vectorize(function)(records)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))
    assert repr(found) == repr(expected)
