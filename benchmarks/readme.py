"""The numbers of the README, printed from the results that are committed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from benchmarks import machine, results, words
from benchmarks.peers import peer
from benchmarks.pipelines_peers import PEERS as FILE_PEERS
from benchmarks.suite import Case
from benchmarks.tables import FORMS, JOB_TITLES, TEXT_TITLES, TITLES
from benchmarks.texts_peers import TITLES as TEXT_PEERS

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
        *_of_texts(results.read("texts", folder)),
        "",
        *_of_files(results.read("pipelines", folder)),
        "",
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
    return _lines(headings, map(_row, cases))


def _lines(headings: list[str], rows: Iterable[list[str]]) -> list[str]:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
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


def _of_texts(found: dict[str, Any]) -> list[str]:
    """What is done with strings and times, and the table."""
    cases = [case for case in found["cases"] if "times" in case]
    headings = ["strings and times, from Arrow", "rows", *TEXT_PEERS.values()]
    return [f"{_about_texts(found['machine'])}\n", *_lines(headings, map(_text_row, cases))]


def _about_texts(described: dict[str, Any]) -> str:
    return (
        "Names: a country in a set, a tier from a table, a name stripped, lowered and asked for "
        "its start, and joined to the\ncountry. Times: hour, weekday, weekend, days since a date, "
        "last day of the month. A dict from each row; multiples of\nbatchprep's time, answers "
        f"compared with the row loop's first; {machine.in_words(described)},\n"
        f"load {described['load']} before it. The row loop ran once, over dicts that exist already."
    )


def _text_row(case: Case) -> list[str]:
    return [
        TEXT_TITLES[case["task"]],
        f"{case['rows']:,}",
        *(_multiple(name, case["times"]) for name in TEXT_PEERS),
    ]


def _of_files(found: dict[str, Any]) -> list[str]:
    """What is written from file to file, and the table."""
    cases = [case for case in found["cases"] if "times" in case]
    headings = ["from file to Parquet file", "rows", *(known.name for known in FILE_PEERS.values())]
    return [f"{_about_files(found['machine'])}\n", *_lines(headings, map(_file_row, cases))]


def _about_files(described: dict[str, Any]) -> str:
    return (
        "From file to file with `pipe.run`: the root of values above 50,000, or a filter and a "
        "dict of five features, into\nParquet (zstd, level 1). Multiples of batchprep's time "
        "again, each file compared with the row loop's first;\n"
        f"{machine.in_words(described)}, load {described['load']} before it. CSV types are "
        "inferred by everyone but the loop: batchprep\nreads the whole file for that, the others "
        "its first rows; with `schema=` it reads once. batchprep alone waits until\nits file is "
        "on the disk. The row loop reads with `csv.DictReader` or `to_pylist` (at 3,000,000 rows "
        "once);\npandas.apply and map_elements stop at 100,000 rows."
    )


def _file_row(case: Case) -> list[str]:
    return [
        JOB_TITLES[case["job"]],
        f"{case['rows']:,}",
        *(_multiple(name, case["times"]) for name in FILE_PEERS),
    ]


def _multiple(name: str, times: dict[str, Any]) -> str:
    if name not in times:
        return ""
    if name == "batchprep":
        return words.duration(times[name]["median_seconds"])
    return words.ratio(times[name]["ratio"])
