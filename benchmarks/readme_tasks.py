"""Lines of the README's table of other tasks: a case each, with the best of those who take part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks import words
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.suite import Case
from benchmarks.tasks import task

BY_HAND: Final = "by_hand"


@dataclass(frozen=True)
class Line:
    """A case that the README shows, and which of our times the others are told in."""

    title: str
    task: str
    labels: dict[str, str | int] = field(default_factory=dict)
    ours: str = OURS


# The largest size of each is shown.
LINES: Final = (
    Line("Eight features of eight columns, Arrow", "wide"),
    Line('the same, `math="fast"`', "wide", ours="batchprep_fast"),
    Line("Strings, 200 distinct names, Arrow", "texts", {"texts": "few"}),
    Line("Strings, each name twice, Arrow", "texts", {"texts": "many"}),
    Line("Times, five features, Arrow", "texts", {"texts": "times"}),
    Line("Dicts of 2 fields to columns", "ingest", {"fields": 2}),
    Line("Dicts of 8 fields to columns", "ingest", {"fields": 8}),
    Line("Columns to dicts of 8 fields", "assemble", {"fields": 8}),
    Line("A shuffled epoch into torch", "loader"),
)


def task_rows(found: dict[str, Any]) -> list[list[str]]:
    """Cells of every line whose task has results."""
    return [_cells(line, case) for line in LINES for case in _cases(line, found)]


def _cases(line: Line, found: dict[str, Any]) -> Iterator[Case]:
    cases = [
        case
        for case in found.get(line.task, {"cases": []})["cases"]
        if case["times"] and line.labels.items() <= case["labels"].items()
    ]
    if cases:
        yield max(cases, key=lambda case: case["rows"])


def _cells(line: Line, case: Case) -> list[str]:
    times = case["times"]
    ours = times[line.ours]["median_seconds"]
    share = times[line.ours].get("of_limit")
    beside = f" ({share:.0%} of the bandwidth)" if share is not None and share >= 0.1 else ""
    return [
        line.title,
        f"{case['rows']:,}",
        words.duration(ours) + beside,
        _multiple(times, ROW_LOOP, ours),
        _best(line, times, ours),
        _multiple(times, BY_HAND, ours),
    ]


def _multiple(times: dict[str, Any], name: str, ours: float) -> str:
    return words.ratio(times[name]["median_seconds"] / ours) if name in times else ""


def _best(line: Line, times: dict[str, Any], ours: float) -> str:
    """How many times our time the fastest of the others takes, and its name."""
    others = [
        name for name in times if not name.startswith(OURS) and name not in {ROW_LOOP, BY_HAND}
    ]
    best = min(others, key=lambda name: times[name]["median_seconds"])
    return f"{_multiple(times, best, ours)} ({task(line.task).CONTESTANTS[best].title})"
