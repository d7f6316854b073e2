"""Each construct of a row function against the row loop, value by value, on every backend."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from tests.rowfn.constructs import FUNCTIONS, X, check, outcome


# ~True is deprecated from Python 3.12 on: the loop warns, a kernel does not.
@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_construct_equals_the_row_loop(name: str, backend: str) -> None:
    records = copy.deepcopy(X)
    records += [{"x": 3}, {"s": "a"}, {"x": "text", "s": 5}, {"x": 2**70, "s": None}]
    check(FUNCTIONS[name], records, backend)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_clean_rows_do_not_deviate(name: str) -> None:
    fails_by_nature = {"missing", "math constant"}
    records = [{"x": float(x), "s": "abcd"[x % 4]} for x in range(1, 9)]
    if name in fails_by_nature or outcome(FUNCTIONS[name], records[0]) == outcome(min, None):
        return
    failing = sum(isinstance(outcome(FUNCTIONS[name], r), tuple) for r in records)
    check(FUNCTIONS[name], records, "numpy", share=failing / len(records))


@dataclass
class Point:
    x: float | None
    s: str


class Pair(NamedTuple):
    x: float | None
    s: str


@pytest.mark.parametrize("form", [Point, Pair])
def test_attributes_of_objects(form: Any, backend: str) -> None:
    records = [form(r["x"], r["s"]) for r in X]

    check(lambda r: r.x * 2 if r.s == "a" else r.x, records, backend)
    check(lambda r: r, records, backend)
