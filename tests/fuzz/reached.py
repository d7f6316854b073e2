"""What every full run must reach: constructs, deviation reasons, a share that compiles."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz import nested_rules
from tests.fuzz.rules import BRANCHES

NESTED_RULES = (
    *nested_rules.LIST_NUMBERS, *nested_rules.DATE_NUMBERS, *nested_rules.LIST_TEXTS,
    *nested_rules.DATE_TEXTS, *nested_rules.NESTED_TESTS, *nested_rules.DATE_TESTS,
    *nested_rules.LISTS, *nested_rules.OBJECTS, *nested_rules.MOMENTS,
)  # fmt: skip
NESTED_STATEMENTS = frozenset({
    "append to a new list", "assignment of a list", "break", "continue", "else of a loop",
    "else of a try", "except as", "finally", "for in a for", "for over a range",
    "for over dicts", "for over ints", "for over items of a dict", "for over strs",
    "function in a function", "iterator in a local", "list methods", "match on a mapping",
    "match on a sequence", "match on a value", "new dict by keys", "raise in a handler",
    "return a built list", "return an object", "return in a handler", "return inside a loop",
    "second except", "try", "two names for a list", "while", "with suppress",
})  # fmt: skip

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


@dataclass(frozen=True)
class Wanted:
    """What a full run over one grammar must reach."""

    constructs: frozenset[str]
    reasons: frozenset[str]
    enough: int  # functions in which each construct and each deviation reason must occur
    compiled_share: float
    median_operations: float


WANTED = {
    "core": Wanted(CONSTRUCTS, REASONS, enough=20, compiled_share=0.90, median_operations=8),
    # The share is raised as more of the language compiles; it never goes down.
    "nested": Wanted(
        NESTED_STATEMENTS | {label for _, label, _ in NESTED_RULES},
        frozenset(),
        enough=2,
        compiled_share=0.55,
        median_operations=8,
    ),
}
