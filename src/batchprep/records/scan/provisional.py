"""Work on files whose types are a guess: done again where the guess turns out to be wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from batchprep.records.scan.csv_guess import TypesChanged
from batchprep.records.source import Source

T = TypeVar("T")


def tried(source: Source, work: Callable[[Source], T]) -> T:
    """What `work` gives for a source, also where its types are a guess.

    Work on a guess that ends without an exception has read all rows, so that the guess was right,
    or has settled it. Nothing of what it does may be seen before it ends, but after settle().

    Errors:  those of the work with the types of all rows
    """
    settle: Callable[[], None] | None = getattr(source, "settle", None)
    if settle is None:
        return work(source)
    try:
        return work(source)
    except TypesChanged:
        pass
    except Exception:
        if _is_settled(settle):
            raise
    return work(source.data.source())


def _is_settled(settle: Callable[[], None]) -> bool:
    try:
        settle()
    except TypesChanged:
        return False
    return True


def settled(source: Source) -> None:
    """Make sure of a source's types, before anything is done that could be seen.

    Errors:  TypesChanged where they are others
    """
    settle: Callable[[], None] | None = getattr(source, "settle", None)
    if settle is not None:
        settle()
