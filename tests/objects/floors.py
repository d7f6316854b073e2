"""What must compile at least, and what is known to differ.

The floors are raised when more of the language compiles; they never go down.
"""

from __future__ import annotations

import os

# Cases of the table that compile on numpy over plain records, by group; absent means 0.
TABLE: dict[str, int] = {
    "decimal": 71,
    "fraction": 19,
    "complex": 16,
    "bytes": 44,
    "numpy": 61,
    "statistics": 8,
    "operator": 17,
    "zoned": 104,
    "times of day": 39,
    "timestamps": 14,
    "enums": 66,
    "dataclasses": 35,
    "read only tables": 14,
    "tables": 54,
    "modules": 44,
    "functions of numbers": 10,
    "functions of times": 7,
    "functions of tables": 11,
}

# Cases that compile and deviate on more rows than those that raise or that no int64 holds, and
# why. The list only shrinks.
DEVIATING: dict[str, str] = {
    'int(r["f"])': "ints beyond 64 bits",
    'operator.truediv(r["n"], r["m"])': "ints that a float rounds",
    'r["x"] ** 0.5': "a complex number where a float is expected",
    'datetime.fromisoformat(r["iso"])': "texts with a zone among texts without",
    'datetime.fromisoformat(r["iso"]).utcoffset()': "texts with a zone among texts without",
    "MIXED[NAN]": "a NaN is found by identity alone",
}

# Kernels of numba take a second each to compile: it gets each n-th case, and a third each night.
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NUMBA_EVERY_CASE = 3 if IS_NIGHTLY else 40
