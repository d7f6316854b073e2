"""The promise that a helper only gives a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from batchprep.rowfn.marked import MARK

Function = TypeVar("Function", bound=Callable[..., Any])


def pure(function: Function) -> Function:
    """Promise that a helper gives the same value for equal arguments, and does nothing else.

    A row function that calls it is compiled around it: the helper itself runs in Python, once per
    distinct tuple of arguments, in any order; the last 100,000 answers are remembered from call
    to call. A list or dict that it gives is copied for each row.

    batchprep finds out by itself that most helpers are pure; the mark is for those of which it
    cannot know: they call a library, or read a cache or a file.

    Errors:  TypeError for what cannot be called or marked (a builtin: give it a def around it)

    >>> import batchprep as bp
    >>> @bp.pure
    ... def shipping(country):
    ...     return {"NO": 5.0}.get(country, 12.5)
    >>> shipping("NO")
    5.0
    """
    if not callable(function):
        text = f"bp.pure marks a function, not a {type(function).__name__}"
        raise TypeError(text)
    try:
        setattr(function, MARK, True)
    except AttributeError:
        name = getattr(function, "__name__", type(function).__name__)
        text = f"{name} cannot be marked: write a def that calls it, and mark that"
        raise TypeError(text) from None
    return function
