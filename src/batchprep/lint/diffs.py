"""Edits as a unified diff, looked at only around the edits: files may be long."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from batchprep.lint.finding import Edit
from batchprep.lint.unit import with_edits

CONTEXT: Final = 3  # lines before and after what changes, as in `diff -u`
NO_END: Final = "\\ No newline at end of file\n"


def unified_diff(lines: Sequence[str], edits: Sequence[Edit], first: int, name: str) -> str:
    r"""The diff of a text of which `first` is the number of the first line.

    >>> print(unified_diff(["a\n", "b\n"], [Edit(2, 0, 2, 1, "c")], 1, "x.py"), end="")
    --- x.py
    +++ x.py
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    ending = "\r\n" if lines[0].endswith("\r\n") else "\n"
    moved = [
        replace(
            edit, line=edit.line - first, end_line=edit.end_line - first,
            text=edit.text.replace("\n", ending),
        )
        for edit in edits
    ]  # fmt: skip
    text = f"--- {name}\n+++ {name}\n"
    grown = 0
    for start, end, inside in _windows(moved, len(lines)):
        before = list(lines[start:end])
        after = with_edits(before, inside, start).splitlines(keepends=True)
        text += _hunk(before, after, start, start + grown)
        grown += len(after) - len(before)
    return text


def _windows(edits: Sequence[Edit], length: int) -> Iterator[tuple[int, int, list[Edit]]]:
    """(start, end, edits) of the pieces that change, with the lines around them."""
    window: tuple[int, int, list[Edit]] | None = None
    for edit in sorted(edits, key=lambda e: (e.line, e.column)):
        start, end = max(edit.line - CONTEXT, 0), min(edit.end_line + 1 + CONTEXT, length)
        if window is not None and start <= window[1]:
            window = (window[0], max(end, window[1]), [*window[2], edit])
        else:
            if window is not None:
                yield window
            window = (start, end, [edit])
    if window is not None:
        yield window


def _hunk(before: list[str], after: list[str], start: int, new_start: int) -> str:
    text = ""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    opcodes = matcher.get_opcodes()
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            text += "".join(_line(" ", line) for line in before[i1:i2])
        else:
            text += "".join(_line("-", line) for line in before[i1:i2])
            text += "".join(_line("+", line) for line in after[j1:j2])
    old, new = _range(start, len(before)), _range(new_start, len(after))
    return f"@@ -{old} +{new} @@\n{text}"


def _range(start: int, length: int) -> str:
    return f"{start + 1},{length}" if length else f"{start},0"


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{NO_END}"
