"""What must compile at least. The floors are raised when more compiles; they never go down."""

from __future__ import annotations

import os

# Cases of the table that compile on numpy over plain records, by group; absent means 0.
TABLE: dict[str, int] = {
    "nested records": 42,
    "dates": 8,
    "list fields": 57,
    "comprehensions": 35,
    "for loops": 43,
    "while loops": 14,
    "functions": 24,
    "lists of dicts": 27,
    "match and iterators": 13,
    "try and raise": 41,
    "partial fallback": 31,
    "mutation": 26,
    "hazards": 48,
}

# Kernels of numba take a second each to compile: it gets each n-th case, and all each night.
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NUMBA_EVERY_CASE = 1 if IS_NIGHTLY else 6
