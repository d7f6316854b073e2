"""Further arguments of a call: constants of the compiled function, told apart by value and type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import FunctionType
from typing import Any, Final

ATOMS: Final = (int, str, bytes, bool, type(None))
# Equal values of these types may still differ: 0.0 and -0.0, one instant in two time zones.
BY_REPR: Final = (float, complex, Decimal, date, datetime, time, timedelta)
SEQUENCES: Final = (list, tuple)
SETS: Final = (set, frozenset)


class Same:
    """An object that equals itself alone: it is kept, so that its id stays its own."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def fingerprint(value: Any) -> object:
    """What a value is now: equal fingerprints mean equal type and content, at every depth.

    1, 1.0 and True differ, as do 0.0 and -0.0; a list that has changed since differs from itself.
    Objects of other types are told apart by identity.
    """
    kind = type(value)
    if kind in ATOMS:
        return kind, value
    if kind in BY_REPR:
        return kind, repr(value)
    if kind in SEQUENCES:
        return kind, tuple(map(fingerprint, value))
    if kind in SETS:
        return kind, frozenset(map(fingerprint, value))
    if kind is dict:
        return kind, tuple((fingerprint(k), fingerprint(v)) for k, v in value.items())
    return kind, Same(value)


def arguments_fingerprint(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> object:
    """The fingerprint of all further arguments of a call."""
    if not args and not kwargs:
        return ()
    return fingerprint(args), tuple((name, fingerprint(kwargs[name])) for name in kwargs)


def takes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a plain function takes a record and these further arguments; else True.

    False says that calling it raises TypeError before its first line.
    """
    inner = getattr(function, "__func__", function)
    # What is wrapped may take other arguments than it shows.
    if not isinstance(inner, FunctionType) or vars(inner).keys() & {"__wrapped__", "__signature__"}:
        return True
    try:
        inspect.signature(function).bind(None, *args, **kwargs)
    except TypeError:
        return False
    return True


def bind(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Callable[[Any], Any]:
    """A function of the record alone."""
    if not args and not kwargs:
        return function
    named = _as_keywords(function, args, kwargs)
    if named is not None:
        # partial adds no Python frame of its own: neither to the time nor to a traceback.
        return functools.partial(function, **named)

    def call(record: Any) -> Any:
        return function(record, *args, **kwargs)

    return call


def _as_keywords(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any] | None:
    if not args:
        return dict(kwargs)
    try:
        parameters = list(inspect.signature(function).parameters.values())[1 : 1 + len(args)]
    except (TypeError, ValueError):
        return None
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    # A clash is the function's own TypeError, which the plain call raises.
    if len(names) != len(args) or any(name in kwargs for name in names):
        return None
    return {**dict(zip(names, args, strict=True)), **kwargs}
