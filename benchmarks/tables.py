"""The results on the terminal: one table for any task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from rich import box
from rich.table import Table

from benchmarks import words
from benchmarks.suite import Case


def table(task: ModuleType, cases: list[Case]) -> Table:
    """A line per case: its labels, our time, and in how many times ours each other takes."""
    labels = _keys(case["labels"] for case in cases)
    timed = [case for case in cases if case["times"]]
    names = [name for name in task.CONTESTANTS if any(name in case["times"] for case in timed)]
    notes = _keys(case["notes"] for case in timed)
    found = _table(f"{task.TITLE}: the first's time, and multiples of it", *labels)
    titles = task.CONTESTANTS.titles()
    _numbers(found, "rows", *(titles[name] for name in names), *map(words.heading, notes))
    for case in cases:
        head = [*(label(task, case["labels"].get(key, "")) for key in labels), f"{case['rows']:,}"]
        if not case["times"]:
            found.add_row(*head, case["skipped"])
            continue
        cells = (cell(name, case) for name in names)
        found.add_row(*head, *cells, *(words.note(key, case["notes"].get(key)) for key in notes))
    return found


def label(task: ModuleType, value: str | int) -> str:
    """A label's value in the task's words."""
    return getattr(task, "WORDS", {}).get(value, str(value))


def cell(name: str, case: Case) -> str:
    """The first's time, with its share of the bandwidth or its ns a cell; another's multiple."""
    if name not in case["times"]:
        return "-"
    mine = case["times"][name]
    text = words.ratio(mine["ratio"])
    if name == next(iter(case["times"])):
        text = words.duration(mine["median_seconds"]) + _beside(mine, case)
    return f"{text} ({mine['largest_ulp']} ulp)" if "largest_ulp" in mine else text


def _beside(mine: Mapping[str, Any], case: Case) -> str:
    if "of_limit" in mine:
        return f" ({mine['of_limit']:.0%} of bandwidth)"
    if "cells" in case:
        return f" ({mine['median_seconds'] / case['cells'] * 1e9:.0f} ns a cell)"
    return ""


def containers(task: ModuleType) -> Table | None:
    """What each answer comes in: a part of the time. None where nobody says."""
    told = [contestant for contestant in task.CONTESTANTS.values() if contestant.container]
    if not told:
        return None
    found = _table("What the answers come in", "who", "container", "up to rows")
    for contestant in told:
        most = contestant.most_rows
        found.add_row(contestant.title, contestant.container, f"{most:,}" if most else "")
    return found


def aims(found: Iterable[tuple[str, bool]]) -> Table:
    shown = _table("Aims", "aim", "met")
    for text, met in found:
        shown.add_row(text, "[green]yes[/]" if met else "[red]no[/]")
    return shown


def _keys(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for mapping in mappings for key in mapping))


def _table(title: str, *headings: str) -> Table:
    found = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        found.add_column(heading)
    return found


def _numbers(found: Table, *headings: str) -> None:
    for heading in headings:
        found.add_column(heading, justify="right")
