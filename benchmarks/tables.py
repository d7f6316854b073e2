"""The results on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.table import Table

from benchmarks import words
from benchmarks.peers import PEERS, peer
from benchmarks.pipelines_jobs import JOBS
from benchmarks.pipelines_peers import PEERS as FILE_PEERS
from benchmarks.suite import Case
from benchmarks.tasks import TASKS
from benchmarks.texts_peers import TITLES as TEXT_PEERS
from benchmarks.texts_tasks import TITLES as TEXT_TITLES

FORMS = {"arrow": "Arrow", "records": "dicts"}
TITLES = {task.name: task.title for task in TASKS}
JOB_TITLES = {job.name: job.title for job in JOBS}


def article(cases: list[Case]) -> Table:
    """Medians, and in how many times batchprep's each peer takes."""
    table = _table("price x volume > 50,000, then the root: times batchprep's time", "task", "from")
    _numbers(table, "rows", *(peer(name).NAME for name in PEERS))
    for case in cases:
        head = TITLES[case["task"]], FORMS[case["form"]], f"{case['rows']:,}"
        times = case.get("times")
        table.add_row(*head, *(_cell(name, times) for name in PEERS) if times else ("time is up",))
    return table


def _cell(name: str, times: dict[str, Any]) -> str:
    found = times.get(name)
    if found is None:
        return "-"
    if name == "batchprep":
        return words.duration(found["median_seconds"])
    text = words.ratio(found["ratio"])
    return f"{text} ({found['largest_ulp']} ulp)" if found.get("largest_ulp") else text


def containers() -> Table:
    """What each answer comes in: a part of the time."""
    table = _table("What the answers come in", "who", "container", "up to")
    for file in map(peer, PEERS):
        table.add_row(file.NAME, file.CONTAINER, f"{file.MOST_ROWS or 10_000_000:,} rows")
    return table


def first_calls(cases: list[Case]) -> Table:
    table = _table("First call of a fresh process, from Arrow", "who", "kernel cache")
    _numbers(table, "rows", "import", "first call", "second call")
    for case in cases:
        backend = f", backend {case['backend']}" if "backend" in case else ""
        spans = (case[f"{span}_seconds"] for span in ("import", "first", "second"))
        table.add_row(
            peer(case["peer"]).NAME + backend,
            case.get("cache", ""),
            f"{case['rows']:,}",
            *map(words.duration, spans),
        )
    return table


def fallback(cases: list[Case]) -> Table:
    table = _table("A function that falls back whole, from dicts")
    _numbers(table, "rows", "row loop", "batchprep", "times the loop")
    for case in cases:
        spans = map(words.duration, (case["loop_seconds"], case["fallback_seconds"]))
        table.add_row(f"{case['rows']:,}", *spans, f"{case['ratio_to_loop']:.3f}")
    return table


def flights(cases: list[Case]) -> Table:
    table = _table("Real flights, with strings and missing values", "function")
    _numbers(table, "rows", "row loop", "from dicts", "from Arrow", "speed-up", "speed-up (Arrow)")
    for case in cases:
        spans = (case[f"{name}_seconds"] for name in ("row_loop", "records", "arrow"))
        speedups = (case["speedup_from_records"], case["speedup_from_arrow"])
        table.add_row(
            case["function"],
            f"{case['rows']:,}",
            *map(words.duration, spans),
            *(f"{speedup:.1f}" for speedup in speedups),
        )
    return table


def pipelines(cases: list[Case]) -> Table:
    """Medians from file to file, and where batchprep's seconds go: the spans overlap."""
    table = _table("From file to Parquet file: times batchprep's time", "job")
    names = (known.name for known in FILE_PEERS.values())
    _numbers(table, "rows", *names, "reading", "computing", "writing")
    for case in cases:
        head = JOB_TITLES[case["job"]], f"{case['rows']:,}"
        if "times" not in case:
            table.add_row(*head, "time is up")
            continue
        spans = (words.duration(case["spans"][span]) for span in ("read", "compute", "write"))
        table.add_row(*head, *(_cell(name, case["times"]) for name in FILE_PEERS), *spans)
    return table


def texts(cases: list[Case]) -> Table:
    """Medians from Arrow tables, and the rows that the interpreter answered."""
    table = _table("Strings and times, from Arrow: times batchprep's time", "task")
    _numbers(table, "rows", *TEXT_PEERS.values(), "deviations")
    for case in cases:
        head = TEXT_TITLES[case["task"]], f"{case['rows']:,}"
        if "times" not in case:
            table.add_row(*head, "time is up")
            continue
        cells = (_cell(name, case["times"]) for name in TEXT_PEERS)
        table.add_row(*head, *cells, f"{case['deviations']:,}")
    return table


def growth(cases: list[Case]) -> Table:
    table = _table("First call on numba with an empty cache, by size of the function")
    _numbers(table, "steps", "nodes", "trace", "first call", "ms per node")
    for case in cases:
        spans = map(words.duration, (case["trace_seconds"], case["first_call_seconds"]))
        per_node = f"{case['milliseconds_per_node']:.1f}"
        table.add_row(f"{case['steps']}", f"{case['nodes']}", *spans, per_node)
    return table


def aims(found: Iterable[tuple[str, bool]]) -> Table:
    table = _table("Aims", "aim", "met")
    for text, met in found:
        table.add_row(text, "[green]yes[/]" if met else "[red]no[/]")
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading)
    return table


def _numbers(table: Table, *headings: str) -> None:
    for heading in headings:
        table.add_column(heading, justify="right")
