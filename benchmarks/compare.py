"""Two runs side by side: `python -m benchmarks.compare BASE [NEW]`.

BASE and NEW are folders of results, or git refs whose benchmarks/results are meant; NEW is the
working tree's by default. Each time is told as a multiple of the row loop of its own case, or of
the triad of its own run where there is no loop, so that a slow or busy machine cancels.

A change is marked where even the quartiles that speak against it, of both runs and of what they are
told in, leave more than 5%.

Exit code: 0 where nothing of batchprep is slower, 1 where something is, 2 where nothing can be
compared.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import machine, results, words
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.results import FormatError

ROOT: Final = Path(__file__).parents[1]
TOLERANCE: Final = 0.05
FEW_SAMPLES: Final = 3
SPREAD_OF_FEW: Final = 0.1  # either way, where quartiles of so few samples say nothing

Results = dict[str, dict[str, Any]]
Span = tuple[float, float, float]  # the lower quartile, the median, the upper one


@dataclass(frozen=True)
class Change:
    """One contestant of one case, in both runs: how many times as long it takes now."""

    task: str
    labels: str
    rows: int
    contestant: str
    told_in: str
    old_seconds: float
    new_seconds: float
    ratio: float
    least: float
    most: float

    @property
    def verdict(self) -> str:
        if self.least > 1 + TOLERANCE:
            return "slower"
        return "faster" if self.most < 1 - TOLERANCE else ""

    @property
    def ours(self) -> bool:
        return self.contestant.startswith(OURS)


def changes(base: Results, new: Results) -> Iterator[Change]:
    """Of every contestant that both runs have timed in the same case."""
    for name in new:
        if name not in base:
            continue
        known = {results.identity(case): case for case in base[name]["cases"] if case["times"]}
        for case in new[name]["cases"]:
            old = known.get(results.identity(case))
            if old is not None and case["times"]:
                limits = base[name]["limit"], new[name]["limit"]
                yield from _of_case(name, old, case, limits)


def _of_case(name: str, old: Any, new: Any, limits: tuple[Any, Any]) -> Iterator[Change]:
    labels = ", ".join(str(value) for value in new["labels"].values())
    for contestant in new["times"]:
        if contestant not in old["times"]:
            continue
        told_in, units = _units(contestant, old["times"], new["times"], limits)
        spans = (_span(found["times"][contestant]) for found in (old, new))
        before, after = spans
        quotient = _divided(_divided(after, units[1]), _divided(before, units[0]))
        least, ratio, most = quotient
        yield Change(
            name,
            labels,
            new["rows"],
            contestant,
            told_in,
            before[1],
            after[1],
            ratio,
            least,
            most,
        )


def _units(
    contestant: str, old: Mapping[str, Any], new: Mapping[str, Any], limits: tuple[Any, Any]
) -> tuple[str, tuple[Span, Span]]:
    """What the times of both runs are told in: the row loop's, a triad's, or seconds."""
    if contestant != ROW_LOOP and ROW_LOOP in old and ROW_LOOP in new:
        return "row loop", (_span(old[ROW_LOOP]), _span(new[ROW_LOOP]))
    if all(limits):
        before, after = map(_triad, limits)
        return "triad", (before, after)
    return "seconds", ((1.0,) * 3, (1.0,) * 3)


def _triad(limit: Mapping[str, float]) -> Span:
    best = 1 / limit["triad_one_thread"]
    return best * limit["steadiness"], best, best / limit["steadiness"]


def _span(times: Mapping[str, Any]) -> Span:
    low, median, high = (times[key] for key in results.SECONDS)
    if times["samples"] < FEW_SAMPLES:
        low = min(low, median * (1 - SPREAD_OF_FEW))
        high = max(high, median * (1 + SPREAD_OF_FEW))
    return low, median, high


def _divided(left: Span, right: Span) -> Span:
    return left[0] / right[2], left[1] / right[1], left[2] / right[0]


def read(where: str) -> Results:
    """The results of a folder, or of a git ref.

    Errors:  click.ClickException where it is neither, or has none of this format
    """
    texts = _of_folder(Path(where)) if Path(where).is_dir() else _of_ref(where)
    found, refused = {}, []
    for name, text in texts.items():
        try:
            found[name] = results.parsed(text, name)
        except FormatError as error:
            refused.append(str(error))
    if not found:
        reasons = f": {'; '.join(refused)}" if refused else ""
        message = f"{where} has no results that can be compared{reasons}"
        raise _NothingError(message)
    return found


class _NothingError(click.ClickException):
    exit_code = 2


def _of_folder(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json"))}


def _of_ref(ref: str) -> dict[str, str]:
    folder = "benchmarks/results/"
    listed = _git("ls-tree", "--name-only", ref, folder)
    if listed is None:
        message = (
            f"{ref} is neither a folder nor a git ref.\n"
            "Give a folder with the JSON of an earlier run, or a commit: BASE=HEAD~1"
        )
        raise _NothingError(message)
    paths = [path for path in listed.splitlines() if path.endswith(".json")]
    return {Path(path).stem: _git("show", f"{ref}:{path}") or "{}" for path in paths}


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@click.command()
@click.argument("base")
@click.argument("new", default=str(results.FOLDER))
@click.option("--all", "everyone", is_flag=True, help="Peers too, and what has not changed.")
def main(base: str, new: str, *, everyone: bool) -> None:
    """Ratios new/old per task and contestant; exit code 1 where batchprep is slower."""
    before, after = read(base), read(new)
    found = list(changes(before, after))
    if not found:
        message = f"{base} and {new} have no case in common"
        raise _NothingError(message)
    console = Console(width=None if Console().is_terminal else 200)
    for title, which in (("base", before), ("new", after)):
        described = next(iter(which.values()))["machine"]
        console.print(f"{title}: {machine.in_words(described)}, load {described['load']}")
    shown = [change for change in found if everyone or change.ours or change.verdict]
    console.print(table(shown))
    ours = [change for change in found if change.ours]
    slower = [change for change in ours if change.verdict == "slower"]
    faster = [change for change in ours if change.verdict == "faster"]
    for line in gone(before, after):
        console.print(line)
    console.print(
        f"batchprep: {len(slower)} slower, {len(faster)} faster, "
        f"{len(ours) - len(slower) - len(faster)} within the spread."
    )
    raise SystemExit(1 if slower else 0)


def gone(base: Results, new: Results) -> Iterator[str]:
    """What the base has timed and the new run has not: nothing is compared there."""
    for name, result in base.items():
        timed = {
            results.identity(case)
            for case in new.get(name, {"cases": []})["cases"]
            if case["times"]
        }
        missing = [c for c in result["cases"] if c["times"] and results.identity(c) not in timed]
        if missing:
            yield f"{name}: {len(missing)} of {len(result['cases'])} cases are in the base only"


def table(found: list[Change]) -> Table:
    shown = Table(title="new / old", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("task", "case", "contestant", "told in"):
        shown.add_column(heading)
    for heading in ("rows", "old", "new", "ratio", "quartiles", ""):
        shown.add_column(heading, justify="right")
    for change in found:
        shown.add_row(
            change.task,
            change.labels,
            change.contestant,
            change.told_in,
            f"{change.rows:,}",
            words.duration(change.old_seconds),
            words.duration(change.new_seconds),
            words.ratio(change.ratio),
            f"{words.ratio(change.least)} to {words.ratio(change.most)}",
            change.verdict,
        )
    return shown


if __name__ == "__main__":
    main()
