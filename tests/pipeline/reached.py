"""What the chains of a full run must reach, and how often."""

from __future__ import annotations

from tests.pipeline.example import FUNCTION_KINDS, KINDS

NEIGHBOURS = {("neighbours", f"{one}, {other}"): 1 for one in KINDS for other in KINDS}
STEPS = {("step", kind): 40 for kind in KINDS}
FAILING = {("failure in step", kind): 15 for kind in (*FUNCTION_KINDS, "with_columns")}
POSITIONS = {
    ("failure at position", str(n)): least for n, least in enumerate((50, 30, 15, 6, 2), 1)
}
CALLS = {
    ("on_error", f"{on_error} of {via}"): 6
    for on_error in ("raise", "null", "drop")
    for via in ("list", "iterator", "arrow", "pandas", "polars")
}
CONSTRUCTS = {
    ("construct", label): least
    for label, least in {
        "writes into the record and returns it": 10,
        "writes into the record, returns something else": 3,
        "return the record": 5,
        "map to a scalar": 10,
        "map to anything": 5,
        "None of a filter_map": 10,
        "logs what it sees": 5,
        "rename: swap": 5,
        "flat_map: generator": 10,
        "flat_map: generator that raises midway": 5,
        "flat_map to the record itself": 5,
        **{f"flat_map: {kind}": 1 for kind in (
            "list", "tuple", "empty list", "dict view", "iterator", "generator expression",
            "None is no iterable", "a number is no iterable", "values of the record",
        )},
    }.items()
}  # fmt: skip
RESULTS = {("results before a failure", "True"): 5}

REACHED = {**NEIGHBOURS, **STEPS, **FAILING, **POSITIONS, **CALLS, **CONSTRUCTS, **RESULTS}

# Of a hundred chains on a backend that compiles.
COMPILED = {
    ("compiled", "whole chain, records"): 15,
    ("compiled", "whole chain, columns"): 10,
    ("compiled", "part of it, columns"): 5,
}
