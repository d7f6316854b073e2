"""Results as JSON, one file per task: what was measured, on which machine, with which versions.

{"name": task, "format": 2,
 "machine": {"cores", "cpu", "memory_gib", "load", "python", "versions": {package: version}, ...},
 "limit": {"threads", "triad_one_thread", "triad_all_threads", ...: bytes per second,
           "steadiness"} or null,
 "cases": [{"labels": {what: which}, "rows": n,
            "times": {contestant: {"median_seconds", "low_seconds", "high_seconds" (quartiles),
                                   "ratio" (to the first), "samples",
                                   "of_limit" (share of the bandwidth, where bytes are told),
                                   "rows_rounded", "largest_ulp" (where it rounds otherwise)}},
            "notes": {...}, "bytes" or "cells": n where they are told,
            "skipped": why, where nothing was timed}]}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.limit import Limit
from benchmarks.suite import Case

FOLDER: Final = Path(__file__).parent / "results"
FORMAT: Final = 2
MACHINE: Final = {"cores", "architecture", "cpu", "memory_gib", "load", "python", "versions"}
SECONDS: Final = ("low_seconds", "median_seconds", "high_seconds")


class FormatError(ValueError):
    """A file that is not a result of this format."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")


def write(
    folder: Path, name: str, machine: dict[str, Any], limit: Limit, cases: list[Case]
) -> Path:
    """The file, with times to four digits: the rest is noise."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    result = {
        "name": name,
        "format": FORMAT,
        "machine": machine,
        "limit": _rounded(limit.to_dict()),
        "cases": _rounded(cases),
    }
    check(result, name)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return path


def read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """The result of a task, checked."""
    return parsed((folder / f"{name}.json").read_text(encoding="utf-8"), name)


def read_all(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Every result of a folder, by task."""
    return {path.stem: read(path.stem, folder) for path in sorted(folder.glob("*.json"))}


def parsed(text: str, name: str) -> dict[str, Any]:
    """The result that a file's text holds.

    Errors:  FormatError if it is another format, or something is missing
    """
    result = json.loads(text)
    check(result, name)
    return result


def identity(case: Case) -> tuple[Any, ...]:
    """What tells a case from the others of its task."""
    return (*sorted(case["labels"].items()), case["rows"])


def check(result: Mapping[str, Any], name: str) -> None:
    """That a result has the shape that this module's first lines describe."""
    if result.get("format") != FORMAT:
        raise FormatError(name, f"format {result.get('format', 1)}, this is {FORMAT}")
    _must(result["name"] == name, name, f"is named {result['name']}")
    missing = MACHINE - set(result["machine"])
    _must(not missing, name, f"the machine lacks {', '.join(sorted(missing))}")
    _must(result["limit"] is None or result["limit"]["triad_all_threads"] > 0, name, "limit")
    for case in result["cases"]:
        _check_case(case, f"{name} {case.get('labels')} {case.get('rows')}")
    identities = [identity(case) for case in result["cases"]]
    _must(len(set(identities)) == len(identities), name, "two cases of the same labels and rows")


def _check_case(case: Case, where: str) -> None:
    _must(all(type(v) in {str, int} for v in case["labels"].values()), where, "labels")
    _must(type(case["rows"]) is int and case["rows"] > 0, where, "rows")
    _must(bool(case["times"]) != bool(case.get("skipped")), where, "neither skipped nor timed")
    for name, times in case["times"].items():
        low, median, high = (times[key] for key in SECONDS)
        _must(0 < low <= median <= high, f"{where} {name}", f"seconds {low}, {median}, {high}")
        _must(times["samples"] >= 1 and times["ratio"] > 0, f"{where} {name}", "samples or ratio")


def _must(holds: bool, where: str, what: str) -> None:  # noqa: FBT001  reads as an assertion
    if not holds:
        raise FormatError(where, what)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value
