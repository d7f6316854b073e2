"""Faults that the fuzzer has found: each runs on every backend in every test run."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, Literal

from tests.fuzz.records import Form

OnError = Literal["raise", "null", "drop"]
Via = Literal["list", "iterator", "arrow"]


@dataclass(frozen=True)
class Call:
    """One call of the row function: rows (dicts), how they are handed over, and what failures do.

    `rebind` are globals of the function's module that change before the call. With `strays` the
    rows are repeated until the inference of the schema samples them, and the strays stand where
    it does not look: values of a kind that their column does not have.
    """

    rows: list[dict[str, Any]]
    on_error: OnError = "null"
    via: Via = "list"
    rebind: dict[str, Any] = field(default_factory=dict)
    strays: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Example:
    """A module's source with a row function `f`, and calls of it.

    The rows of a call stand for records of the form: dicts, dataclasses or named tuples.
    """

    source: str
    calls: tuple[Call, ...]
    form: Form = "dict"
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    effect: bool = False  # f writes into its record and returns something else


EXAMPLES: dict[str, Example] = {
    "the article's task": Example(
        source="""
def f(r):
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value ** 0.5
""",
        calls=(
            Call(rows=[{"price": 2.5, "volume": 100_000}, {"price": 1.0, "volume": 3}]),
            Call(rows=[{"price": nan, "volume": 1}, {"price": inf, "volume": 2**53 + 1}]),
            Call(rows=[{"price": 1.0, "volume": None}, {"price": 1.0}], on_error="raise"),
        ),
    ),
}
