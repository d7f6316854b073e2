"""Finds row loops in Python files and notebooks, without running them."""

from batchprep.lint.finding import Edit, Finding, Place, Problem, Report, Verdict
from batchprep.lint.linting import lint
from batchprep.lint.rules import RULES, Rule, chosen_rules

__all__ = [
    "RULES",
    "Edit",
    "Finding",
    "Place",
    "Problem",
    "Report",
    "Rule",
    "Verdict",
    "chosen_rules",
    "lint",
]
