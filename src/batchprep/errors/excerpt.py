"""A line of the user's source with carets under the part that is meant."""

from __future__ import annotations

import ast
import linecache
import unicodedata
from pathlib import Path
from typing import Final

from batchprep.errors import Span

WIDE: Final = frozenset("WF")  # East Asian widths that take two columns of a terminal


def short_path(file: str) -> str:
    """The file as a user would type it: relative to the working directory where it lies below."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def span_excerpt(span: Span) -> str:
    """The span's first source line and its carets; "" where the source cannot be read."""
    line = linecache.getline(span.file, span.line).rstrip()
    if not line:
        return ""
    end = span.end_column if span.end_line == span.line else len(line)
    return marked_line(line, span.column, end)


def marked_line(line: str, column: int, end_column: int) -> str:
    """The line without its indentation, and below it ~ and ^ as CPython's tracebacks have them.

    Columns are 0-based characters of the line as it stands in the file.

    >>> print(marked_line('    return a // b', 11, 17))
    return a // b
           ~~^^~~
    """
    text = line.strip()
    indent = len(line) - len(line.lstrip())
    start, end = max(column - indent, 0), min(end_column - indent, len(text))
    if not start < end:
        return text
    marks = _marks(text[start:end])
    return f"{text}\n{' ' * _width(text[:start])}{marks}"


def _marks(segment: str) -> str:
    first, last = _anchor(segment)
    kinds = ["^" if first <= at < last else "~" for at in range(len(segment))]
    return "".join(kind * _width(char) for kind, char in zip(kinds, segment, strict=True))


def _anchor(segment: str) -> tuple[int, int]:
    """Which characters deserve ^: the operator, the subscript, the arguments; else all."""
    everything = (0, len(segment))
    try:
        # Brackets let an expression go on over its own line breaks, as it did in the file.
        tree = ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return everything
    match tree:
        case ast.BinOp(left=left, right=right):
            return _operator(segment, _end(segment, left), _start(segment, right))
        case ast.Compare(left=left, comparators=[right]):
            return _operator(segment, _end(segment, left), _start(segment, right))
        case ast.Subscript(value=value) | ast.Call(func=value):
            return _end(segment, value), len(segment)
        case _:
            return everything


def _operator(segment: str, first: int, last: int) -> tuple[int, int]:
    gap = segment[first:last]
    # Brackets around an operand belong to the operand, not to the operator.
    bare = gap.strip(" ()\\\t")
    if not bare:
        return 0, len(segment)
    at = first + gap.index(bare)
    return at, at + len(bare)


def _start(segment: str, node: ast.expr) -> int:
    return _characters(segment, node.col_offset)


def _end(segment: str, node: ast.expr) -> int:
    return _characters(segment, node.end_col_offset or 0)


def _characters(segment: str, offset: int) -> int:
    """Characters before a byte offset of the parsed text, which has one bracket in front."""
    return len(segment.encode()[: offset - 1].decode(errors="ignore"))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in WIDE else 1 for char in text)
