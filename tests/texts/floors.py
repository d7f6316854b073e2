"""What must compile at least, and how far a compiled function may deviate.

The floors are raised when more of the language compiles; they never go down.
"""

from __future__ import annotations

import os

# Row functions over CPython's records, compiled on numpy.
RECORDED_CONSTANTS = 2_014  # one function for each method and tuple of constant arguments
RECORDED_FIELDS = 200  # one batch for each method and kinds of arguments, arguments from the row
RECORDED_FORMATS = 120  # one function for each format left of a %
RECORDED_MATH = 7  # one function for each name in math, its argument a float
RECORDED_MATH_OF_TEXT = 7  # the same, of float(text)

# Cases of the table that compile on numpy over clean texts, by group; absent means 0.
TABLE: dict[str, int] = {
    "strip and case": 29,
    "affixes": 21,
    "split": 42,
    "join and replace": 24,
    "find": 27,
    "predicates": 19,
    "padding": 11,
    "slices": 30,
    "operators": 45,
    "int of text": 18,
    "float of text": 16,
    "str and repr": 27,
    "characters": 14,
    "f strings": 59,
    "percent": 28,
    "str format": 25,
    "missing": 26,
    "regex": 60,
    "json": 18,
    "hashes and bytes": 16,
    "tables": 61,
    "unpacking": 11,
    "casts that may fail": 6,
    "cleaning": 12,
    "loops over characters": 5,
    "closures": 4,
}

# Cases of the table that read some column of texts by row.
BY_ROW = 121

# Of all rows, how many may deviate beyond those that raise or that no column of their kind holds.
SHARES = {"ascii": 0.01, "texts": 0.02, "dirty": 0.05}

# Cases that deviate on more rows than that so far, on some level. The list only shrinks.
DEVIATING = frozenset(
    {
        'r["s"] + r["t"]',
        'r["t"] * 3',
        '3 * r["t"]',
        'r["t"] * r["w"]',
        'r["t"] * 0 + r["s"]',
        'r["x"] in (0.0, float("nan"), 2.5)',
        'int(r["n"]) > 2**63 - 1',
        'json.loads(r["j"])',
        'json.loads(r["j"])["a"]',
        'json.loads(r["j"]).get("a")',
        'json.loads(r["j"]).get("a", 0)',
        'json.loads(r["j"] or "{}").get("b", [])',
        'int(hashlib.md5(r["s"].encode()).hexdigest(), 16) % 100',
        'NESTED.get(r["k"], {}).get("names", ())[:1]',
    }
)

# Kernels of numba take a second each to compile: it gets each n-th function, and all each night.
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NUMBA_EVERY_RECORDED = 1 if IS_NIGHTLY else 40
NUMBA_EVERY_CASE = 1 if IS_NIGHTLY else 12
