"""Text that is linted, and diffs that are applied as `patch` would."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from batchprep.lint import lint

HUNK = re.compile(r"@@ -(\d+),?(\d*) \+(\d+),?(\d*) @@")


def report_of(folder: Path, text: str, name: str = "prep.py"):
    """The report on a file of that text."""
    file = folder / name
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return lint([str(file)])


def finding_of(folder: Path, text: str):
    """The only finding in a file of that text."""
    report = report_of(folder, text)
    assert report.problems == ()
    (finding,) = report.findings
    return finding


def rules_of(folder: Path, text: str) -> list[str]:
    """The ids of what is found in a file of that text."""
    return [finding.rule for finding in report_of(folder, text).findings]


def patched(text: str, diff: str) -> str:
    """The text with a unified diff applied; every line of the diff must fit exactly."""
    lines = text.splitlines(keepends=True)
    result: list[str] = []
    at = 0
    removed = added = 0
    wanted = (0, 0)
    last = ""
    for line in diff.splitlines(keepends=True)[2:]:
        if match := HUNK.match(line):
            assert (removed, added) == wanted
            start = int(match[1]) - 1
            result += lines[at:start]
            assert len(result) == int(match[3]) - 1
            at, removed, added = start, 0, 0
            wanted = (int(match[2]), int(match[4]))
        elif line.startswith("\\"):
            if last == "+":
                result[-1] = result[-1].removesuffix("\n")
        elif line.startswith("+"):
            result.append(line[1:])
            added += 1
        else:
            assert lines[at].rstrip("\n") == line[1:].rstrip("\n")
            if line.startswith(" "):
                result.append(lines[at])
                added += 1
            at += 1
            removed += 1
        last = line[0]
    assert (removed, added) == wanted
    return "".join([*result, *lines[at:]])
