"""The numbers of the README, printed from the results that are committed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks import machine, results, words
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.plot import FILE as PICTURE
from benchmarks.readme_tasks import task_rows
from benchmarks.suite import Case
from benchmarks.tasks import article, pipelines

FILE: Final = Path(__file__).parents[1] / "README.md"
OPEN: Final = "<!-- numbers -->"
CLOSE: Final = "<!-- /numbers -->"
SECTION: Final = re.compile(f"{OPEN}\n.*?{CLOSE}\n|{OPEN}\n", re.DOTALL)

# Those that run rows one by one are left to the tables of `make bench`.
SHOWN: Final = (
    ROW_LOOP,
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
    """The marks and what stands between them: nothing of a task that has no results."""
    found = results.read_all(folder)
    parts = [
        of_article(found["article"], _loads(found)),
        _remarks(found),
        list(_picture(folder)),
        list(of_tasks(found)),
        list(of_files(found)),
    ]
    lines = [line for part in parts if part for line in (*part, "")]
    return "\n".join([OPEN, *lines, CLOSE]) + "\n"


def of_article(found: dict[str, Any], loads: str) -> list[str]:
    """What is measured, where, and the table of everyone."""
    titles = article.CONTESTANTS.titles()
    headings = ["function, from", "rows", "batchprep", *(titles[name] for name in SHOWN)]
    cases = [case for case in found["cases"] if _is_shown(case)]
    return [*_introduction(found, loads), "", *_lines(headings, map(_row, cases))]


def _loads(found: dict[str, Any]) -> str:
    """The load before the runs: one where all tasks ran together."""
    loads = sorted({result["machine"]["load"] for result in found.values()})
    return f"{loads[0]}" if len(loads) == 1 else f"{loads[0]} to {loads[-1]}"


def _introduction(found: dict[str, Any], loads: str) -> list[str]:
    described = found["machine"]
    versions = described["versions"]
    named = ("numpy", "pandas", "polars", "duckdb", "pyarrow", "numexpr", "numba")
    return words.paragraph(
        "`make bench`: price x volume, and its root above 50,000. Times as multiples of "
        "batchprep's, so above 1 batchprep is faster; once kernels are compiled, with answers "
        "compared first. Ratios of medians from one run: "
        f"{machine.in_words(described)}, load {loads} before it{_moved(found)}, "
        f"{', '.join(f'{name} {versions[name]}' for name in named)}. "
        "The row loop runs over dicts that exist already (at 10,000,000 rows once); the numba "
        "loop is written for this task and keeps its buffer."
    )


def _moved(found: dict[str, Any]) -> str:
    if found["limit"] is None:
        return ""
    one, every = (found["limit"][f"triad_{threads}"] for threads in ("one_thread", "all_threads"))
    return f", triad {words.bandwidth(one)} on one thread and {words.bandwidth(every)} on all"


def _is_shown(case: Case) -> bool:
    labels = case["labels"]
    large = labels["from"] == "arrow" and case["rows"] == 10_000_000
    return bool(case["times"]) and (labels["function"] == "sqrt" or large)


def _lines(headings: list[str], rows: Iterable[list[str]]) -> list[str]:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _row(case: Case) -> list[str]:
    code, comma, rest = article.WORDS[case["labels"]["function"]].partition(", ")
    return [
        f"`{code}`{comma}{rest}, {article.WORDS[case['labels']['from']]}",
        f"{case['rows']:,}",
        *(multiple(name, case) for name in (OURS, *SHOWN)),
    ]


def multiple(name: str, case: Case) -> str:
    """Our time, or how many times ours another takes; nothing where it did not take part."""
    times = case["times"].get(name)
    if times is None:
        return ""
    return words.duration(times["median_seconds"]) if name == OURS else words.ratio(times["ratio"])


def _remarks(found: dict[str, Any]) -> list[str]:
    return words.paragraph(" ".join([*_on_fallback(found), *_on_first_calls(found)]))


def _on_fallback(found: dict[str, Any]) -> Iterator[str]:
    if "fallback" in found:
        (case,) = found["fallback"]["cases"]
        ratio = 1 / case["times"][ROW_LOOP]["ratio"]
        yield f"A function that falls back whole takes {ratio:.2f} times the row loop."


def _on_first_calls(found: dict[str, Any]) -> Iterator[str]:
    cases = found["cold"]["cases"] if "cold" in found else []
    firsts = {case["rows"]: case["times"] for case in cases if case["labels"]["span"] == "first"}
    if firsts.get(1_000):
        names = (OURS, "batchprep_numba", "batchprep_numba_filled")
        now, waits, filled = (
            words.duration(firsts[1_000][name]["median_seconds"]) for name in names
        )
        yield (
            f"The first call in a fresh process takes {now} (NumPy at once); waiting for numba "
            f"instead, {waits}, or {filled} when the disk cache has the kernel."
        )


def _picture(folder: Path) -> Iterator[str]:
    if (folder / PICTURE).is_file():
        yield "By number of rows, on each backend:"
        yield ""
        yield f"![Times as fast as the row loop, by rows](benchmarks/results/{PICTURE})"


def of_tasks(found: dict[str, Any]) -> Iterator[str]:
    """The other tasks: who is the best of the others, and how far a loop by hand gets."""
    rows = task_rows(found)
    if not rows:
        return
    yield from words.paragraph(
        "Other tasks, in the same way. The best other is the fastest of all that take part: "
        "pandas, polars, DuckDB, pyarrow, NumPy, numexpr, torch, or plain Python, as the task has "
        "it; what each does is in [benchmarks](benchmarks/README.md)."
    )
    yield ""
    headings = ["task", "rows", "batchprep", "row loop", "best other", "numba by hand"]
    yield from _lines(headings, rows)


def of_files(found: dict[str, Any]) -> Iterator[str]:
    """What is written from file to file, and the table."""
    if "pipelines" not in found:
        return
    titles = pipelines.CONTESTANTS.titles()
    yield from _about_files()
    yield ""
    rows = [
        [
            pipelines.WORDS[case["labels"]["job"]],
            f"{case['rows']:,}",
            *(multiple(name, case) for name in titles),
        ]
        for case in found["pipelines"]["cases"]
        if case["times"]
    ]
    yield from _lines(["from file to Parquet file", "rows", *titles.values()], rows)


def _about_files() -> list[str]:
    return words.paragraph(
        "From file to file with `pipe.run`: the root of values above 50,000, or a filter and a "
        "dict of five features, into Parquet (zstd, level 1), each file compared with the row "
        "loop's first. CSV types are inferred by everyone but the loop, from the first rows; "
        "batchprep holds every value that it reads against them, which `schema=` saves, and alone "
        "waits until its file is on the disk. The row loop reads with `csv.DictReader` or "
        "`to_pylist` (at 3,000,000 rows once); pandas.apply and map_elements stop at 100,000 rows."
    )
