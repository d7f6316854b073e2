"""Pieces of a compiled function that Python runs."""

from __future__ import annotations

from dataclasses import dataclass

from batchprep.errors import Span


@dataclass(frozen=True)
class Seam:
    """A piece of code that could not be compiled and is pure: Python computes it as a column.

    what    the piece, in short
    reason  why it could not be compiled
    often   how often it runs
    """

    span: Span
    what: str
    reason: str
    often: str
