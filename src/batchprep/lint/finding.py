"""What a run of the linter found, as plain values for text, JSON and SARIF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["compiles", "no", "unknown"]


@dataclass(frozen=True, order=True)
class Place:
    """Where something stands: 1-based lines and columns, both ends included in characters.

    `cell` counts the code and text cells of a notebook from 1; 0: the file is no notebook.
    `raw_line` is the line of the file itself, 0 where a notebook's cannot be told.
    """

    path: str
    cell: int
    line: int
    column: int
    end_line: int
    end_column: int
    raw_line: int = 0

    def __str__(self) -> str:
        cell = f":cell {self.cell}" if self.cell else ""
        return f"{self.path}{cell}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Verdict:
    """Whether the row function would compile, and what that takes.

    reason   why not, or why it cannot be told; "" where it compiles
    line     of the function that the reason is about, in the file or cell; 0: none
    fields   the kinds of fields that it was found to compile with
    assumed  what names of elsewhere were taken for
    gives    the kinds of its results
    hint     what to write instead
    partly   whether Python computes a piece of it, row by row
    """

    status: Status
    reason: str = ""
    line: int = 0
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    assumed: Mapping[str, str] = field(default_factory=dict[str, str])
    gives: tuple[str, ...] = ()
    hint: str = ""
    partly: bool = False


@dataclass(frozen=True)
class Edit:
    """A piece of a file or cell to replace: 1-based lines and 0-based columns, the end excluded."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Finding:
    """A row loop; `diff` is "" where nothing can be written in its place."""

    rule: str
    place: Place
    what: str
    verdict: Verdict
    diff: str = ""
    edits: tuple[Edit, ...] = ()
    hint: str = ""
    line_text: str = ""


@dataclass(frozen=True)
class Problem:
    """A file, or a cell of a notebook, that could not be read."""

    place: Place
    message: str


@dataclass(frozen=True)
class Report:
    """All that a run found, in the order of paths and places."""

    files: int
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]

    def count(self, status: Status) -> int:
        """How many findings have that verdict."""
        return sum(finding.verdict.status == status for finding in self.findings)
