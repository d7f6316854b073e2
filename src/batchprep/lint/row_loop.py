"""A row loop that was found, before it is judged."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from batchprep.lint.finding import Edit, Verdict
from batchprep.lint.row_code import RowCode

# What the row function is called on.
DataForm = Literal["list", "iterable", "frame"]
Replacement: TypeAlias = Callable[[Verdict], tuple[Edit, ...]]


@dataclass(frozen=True)
class RowLoop:
    """A row loop: where, of which rule, its row function, and what to write in its place.

    code      the row function; None where the loop has none, for the reason in `obstacle`
    whole     the code is the loop as a function of its records
    obstacle  why it is not judged, or why nothing can be written in its place
    settles   what the obstacle says about compiling; None: the front end is asked all the same
    replace   the edits, given the verdict; None where nothing can be written
    """

    rule: str
    node: ast.AST
    what: str
    code: RowCode | None = None
    obstacle: str = ""
    settles: Literal["no", "unknown"] | None = None
    replace: Replacement | None = None
    hint: str = ""
    whole: bool = False
