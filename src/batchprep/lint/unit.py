"""A file, or all code cells of a notebook, as one text with its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from batchprep.lint.finding import Edit, Place


@dataclass(frozen=True)
class Segment:
    """A file, or one cell: lines `first` and following of its unit.

    `lines` are those of the file, with their ends; in the unit, lines that are no Python (`%time`)
    are blank. `raw_lines` are their numbers in the file.
    """

    first: int
    lines: tuple[str, ...]
    cell: int = 0
    raw_lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unit:
    """Python text to look through; `path` is what messages call it."""

    path: str
    lines: tuple[str, ...]
    tree: ast.Module
    segments: tuple[Segment, ...]
    suppressed: dict[int, frozenset[str] | None] = field(default_factory=dict)

    def column(self, line: int, offset: int) -> int:
        """The character at a UTF-8 byte offset of a line."""
        return column_of(self.lines[line - 1], offset)

    def span(self, node: ast.AST) -> tuple[int, int, int, int]:
        """(line, column, end line, end column) of a node, 0-based columns in characters."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        column = self.column(line, getattr(node, "col_offset", 0))
        return line, column, end, self.column(end, getattr(node, "end_col_offset", 0))

    def source(self, node: ast.AST) -> str:
        """The text of a node."""
        line, column, end_line, end_column = self.span(node)
        return self.piece(line, column, end_line, end_column)

    def piece(self, line: int, column: int, end_line: int, end_column: int) -> str:
        """The text between two places."""
        if line == end_line:
            return self.lines[line - 1][column:end_column]
        middle = self.lines[line : end_line - 1]
        first, last = self.lines[line - 1][column:], self.lines[end_line - 1][:end_column]
        return "".join((first, *middle, last))

    def edit(self, node: ast.AST, text: str) -> Edit:
        """That text in place of a node."""
        return Edit(*self.span(node), text)

    def indent(self, line: int) -> str:
        """The white space that a line begins with."""
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    def segment(self, line: int) -> Segment:
        """The file or cell that a line lies in."""
        return next(s for s in reversed(self.segments) if s.first <= line)

    def local_line(self, line: int) -> int:
        """The number of a line in its file or cell."""
        return line - self.segment(line).first + 1

    def place(self, node: ast.AST) -> Place:
        """Where a node stands, for a user."""
        line, column, end_line, end_column = self.span(node)
        segment = self.segment(line)
        local = self.local_line(line)
        raw = segment.raw_lines[local - 1] if segment.raw_lines else 0
        return Place(
            self.path, segment.cell, local, column + 1,
            self.local_line(end_line), end_column, local if not segment.cell else raw,
        )  # fmt: skip


def column_of(line: str, offset: int) -> int:
    """The character at a UTF-8 byte offset."""
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))


def with_edits(lines: Sequence[str], edits: Sequence[Edit], first: int = 1) -> str:
    """The text of lines, `first` and following, with edits made; they must not overlap."""
    text = list(lines)
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        start, end = edit.line - first, edit.end_line - first
        head = text[start][: edit.column] if start < len(text) else ""
        tail = text[end][edit.end_column :] if end < len(text) else ""
        text[start : end + 1] = [f"{head}{edit.text}{tail}"]
    return "".join(text)
