"""What the numbers should be: a text with the figure, and whether it is met."""

from __future__ import annotations

from benchmarks import words
from benchmarks.contest import OURS
from benchmarks.suite import Case

Aim = tuple[str, bool]


def ratio_of(case: Case, name: str, to: str = OURS) -> float:
    """How many times as long as `to` a contestant takes."""
    return case["times"][name]["median_seconds"] / case["times"][to]["median_seconds"]


def at_least(who: str, title: str, ratio: float, least: float) -> Aim:
    """That we are so many times as fast as someone; below 1, that much behind at most."""
    need = "ahead of" if least == 1 else f"{words.ratio(least)} times as fast as"
    return f"{who}: {need} {title} ({words.ratio(ratio)})", ratio >= least


def at_most(what: str, value: float, most: float, unit: str = "") -> Aim:
    return f"{what} at most {most:g}{unit} ({value:.3g}{unit})", value <= most
