"""How objects that hold functions travel: by reference where that works, else by cloudpickle."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable
from typing import Any

from batchprep.errors import messages


def found_by_name(named: Any, wanted: object) -> bool:
    """Whether module and qualified name of an object lead to it, in any process that imports."""
    module, name = getattr(named, "__module__", None), getattr(named, "__qualname__", "")
    # What __main__ is differs between processes.
    if module in {None, "__main__"}:
        return False
    found: Any = sys.modules.get(str(module))
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is wanted


def by_value(functions: Iterable[Callable[..., Any]]) -> bool:
    """Whether pickle alone cannot carry one of the functions."""
    for function in functions:
        try:
            pickle.dumps(function)
        except Exception:  # noqa: BLE001  an object's own __reduce__ may raise anything
            return True
        if getattr(function, "__module__", None) == "__main__":
            return True
    return False


def cloudpickled(value: Any, *, is_main: bool) -> bytes:
    """The value with its functions' code.

    Errors:  ImportError where cloudpickle is not there, unless __main__ is all that is missing
    """
    try:
        import cloudpickle
    except ImportError:
        if is_main:
            return pickle.dumps(value)
        text = messages.missing_module_text("cloudpickle", "pickling a lambda or a local function")
        raise ImportError(text) from None
    return cloudpickle.dumps(value)


def reduced(cls: type, state: dict[str, Any], functions: list[Callable[..., Any]]) -> Any:
    """What __reduce__ gives for an object of a class with that state, which holds the functions."""
    if not by_value(functions):
        return _made, (cls, state)
    is_main = all(getattr(f, "__module__", None) == "__main__" for f in functions)
    return _unpickled, (cls, cloudpickled(state, is_main=is_main))


def _made(cls: type, state: dict[str, Any]) -> Any:
    made = object.__new__(cls)
    made.__dict__.update(state)
    return made


def _unpickled(cls: type, pickled: bytes) -> Any:
    return _made(cls, pickle.loads(pickled))  # noqa: S301  part of a pickle already
