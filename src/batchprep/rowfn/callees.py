"""Effects of the plain functions that a row function hands its record to."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, WrapperDescriptorType
from typing import TYPE_CHECKING, Final

from batchprep.errors import Unsupported
from batchprep.rowfn.marks import NOTHING, PART, RECORD, Marks, elements
from batchprep.rowfn.source import find_source

if TYPE_CHECKING:
    from batchprep.rowfn.mark_state import Effects

# (function, the parameter that gets the record) -> its effects; None where it cannot be read.
Follow = Callable[[FunctionType, str], "Effects | None"]

ONLY_RECORD: Final[Marks] = frozenset({RECORD})
_DEEPEST: Final = 8  # helpers of helpers


def parameter_of_record(function: object, node: ast.Call, given: list[Marks]) -> str | None:
    """The parameter that gets the record, where the record itself is all that is handed over."""
    if not isinstance(function, FunctionType) or node.keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    places = [place for place, marks in enumerate(given) if marks]
    code = function.__code__
    if len(places) != 1 or given[places[0]] != ONLY_RECORD or places[0] >= code.co_argcount:
        return None
    return code.co_varnames[places[0]]


def method_of_record(class_: type | None, name: str, owner: Marks) -> FunctionType | None:
    """The plain method that a call of the record's own runs; None where that is not known.

    An instance may have a function of that name in its own __dict__: not one of a row's class.
    """
    if class_ is None or owner != ONLY_RECORD:
        return None
    if not isinstance(class_.__getattribute__, WrapperDescriptorType):
        return None
    if name in getattr(class_, "__dataclass_fields__", ()):
        return None
    found = next((vars(base)[name] for base in class_.__mro__ if name in vars(base)), None)
    if not isinstance(found, FunctionType) or not found.__code__.co_argcount:
        return None
    # super() gives the record under another name.
    return None if "__class__" in found.__code__.co_freevars else found


def result_marks(effects: Effects) -> Marks:
    """What the helper's result may be: something out of the record, or the record."""
    return elements(frozenset({RECORD})) | (
        frozenset({RECORD}) if effects.returns_record else NOTHING
    )


def handed_on(effects: Effects) -> tuple[Marks, Marks]:
    """(written, passed on) by the helper, as marks of its caller's record."""
    parts: Marks = frozenset({PART})
    written = (ONLY_RECORD if effects.writes_record else NOTHING) | (
        parts if effects.writes_deep or effects.augments else NOTHING
    )
    passed = (ONLY_RECORD if effects.passes_record else NOTHING) | (
        parts if effects.passes_part else NOTHING
    )
    return written, passed


def namespace_of(function: FunctionType) -> Mapping[str, object]:
    """Globals, builtins and closure values that the function's names mean."""
    closure = inspect.getclosurevars(function)
    return {**closure.builtins, **closure.globals, **closure.nonlocals}


def followed(
    record_effects: Callable[..., Effects], running: frozenset[CodeType] = frozenset()
) -> Follow:
    """Reads helpers with `record_effects`, and their helpers, but no function inside itself."""

    def follow(function: FunctionType, parameter: str) -> Effects | None:
        code = function.__code__
        if code in running or len(running) >= _DEEPEST:
            return None
        try:
            source = find_source(function)
        except Unsupported:
            return None
        inner = followed(record_effects, running | {code})
        return record_effects(source, parameter, namespace_of(function), inner)

    return follow
