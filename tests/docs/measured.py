"""The numbers of the performance page, printed from the committed results of `make bench`.

`python -m tests.docs.measured` puts them between their marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchmarks import machine, results, words
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "performance.md"
OPEN, CLOSE = "<!-- measured -->\n", "<!-- /measured -->\n"
SECTION = re.compile(f"{OPEN}.*?{CLOSE}", re.DOTALL)
BACKENDS = {"auto": '`backend="auto"` (NumPy at once)', "numba": '`backend="numba"`'}
CACHES = {"empty": "nothing cached", "full": "kernel on disk"}


def section() -> str:
    """The marks and what stands between them."""
    article = results.read("article")
    where = machine.in_words(article["machine"])
    lines = [
        f"`make bench` on {where}, load {article['machine']['load']} before it; medians,",
        "kernels compiled but for the first calls.",
        "",
        "| what | rows | row loop | batchprep from dicts | from Arrow |",
        "| --- | ---: | ---: | ---: | ---: |",
        *_root_value(article["cases"]),
        *_flights(results.read("flights")["cases"]),
        "",
        "| first call in a fresh process, 1,000 rows | |",
        "| --- | ---: |",
        *_first_calls(results.read("first_calls")["cases"]),
        "",
        *_remarks(),
    ]
    return "\n".join([OPEN.rstrip(), *lines, CLOSE])


def _root_value(cases: list[Any]) -> Iterator[str]:
    """The loop runs over dicts in both forms, so its time is taken where the dicts are."""
    times = {(c["rows"], c["form"]): c["times"] for c in cases if c["task"] == "sqrt"}
    for rows in sorted({rows for rows, _ in times}):
        seconds = [
            times[rows, "records"]["row_loop"]["median_seconds"],
            times[rows, "records"]["batchprep"]["median_seconds"],
            times[rows, "arrow"]["batchprep"]["median_seconds"],
        ]
        yield _line("root above 50,000", rows, seconds)


def _flights(cases: list[Any]) -> Iterator[str]:
    for case in cases:
        names = ("row_loop_seconds", "records_seconds", "arrow_seconds")
        yield _line(f"flights, `{case['function']}`", case["rows"], [case[n] for n in names])


def _line(what: str, rows: int, seconds: list[float]) -> str:
    return f"| {what} | {rows:,} | {' | '.join(map(words.duration, seconds))} |"


def _first_calls(cases: list[Any]) -> Iterator[str]:
    for case in cases:
        if case["peer"] == "batchprep" and case["rows"] == 1_000:
            what = f"{BACKENDS[case['backend']]}, {CACHES[case['cache']]}"
            yield f"| {what} | {words.duration(case['first_seconds'])} |"


def _remarks() -> Iterator[str]:
    (fallback,) = results.read("fallback")["cases"]
    growth = results.read("growth")["cases"]
    yield (
        f"A function that falls back whole takes {fallback['ratio_to_loop']:.2f} times the row "
        f"loop ({fallback['rows']:,} rows)."
    )
    shown = [case for case in growth if case["steps"] in {1, 10, 100}]
    grown = ", ".join(
        f"{words.duration(case['first_call_seconds'])} at {case['nodes']:,}" for case in shown
    )
    yield f"numba compiles longer the more operations a function has: {grown} operations."


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(section(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
