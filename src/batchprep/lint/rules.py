"""What is looked for: one rule for each kind of row loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from batchprep.errors.nearest import nearest_names
from batchprep.lint import messages


@dataclass(frozen=True)
class Rule:
    """A kind of row loop: its number for `# noqa`, its name, and what it is."""

    id: str
    name: str
    summary: str


RULES: Final[tuple[Rule, ...]] = (
    Rule("BP001", "iterrows", "a loop over DataFrame.iterrows()"),
    Rule("BP002", "itertuples", "a loop over DataFrame.itertuples()"),
    Rule("BP003", "apply-rows", "DataFrame.apply(..., axis=1)"),
    Rule("BP004", "append-loop", "a loop over records that appends to one list"),
    Rule("BP005", "comprehension", "a comprehension over records"),
    Rule("BP006", "map-call", "map() of a row function over records"),
    Rule("BP007", "dataset-map", "Dataset.map() of a row function, one row at a time"),
    Rule("BP008", "gathering-loop", "a loop over records that gathers several things"),
)
RULE: Final = {rule.id: rule for rule in RULES}


def chosen_rules(select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """The ids of the rules to report; "BP00" stands for all that begin so, nothing for all.

    Errors:  ValueError where no rule begins so
    """
    wanted = _matching(select) or frozenset(RULE)
    return wanted - _matching(ignore)


def _matching(given: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for prefix in given:
        matches = {rule for rule in RULE if prefix and rule.startswith(prefix.upper())}
        if not matches:
            near = nearest_names(prefix.upper(), RULE)
            raise ValueError(messages.no_rule_text(prefix, near or tuple(RULE)))
        found |= matches
    return frozenset(found)
