"""The promise that a helper only gives a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from batchprep.errors.messages import short_repr
from batchprep.rowfn.marked import MARK

Function = TypeVar("Function", bound=Callable[..., Any])


def pure(function: Function) -> Function:
    """Promise that a helper gives the same value for equal arguments, and does nothing else.

    A row function that calls it is compiled around it: the helper itself runs in Python, once per
    distinct tuple of arguments, in any order; up to 100,000 answers are remembered from call to
    call. With a list or dict among its arguments it runs once per row. A list or dict that it
    gives is copied for each row.

    batchprep finds out by itself that most helpers are pure; the mark is for those of which it
    cannot know: they call a library, or read a cache or a file. A promise that is not true gives
    wrong values.

    Nulls:   None is an argument like any other
    Errors:  TypeError for what cannot be called or marked (a builtin: give it a def around it).
             Rows for which the helper raises are run by the interpreter, which raises there

    >>> import shlex
    >>> import batchprep as bp
    >>> @bp.pure
    ... def words(command):
    ...     return shlex.split(command)
    >>> program = bp.vectorize(lambda r: words(r["command"])[0])
    >>> program([{"command": "ls -l"}, {"command": "cat 'a b'"}])
    ['ls', 'cat']
    """
    if not callable(function):
        text = f"bp.pure marks a function, not {short_repr(function)}"
        raise TypeError(text)
    try:
        setattr(function, MARK, True)
    except AttributeError:
        name = getattr(function, "__name__", type(function).__name__)
        text = f"{name} cannot be marked: write a def that calls it, and mark that"
        raise TypeError(text) from None
    return function
