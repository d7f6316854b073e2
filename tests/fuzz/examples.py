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

    `rebind` are globals of the function's module that change before the call; a dict changes in
    place. With `strays` the
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
    "`or` keeps its operand only where it is true": Example(
        source="""
def f(r):
    if 1 < (r["a"] or 1):
        return 1
    return "red" != (r["c"] or "red")
""",
        calls=(
            Call(rows=[{"a": -162, "c": None}, {"a": 0, "c": "blue"}, {"a": 5, "c": ""}]),
            Call(rows=[{"a": None, "c": "red"}, {"a": 2.5, "c": ""}]),
        ),
    ),
    "an int is never beyond infinity": Example(
        source="""
INFINITE = float("inf")

def f(r):
    if r["a"] > INFINITE:
        return r["a"] + 1
    if r["a"] < -INFINITE:
        return r["a"] // 0
    return -r["a"]
""",
        calls=(Call(rows=[{"a": 3}, {"a": -(2**63)}, {"a": 2**53 + 1}]),),
    ),
    "a column that a table does not have is an absent key": Example(
        source="""
def f(r):
    return r["nothing"] / 2 if "nothing" in r else r.get("nothing", r["a"])
""",
        calls=(
            Call(rows=[{"a": 3}, {"a": None}], via="arrow"),
            Call(rows=[{"a": 3}, {"a": None}]),
        ),
    ),
    "a failed row of a table has no values of its record": Example(
        source="""
def f(r):
    return {**r, "b": r["a"] // r["b"]}
""",
        calls=(Call(rows=[{"a": 3, "b": 0, "c": "x"}, {"a": 3, "b": 2, "c": "y"}], via="arrow"),),
    ),
    "a table that changes in place is read again": Example(
        source="""
PRICES = {"red": 1, "green": 2.5}

def f(r):
    return PRICES[r["c"]] + PRICES.get(r["d"], 0)
""",
        calls=(
            Call(rows=[{"c": "red", "d": "green"}, {"c": "blue", "d": "red"}]),
            Call(
                rows=[{"c": "red", "d": "green"}, {"c": "blue", "d": "red"}],
                rebind={"PRICES": {"red": 30, "green": 0.5}},
            ),
        ),
    ),
    "a key that is written again keeps its place": Example(
        source="""
def f(r):
    out = {"x": 1, "y": 2}
    if r["a"]:
        out["z"] = 3
    out["x"] = r["a"]
    return out
""",
        calls=(Call(rows=[{"a": 0}, {"a": 4}]),),
    ),
    "a batch without rows has no texts": Example(
        source="""
def f(r):
    t = "%05.1f|%s" % (r["a"], r["s"])
    return f"{r['s']}-{r['s']}" + t.strip()
""",
        calls=(Call(rows=[]), Call(rows=[{"a": 0.5, "s": "x"}])),
    ),
    "a list that JSON holds has no column": Example(
        source="""
import json

def f(r):
    v = json.loads(r["s"]).get("a")
    return v > v
""",
        calls=(Call(rows=[{"s": '{"a": {"b": 1}}'}, {"s": '{"a": [1]}'}, {"s": '{"a": 2}'}]),),
    ),
    "a text that no column holds deviates on its own branch": Example(
        source="""
import json

def parsed(s, plain):
    if plain:
        return 1
    return json.loads(s)["a"]

def f(r):
    v = json.loads(r["s"])["a"] if r["a"] else 1
    if r["a"]:
        w = json.loads(r["s"])["a"]
    else:
        w = "x"
    return (v == 1, w < "y", parsed(r["s"], r["a"]) == v)
""",
        calls=(
            Call(
                rows=[
                    {"s": '{"a": "\\ud800"}', "a": True},
                    {"s": '{"a": [1]}', "a": False},
                    {"s": '{"a": "x"}', "a": True},
                ]
            ),
        ),
    ),
    "a lone surrogate goes through other texts": Example(
        source="""
def f(r):
    return (f"{chr(r['n'])}|", "%c" % r["n"], chr(r["n"]).upper() + "a", f"{r['n']:c}")
""",
        calls=(Call(rows=[{"n": 0xD800}, {"n": 97}, {"n": -1}]),),
    ),
    "groups of a match may be given a default of any kind": Example(
        source="""
import re

PAIR = re.compile("a(b)?(c)?")

def f(r):
    m = PAIR.search(r["s"])
    if m is None:
        return "none"
    return (m.groups(0)[0], m.group(1, 2)[1], m.groupdict(7).get("k", 1))
""",
        calls=(Call(rows=[{"s": "a"}, {"s": "abc"}, {"s": "x"}]),),
    ),
    "a step of 0 raises though it is a constant": Example(
        source="""
def f(r):
    head = r["s"][0:2:0]
    return 1
""",
        calls=(Call(rows=[{"s": "abc"}]),),
    ),
    "`in` of what is no container raises": Example(
        source="""
import json

def f(r):
    return "a" in json.loads(r["s"])
""",
        calls=(Call(rows=[{"s": "null"}, {"s": '{"a": 1}'}, {"s": "7"}, {"s": '"abc"'}]),),
    ),
    "a list that a function joins is read again": Example(
        source="""
NAMES = {"a": 1}
LETTERS = {97: "b"}

def f(r):
    return ",".join(NAMES) + r["s"].translate(LETTERS)
""",
        calls=(
            Call(rows=[{"s": "abc"}]),
            Call(rows=[{"s": "abc"}], rebind={"NAMES": {"z": 1}, "LETTERS": {97: "ß"}}),
        ),
    ),
    "a replacement by a function of the user's sees its globals": Example(
        source="""
import re

SIGN = "<"


def replaced(match):
    return SIGN + match.group()


def f(r):
    return re.sub("[a-z]", replaced, r["s"])
""",
        calls=(Call(rows=[{"s": "ab"}]), Call(rows=[{"s": "ab"}], rebind={"SIGN": ">"})),
    ),
}
