"""The tasks, a file each, in the order in which they run, with the seconds that each may take.

A task file has these names:

TITLE        what the tables print above it
CONTESTANTS  who takes part, entered by `@CONTESTANTS.enter(name, title)` above a function
measure      run -> its cases; what has no time left is said to be skipped
WORDS        optional: label values as the tables print them
aims         optional: cases -> (text, whether it is met)
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Final

# The short ones first: what a task leaves over, the next may use.
SECONDS: Final[dict[str, int]] = {
    "fallback": 20,
    "growth": 45,
    "cold": 170,
    "flights": 60,
    "whole_loops": 60,
    "assemble": 60,
    "ingest": 90,
    "loader": 100,
    "scaling": 70,
    "wide": 130,
    "article": 250,
    "sizes": 180,
    "texts": 210,
    "pipelines": 210,
}


def task(name: str) -> ModuleType:
    """The task's file."""
    return import_module(f"{__name__}.{name}")
