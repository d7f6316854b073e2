"""What every full run must reach at least 20 times: constructs and deviation reasons."""

from __future__ import annotations

from tests.fuzz.rules import BRANCHES

STATEMENTS = frozenset({
    "assignment", "augmented assignment", "call arguments", "changed global", "closure",
    "dict built by statements",
    "dict(r)", "dicts joined by a branch", "early return", "early return in a helper",
    "field that no record has", "global or closure", "if/elif/else", "lambda", "local",
    "assert", "nested if", "raise", "r.get(name)", "r.get(name, default)", "r.name", "r[name]",
    "r[name] = value", "return None", "return a dict", "return a list",
    "return a scalar", "return a tuple",
    "match object", "parsed JSON", "parts of a split", "text +=", "text assignment",
    "text helper", "text local", "text unpacking",
    "return r", "return the record", "truthiness", "tuple unpacking", "{**r, ...}",
})  # fmt: skip

CONSTRUCTS = STATEMENTS | {
    label for groups in BRANCHES.values() for _, rules in groups for _, label, _ in rules if label
}

# As tests.fuzz.counts.reason_group writes them: without names.
REASONS = frozenset({
    "AttributeError: ...", "KeyError of a constant table", "KeyError: ...",
    "a power that is complex",
    "0 cannot be raised to a negative power", "0.0 cannot be raised to a negative power",
    "division by zero", "float division by zero", "float floor division by zero", "float modulo",
    "float power out of range", "function of other kinds", "int beyond 2**53 against a float",
    "int beyond 2**53 in a division", "int beyond 64 bits", "int of infinity", "int of nan",
    "integer division or modulo by zero", "irregular value", "math function: domain error",
    "math function: range error", "negative shift count", "operator of other kinds",
    "result that no column holds", "text function of other kinds", "text function that raises",
    "round of an int to tens", "in a chunk where more than 30% of the rows deviate",
})  # fmt: skip
