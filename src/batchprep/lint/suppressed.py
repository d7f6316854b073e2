"""`# noqa` comments: lines on which nothing, or not that rule, is reported."""

from __future__ import annotations

import io
import re
import tokenize
from typing import Final

# As flake8 and ruff read it: alone for all rules, or with ids after a colon, by commas or spaces.
NOQA: Final = re.compile(
    r"#\s*noqa(?P<codes>:\s*[A-Z][A-Z0-9]*(?:[,\s]+[A-Z][A-Z0-9]*)*)?", re.IGNORECASE
)
WHOLE_FILE: Final = re.compile(r"#\s*(?:flake8|ruff|batchprep):\s*noqa(?P<codes>.*)", re.IGNORECASE)
ALL_LINES: Final = 0


def suppressed_lines(text: str) -> dict[int, frozenset[str] | None]:
    """Line -> the ids that its comment names, None for all; line 0 stands for the whole file."""
    found: dict[int, frozenset[str] | None] = {}
    if "noqa" not in text.lower():
        return found
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                _read(token.string, token.start[0], found)
    except (tokenize.TokenError, SyntaxError):  # what was read until there holds
        pass
    return found


def _read(comment: str, line: int, found: dict[int, frozenset[str] | None]) -> None:
    whole = WHOLE_FILE.search(comment)
    match = whole or NOQA.search(comment)
    if match is None:
        return
    codes = frozenset(re.findall(r"[A-Z]+[0-9]+", (match["codes"] or "").upper()))
    at = ALL_LINES if whole else line
    known = found.get(at, frozenset())
    found[at] = None if not codes or known is None else known | codes


def is_suppressed(
    found: dict[int, frozenset[str] | None], rule: str, first: int, last: int
) -> bool:
    """Whether a comment on one of the lines, or for the file, names the rule or all rules."""
    for line in (ALL_LINES, *range(first, last + 1)):
        codes = found.get(line, frozenset())
        if codes is None or rule in codes:
            return True
    return False
