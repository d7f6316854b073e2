"""What a seeded fault is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault: `old` stands exactly once in the file."""

    name: str
    file: str  # below src/
    old: str
    new: str
    first: str = ""  # the tests that are run ahead of the others: those that should find it
