"""What every full run must reach at least 20 times: constructs and deviation reasons."""

from __future__ import annotations

from tests.fuzz.rules import BRANCHES

STATEMENTS = frozenset({
    "assignment", "augmented assignment", "call arguments", "changed global", "closure",
    "dict built by statements", "dict(r)", "early return", "early return in a helper",
    "field that no record has", "global or closure", "if/elif/else", "lambda", "local",
    "nested if", "r.get(name)", "r.get(name, default)", "r.name", "r[name]",
    "r[name] = value", "return None", "return a dict", "return a scalar", "return a tuple",
    "return r", "return the record", "truthiness", "tuple unpacking", "{**r, ...}",
})  # fmt: skip

CONSTRUCTS = STATEMENTS | {
    label for groups in BRANCHES.values() for _, rules in groups for _, label, _ in rules if label
}

# As tests.fuzz.counts.reason_group writes them: without names.
REASONS: frozenset[str] = frozenset()
