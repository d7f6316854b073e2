"""What must compile at least. The floors are raised when more compiles; they never go down."""

from __future__ import annotations

import os

# Cases of the table that compile on numpy over plain records, by group; absent means 0.
TABLE: dict[str, int] = {}

# Kernels of numba take a second each to compile: it gets each n-th case, and all each night.
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NUMBA_EVERY_CASE = 1 if IS_NIGHTLY else 6
