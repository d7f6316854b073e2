"""The numbers of the README, printed from the results that are committed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from benchmarks import machine, results, words
from benchmarks.peers import peer
from benchmarks.suite import Case
from benchmarks.tables import FORMS, TITLES

FILE: Final = Path(__file__).parents[1] / "README.md"
OPEN: Final = "<!-- numbers -->"
CLOSE: Final = "<!-- /numbers -->"
SECTION: Final = re.compile(f"{OPEN}\n.*?{CLOSE}\n|{OPEN}\n", re.DOTALL)

# Peers that run rows one by one are left to the tables of `make bench`.
SHOWN: Final = (
    "row_loop",
    "numpy",
    "pandas",
    "polars",
    "duckdb",
    "pyarrow",
    "numexpr",
    "by_hand",
)


def rewrite(file: Path = FILE, folder: Path = results.FOLDER) -> None:
    """Put the section between its marks."""
    text = file.read_text(encoding="utf-8")
    parts = SECTION.split(text)
    if len(parts) != 2:
        message = f"{file.name} needs the line {OPEN} once, it has it {len(parts) - 1} times"
        raise ValueError(message)
    file.write_text(section(folder).join(parts), encoding="utf-8")


def section(folder: Path = results.FOLDER) -> str:
    """The marks and what stands between them."""
    article = results.read("article", folder)
    lines = [
        OPEN,
        f"{_introduction(article)}\n",
        *_table([case for case in article["cases"] if _is_shown(case)]),
        "",
        f"{_remarks(folder)}\n",
        CLOSE,
    ]
    return "\n".join(lines) + "\n"


def _introduction(article: dict[str, Any]) -> str:
    where = machine.in_words(article["machine"])
    versions = article["machine"]["versions"]
    named = ("numpy", "pandas", "polars", "duckdb", "pyarrow", "numexpr", "numba")
    return (
        "`make bench`: price x volume, and its root above 50,000. Times as multiples of "
        "batchprep's, so above 1 batchprep is faster;\nonce kernels are compiled, with answers "
        "compared first. Ratios of medians from one run:\n"
        f"{where}, load {article['machine']['load']} before it,\n"
        f"{', '.join(f'{name} {versions[name]}' for name in named)}.\n"
        "The row loop runs over dicts that exist already (at 10,000,000 rows once); the numba loop "
        "is written for this task\nand keeps its buffer."
    )


def _is_shown(case: Case) -> bool:
    if "times" not in case:
        return False
    return case["task"] == "sqrt" or (case["form"] == "arrow" and case["rows"] == 10_000_000)


def _table(cases: list[Case]) -> list[str]:
    headings = ["function, from", "rows", "batchprep", *(peer(name).NAME for name in SHOWN)]
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *map(_row, cases)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _row(case: Case) -> list[str]:
    times = case["times"]
    return [
        f"{_title(case['task'])}, {FORMS[case['form']]}",
        f"{case['rows']:,}",
        words.duration(times["batchprep"]["median_seconds"]),
        *(words.ratio(times[name]["ratio"]) for name in SHOWN),
    ]


def _title(task: str) -> str:
    code, comma, rest = TITLES[task].partition(", ")
    return f"`{code}`{comma}{rest}"


def _remarks(folder: Path) -> str:
    (fallback,) = results.read("fallback", folder)["cases"]
    calls = results.read("first_calls", folder)["cases"]
    ours = {
        (call["backend"], call["cache"]): words.duration(call["first_seconds"])
        for call in calls
        if call["peer"] == "batchprep" and call["rows"] == calls[0]["rows"]
    }
    return (
        f"A function that falls back whole takes {fallback['ratio_to_loop']:.2f} times the row "
        f"loop. The first call in a fresh\nprocess takes {ours['auto', 'empty']} (NumPy at once); "
        f"waiting for numba instead, {ours['numba', 'empty']}, or {ours['numba', 'full']} when "
        "the disk\ncache has the kernel."
    )
