"""What a run of the fuzzer reached: functions, constructs, deviation reasons."""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.reached import Wanted

FUNCTION = "function of other kinds"
_KIND = "(?:absent|none|bool|int|float|str|date|datetime|timedelta|list|tuple|struct|other)"
_KINDS = f"{_KIND}(?: or {_KIND})*"
# A reason names fields, keys, functions and kinds: what is counted is the reason behind it.
GENERAL: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"'[^']*'|\"[^\"]*\""), "..."),
    (re.compile(rf"\bof {_KINDS}(?: and {_KINDS})*$"), "of other kinds"),
    (re.compile(rf"^{_KINDS} (\S+) {_KINDS}$"), r"\1 of other kinds"),
    (re.compile(r"^irregular value in .*"), "irregular value"),
    (re.compile(r"^math\.\w+ (domain|range) error"), r"math function: \1 error"),
    (re.compile(r"^(math\.\w+( or math\.\w+)?|abs|len|round|int|float) of other kinds"), FUNCTION),
    (re.compile(r"^[^\w\s]{1,2} of other kinds"), "operator of other kinds"),
    (re.compile(r"^KeyError: .*"), "KeyError: ..."),
    (re.compile(r"^table key of kind .*"), "table key of other kinds"),
    (re.compile(r"^\S+( \S+ \d+)? that raises$"), "text function that raises"),
    (re.compile(r"^\S+: \w+Error$"), "text function of constants that raises"),
    (re.compile(r"^result of .* that no column holds$"), "result that no column holds"),
    (re.compile(r"^(\.|pattern\.)\w+ of other kinds$"), "text function of other kinds"),
    (re.compile(r"^\w+ (has no value|may have no value)"), r"... \1"),
)


@dataclass
class Counts:
    """Counts of one shard or of a whole run; a construct counts once per function."""

    functions: Counter[str] = field(default_factory=Counter)  # by backend
    compiled: Counter[str] = field(default_factory=Counter)  # by backend
    operations: Counter[int] = field(default_factory=Counter)  # functions of that many
    constructs: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # functions in which rows deviate
    deviations: Counter[str] = field(default_factory=Counter)  # rows
    unsupported: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)  # rows, failed

    def add(self, other: Counts) -> None:
        for name, counter in vars(other).items():
            getattr(self, name).update(counter)

    def to_dict(self) -> dict[str, list[list[Any]]]:
        """Plain data, for the trip from a worker process to the one that prints."""
        return {name: [list(item) for item in c.items()] for name, c in vars(self).items()}

    @staticmethod
    def from_dict(data: dict[str, list[list[Any]]]) -> Counts:
        return Counts(**{name: Counter(dict(items)) for name, items in data.items()})

    @property
    def median_operations(self) -> float:
        return statistics.median(self.operations.elements())

    @property
    def compiled_share(self) -> float:
        return self.compiled.total() / self.functions.total()


def reason_group(reason: str) -> str:
    """The reason without the names in it."""
    for pattern, general in GENERAL:
        reason = pattern.sub(general, reason)
    return reason


def operations_of(source: str) -> int:
    """Operators, comparisons, conditional expressions and calls in the functions of a module."""
    functions = [node for node in ast.parse(source).body if not _is_constant(node)]
    return sum(_weight(node) for function in functions for node in ast.walk(function))


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Lambda)


def _weight(node: ast.AST) -> int:
    if isinstance(node, ast.Compare):
        return len(node.ops)
    return isinstance(
        node, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Call, ast.AugAssign)
    )


def shortfalls(counts: Counts, wanted: Wanted) -> list[str]:
    """What the run did not reach, one sentence each."""
    found = [
        f"{what} {name!r}: {reached[name]} functions, at least {wanted.enough} wanted"
        for what, names, reached in (
            ("construct", wanted.constructs, counts.constructs),
            ("deviation", wanted.reasons, counts.reasons),
        )
        for name in sorted(names)
        if reached[name] < wanted.enough
    ]
    if counts.compiled_share < wanted.compiled_share:
        found.append(f"{counts.compiled_share:.1%} of the functions compile")
    if counts.median_operations < wanted.median_operations:
        found.append(f"a median of {counts.median_operations} operations a function")
    return found


def table(counts: Counts) -> str:
    """The counts as text."""
    ran = ", ".join(
        f"{n:,} on {backend} ({counts.compiled[backend]:,} compiled)"
        for backend, n in sorted(counts.functions.items())
    )
    lines = [
        f"functions: {ran}; median {counts.median_operations:g} operations",
        f"rows: {counts.rows['rows']:,}, of which {counts.rows['failed']:,} raise",
        "constructs (functions): " + _listed(counts.constructs),
        "deviation reasons (functions): " + _listed(counts.reasons),
        "deviating rows: " + _listed(counts.deviations),
        "not compiled: " + (_listed(counts.unsupported) or "none"),
    ]
    return "\n".join(lines)


def _listed(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counter.most_common())
