"""The names that a wrong name was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

MOST: Final = 3  # more than three are read by nobody
LIKENESS: Final = 0.6  # difflib's default: "pirce" finds "price", "x" finds nothing


def nearest_names(name: object, names: Iterable[object]) -> tuple[str, ...]:
    """Up to three known names, the most alike first; letter case does not matter.

    >>> nearest_names("pirce", ["volume", "price", "Price"])
    ('price', 'Price')
    """
    if not isinstance(name, str):
        return ()
    spellings: dict[str, list[str]] = {}
    for known in names:
        if isinstance(known, str) and known != name:
            spellings.setdefault(known.casefold(), []).append(known)
    close = difflib.get_close_matches(name.casefold(), spellings, n=MOST, cutoff=LIKENESS)
    return tuple(spelling for folded in close for spelling in spellings[folded])[:MOST]
