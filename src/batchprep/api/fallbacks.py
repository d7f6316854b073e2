"""What is said when a row function runs in the interpreter: once for each place."""

from __future__ import annotations

import inspect
import warnings
from typing import Any
from weakref import WeakKeyDictionary

from batchprep.api.options import OnUnsupported
from batchprep.errors import FallbackWarning, Span, Unsupported, messages

_warned: WeakKeyDictionary[Any, set[Span | str]] = WeakKeyDictionary()


def say_fallback(name: str, function: Any, verdict: Unsupported, policy: OnUnsupported) -> None:
    """Warn, raise or be quiet, as the policy has it.

    Errors:  Unsupported under "raise"
    """
    if policy == "raise":
        raise unsupported_error(name, verdict)
    if policy == "warn" and _first_time(function, verdict.span or verdict.reason):
        text = messages.fallback_text(name, verdict)
        warnings.warn(text, FallbackWarning, stacklevel=_users_stacklevel())


def unsupported_error(name: str, verdict: Unsupported) -> Unsupported:
    """The verdict as an exception that says where, why and what to write instead."""
    error = Unsupported(verdict.reason, verdict.span, messages.hint_of(verdict))
    error.args = (messages.unsupported_text(name, verdict),)
    return error


def _first_time(function: Any, place: Span | str) -> bool:
    """Whether nothing was said yet of that place, whatever the kinds of its values were."""
    try:
        said = _warned.setdefault(function, set())
    except TypeError:  # no weak reference or no hash: Python's own filter must do
        return True
    if place in said:
        return False
    said.add(place)
    return True


def _users_stacklevel() -> int:
    """The stacklevel of the first frame outside of this package, seen from our caller."""
    level, frame = 0, inspect.currentframe()
    package = __name__.partition(".")[0] + "."
    while frame is not None and frame.f_globals.get("__name__", "").startswith(package):
        level, frame = level + 1, frame.f_back
    return level
