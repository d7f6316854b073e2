"""Pages of the guide as blocks: what is run, and what the page says that it prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What differs from run to run; a page shows `...` in its place.
MOVING = (
    (re.compile(r"\d[\d.,]* (ns|us|ms|s|min)\b(?! a row)"), "..."),
    (re.compile(r"\d[\d.,]*( [kMG])? rows/s"), "... rows/s"),
    (re.compile(r"peak memory [\d.,]+ [kMG]?B"), "peak memory ..."),
    (re.compile(r"  write: .*"), "  write: ..."),
    (re.compile(r"wrote [\d.,]+ k?B"), "wrote ..."),
    (re.compile(r"(  costs  about) .*"), r"\1 ..."),
    (re.compile(r"  bottleneck: .*"), "..."),  # small runs have one by chance
)


@dataclass(frozen=True)
class Block:
    """Code, and the span of the page that holds what it prints; no span: it prints nothing."""

    language: str
    code: str
    output: str
    span: tuple[int, int] | None


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page that are run, in order.

    What a python block prints stands in the text block after it; a console block holds both.
    """
    found = list(BLOCK.finditer(text))
    return [
        _block(match, following)
        for match, following in zip(found, [*found[1:], None], strict=True)
        if match[1] in {"python", "console"}
    ]


def _block(match: re.Match[str], following: re.Match[str] | None) -> Block:
    language, code = match.groups()
    if language == "console":
        return Block(language, code, code, match.span(2))
    if following is not None and following[1] == "text":
        return Block(language, code, following[2], following.span(2))
    return Block(language, code, "", None)


def unchecked(text: str) -> list[str]:
    """Text blocks that follow no python block: nobody would see that they are wrong."""
    found = list(BLOCK.finditer(text))
    pairs = zip([None, *found], found, strict=False)
    return [b[2] for a, b in pairs if b[1] == "text" and (a is None or a[1] != "python")]


def agrees(printed: str, shown: str) -> bool:
    """Whether the page shows what was printed.

    `...` stands for a part of a line; as a line of its own, for any number of lines, also none.

    >>> agrees("3 rows in 12 ms", "3 rows in ...")
    True
    >>> agrees("4 rows in 12 ms", "3 rows in ...")
    False
    """
    patterns = map(_line_pattern, _lines(shown))
    lines = "".join(f"{line}\n" for line in _lines(printed))
    return re.fullmatch("".join(patterns), lines) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def _line_pattern(line: str) -> str:
    if line == "...":
        return "(?:.*\n)*?"
    return ".+?".join(map(re.escape, line.split("..."))) + "\n"


def masked(printed: str) -> str:
    """What a page shows of an output: without times and the like."""
    for pattern, shown in MOVING:
        printed = pattern.sub(shown, printed)
    return "".join(f"{line}\n" for line in _lines(printed))
