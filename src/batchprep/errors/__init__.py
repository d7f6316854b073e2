"""Places in the user's code, and what batchprep says about them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A piece of the user's source: 1-based lines, 0-based columns in characters."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str


class Unsupported(Exception):  # noqa: N818  a verdict of the front end, not an error of the user
    """A construct that cannot be compiled: the function runs in the interpreter."""

    def __init__(self, reason: str, span: Span | None = None, hint: str = "") -> None:
        """Keep the reason (a full sentence), its place and what to write instead."""
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.hint = hint


class MissingColumnError(KeyError):
    """A column that is asked for by name and is not there."""

    def __str__(self) -> str:
        """The text as it is: KeyError would show its repr, all on one line."""
        return str(self.args[0]) if self.args else ""


class FallbackWarning(UserWarning):
    """A row function runs in the interpreter instead of as a compiled kernel."""
