"""What the numbers should be, and whether they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks import words
from benchmarks.peers import peer
from benchmarks.suite import Case

AHEAD_OF: Final = ("numpy", "pandas", "numexpr", "pyarrow", "duckdb")
WARM_SECONDS: Final = 1e-4
FALLBACK: Final = 1.1
LARGE: Final = 10_000_000
SMALL: Final = 1_000

Aim = tuple[str, bool]


def of_article(cases: list[Case]) -> Iterator[Aim]:
    """Ahead of the vectorised peers at 10M rows, and a warm call of 1,000 rows in 0.1 ms."""
    for case in cases:
        if case["form"] != "arrow" or "times" not in case:
            continue
        if case["rows"] == LARGE:
            yield from (_ahead(case, name) for name in AHEAD_OF)
        if case["rows"] == SMALL:
            seconds = case["times"]["batchprep"]["median_seconds"]
            text = f"{case['task']}: warm call of 1,000 rows in 0.1 ms ({words.duration(seconds)})"
            yield text, seconds <= WARM_SECONDS


def _ahead(case: Case, name: str) -> Aim:
    ratio = case["times"][name]["ratio"]
    text = f"{case['task']}: ahead of {peer(name).NAME} at 10M rows ({words.ratio(ratio)} times)"
    return text, ratio > 1


def of_fallback(cases: list[Case]) -> Iterator[Aim]:
    """Falling back whole costs at most a tenth."""
    for case in cases:
        ratio = case["ratio_to_loop"]
        yield f"whole fallback at most {FALLBACK} times the loop ({ratio:.3f})", ratio <= FALLBACK
