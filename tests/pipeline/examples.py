"""Chains worth to be run each time, on every backend: what was wrong once, or easily is."""

from __future__ import annotations

from tests.pipeline.example import Call, Example, Step

EXAMPLES: dict[str, Example] = {
    "what a generator gave before it raised comes out": Example(
        source="""
def f(r):
    yield {"x": r["a"]}
    yield {"x": 6 // r["a"]}

def g(r):
    return r["x"] * 2
""",
        steps=(Step("flat_map", "f"), Step("map", "g")),
        calls=tuple(
            Call([{"a": 3}, {"a": 0}, {"a": 2}], via, on_error)
            for via in ("list", "iterator", "arrow")
            for on_error in ("null", "drop", "raise")
        ),
    ),
    "a failing sub-row is the only one that fails": Example(
        source="""
def f(r):
    return [{"x": r["a"]}, {"x": 0}, {"x": -r["a"]}]

def g(r):
    return {"y": 6 // r["x"]}
""",
        steps=(Step("flat_map", "f"), Step("map", "g")),
        calls=tuple(
            Call([{"a": 3}, {"a": 1}], via, on_error)
            for via in ("list", "iterator", "arrow", "pandas", "polars")
            for on_error in ("null", "drop", "raise")
        ),
    ),
    "the first failure is that of the first row, not that of the first step": Example(
        source="""
def f(r):
    return {"x": 6 // r["a"]}

def g(r):
    return 1.0 / r["x"]
""",
        steps=(Step("map", "f"), Step("map", "g")),
        calls=(
            Call([{"a": 3}, {"a": 7}, {"a": 0}], "list", "raise"),
            Call([{"a": 3}, {"a": 7}, {"a": 0}], "iterator", "raise"),
            Call([{"a": 3}, {"a": 7}, {"a": 0}], "list", "null"),
            Call([{"a": 0}, {"a": 7}, {"a": 0}], "arrow", "drop"),
        ),
    ),
    "an int stays an int between steps": Example(
        source="""
def f(r):
    return {"x": 0 if r["a"] < 2 else r["a"] / 2}

def g(r):
    return [isinstance(r["x"], int), r["x"] + 2**53 + 1]
""",
        steps=(Step("map", "f"), Step("map", "g")),
        calls=(Call([{"a": 1}, {"a": 3}]), Call([{"a": 1}, {"a": 3}], "iterator")),
    ),
    "an int past 64 bits goes from step to step": Example(
        source="""
def f(r):
    return {"x": r["a"] * 2**40}

def g(r):
    return r["x"] // 2**40
""",
        steps=(Step("map", "f"), Step("map", "g")),
        calls=(Call([{"a": 5}, {"a": 2**40}, {"a": -(2**62)}]),),
    ),
    "an absent key stays absent through select, drop and rename": Example(
        source="""
def f(r):
    return ("a" in r, "p" in r, "c" in r, r.get("p", "none"))
""",
        steps=(
            Step("select", ("c", "b", "a")),
            Step("rename", {"b": "p"}),
            Step("drop", ("c",)),
            Step("map", "f"),
        ),
        calls=(
            Call([{"a": 1, "b": 2, "c": 3}, {"a": 1}, {"c": 1}, {"b": None, "a": 0}]),
            Call([{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": None, "c": 3}], "arrow"),
        ),
    ),
    "functions of with_columns see the row as it came in": Example(
        source="""
def f(r):
    return r["a"] + 1

def g(r):
    return r["a"] * 10
""",
        steps=(Step("with_columns", {"a": "f", "b": "g"}),),
        calls=tuple(
            Call([{"a": 1}, {"a": 2}], via) for via in ("list", "arrow", "pandas", "polars")
        ),
    ),
    "a renamed column keeps its place, and two may swap": Example(
        source="",
        steps=(Step("rename", {"a": "b", "b": "a"}), Step("select", ("c", "a", "b"))),
        calls=tuple(
            Call([{"a": 1, "b": 2.5, "c": "x"}], via)
            for via in ("list", "arrow", "pandas", "polars")
        ),
    ),
    "a name that is taken is overwritten": Example(
        source="",
        steps=(Step("rename", {"a": "b"}),),
        calls=(Call([{"a": 1, "b": 2.5, "c": "x"}, {"b": 1, "a": 2}]),),
    ),
    "filters keep what Python takes for true": Example(
        source="""
def f(r):
    return r["a"]
""",
        steps=(Step("filter", "f"),),
        calls=(
            Call([{"a": value} for value in (0, 1, 0.0, -0.0, float("nan"), None, "", "x", True)]),
            Call([{"a": value} for value in (0.0, -0.0, float("nan"), None, 1.5)], "arrow"),
            Call([{"a": value} for value in ("", "0", None)], "arrow"),
        ),
    ),
    "a function of the record alone may be followed by one of its result": Example(
        source="""
def f(r):
    if r["a"] > 1:
        return r["a"]

def g(x):
    return x * 2 if x is not None else "none"
""",
        steps=(Step("map", "f"), Step("map", "g")),
        calls=(Call([{"a": 1}, {"a": 3}]), Call([{"a": 1}, {"a": 3}], "iterator", "drop")),
    ),
    "the same function stands in a chain twice": Example(
        source="""
def f(r):
    return {"a": r["a"] * 2, "b": r["a"]}
""",
        steps=(Step("map", "f"), Step("map", "f"), Step("map", "f")),
        calls=(Call([{"a": 1}, {"a": 2**62}, {"a": None}]), Call([{"a": 1.5}], "arrow")),
    ),
    "a record that is exploded into itself is handed on": Example(
        source="""
def f(r):
    return [r, r]

def g(r):
    r["n"] = r["a"] + 1
    return r
""",
        steps=(Step("flat_map", "f"), Step("map", "g")),
        calls=(Call([{"a": 1}, {"a": 2}]),),
        copies=("g",),
    ),
    "StopIteration of a row function fails its row": Example(
        source="""
EMPTY = ()

def f(r):
    return next(iter(EMPTY)) if r["a"] else r["a"]
""",
        steps=(Step("map", "f"),),
        calls=tuple(
            Call([{"a": 0}, {"a": 1}, {"a": 0}], via, on_error)
            for via in ("list",)
            for on_error in ("null", "drop", "raise")
        ),
    ),
    "no rows are no reason to miss a column": Example(
        source="""
def f(r):
    return r["a"]

def g(r):
    return {"x": 1} if r["b"] is not None else None
""",
        steps=(
            Step("select", ("a", "b")),
            Step("with_columns", {"c": "f"}),
            Step("filter_map", "g"),
            Step("select", ("x",)),
        ),
        calls=(
            Call([]),
            Call([], "iterator", "raise"),
            Call([{"a": 1, "b": None}]),
            Call([{"a": 1, "b": None}, {"a": 1, "b": 2}], "arrow"),
            Call([{"a": 1, "b": 2}]),
        ),
    ),
    "a step that no row reaches is not refused": Example(
        source="""
def f(r):
    return r["d"] == 1

def g(r):
    return None
""",
        steps=(
            Step("filter", "f"),
            Step("rename", {"d": "p"}),
            Step("filter_map", "g"),
            Step("drop", ("x",)),
        ),
        calls=(Call([{"d": None}]), Call([{"d": None}, {"d": 1}]), Call([{"d": 1}], "arrow")),
    ),
    "a failed row of an exploded frame is a row of missing values": Example(
        source="""
def f(r):
    return [r]

def g(r):
    return {"x": 8 // r["a"]}
""",
        steps=(Step("flat_map", "f"), Step("map", "g")),
        calls=(Call([{"a": 4}, {"a": 0}], "pandas"), Call([{"a": 4}, {"a": 0}], "pandas", "drop")),
    ),
    "rows are counted up to the one that fails": Example(
        source="""
def f(r):
    return r["a"] > 0

def g(r):
    return 7
""",
        steps=(Step("filter", "f"), Step("flat_map", "g")),
        calls=tuple(
            Call([{"a": 1}, {"a": 2}], via, "raise")
            for via in ("list", "iterator", "arrow", "pandas", "polars")
        ),
    ),
    "a row that fails late in the chain comes before one that fails early": Example(
        source="""
def f(r):
    return {"k": 10 // r["a"], "c": r["c"]}

def g(r):
    return [{"x": 1}[r["c"]]]
""",
        steps=(Step("map", "f"), Step("flat_map", "g")),
        calls=tuple(
            Call([{"a": 1, "c": "x"}, {"a": 1, "c": "y"}, {"a": 0, "c": "x"}], via, on_error)
            for via in ("list", "iterator", "arrow", "pandas", "polars")
            for on_error in ("raise", "null", "drop")
        ),
    ),
    "no rows give no results": Example(
        source="""
def f(r):
    return [r["a"], r["b"]]

def g(x):
    return x + 1
""",
        steps=(Step("flat_map", "f"), Step("filter", "g"), Step("map", "g")),
        calls=(Call([]), Call([], "iterator", "raise"), Call([{"a": 1, "b": -1}])),
    ),
}
