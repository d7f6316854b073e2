"""The table as cases: group, name, function or its text, and the fields that it reads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from tests.objects import expressions_numbers, expressions_tables, expressions_times, values
from tests.objects.functions import FUNCTIONS

FIELD: Final = re.compile(r"""\br(?:\[|\.get\()\\?["'](\w+)\\?["']""")
MODULES: Final = (expressions_numbers, expressions_times, expressions_tables)
WHOLE: Final = ("n", "k", "x")  # of a function that reads the record as a whole


@dataclass(frozen=True)
class Case:
    """A row function: its text `r["d"] + 1`, or a function with a source of its own."""

    group: str
    name: str
    fields: tuple[str, ...]
    function: Callable[[Any], Any] | None = None


def _expressions(module: ModuleType) -> Iterator[Case]:
    for group, bodies in vars(module).items():
        if group.isupper():
            name = group.replace("_", " ").lower()
            yield from (Case(name, body, _fields(body)) for body in bodies)


def _functions() -> Iterator[Case]:
    for group, functions in FUNCTIONS.items():
        for function in functions:
            fields = _fields(inspect.getsource(function))
            yield Case(group, function.__name__, fields, function)


def _fields(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(name for name in FIELD.findall(text) if name in values.PLAIN)
    return tuple(found) or WHOLE


CASES: Final = (*(c for module in MODULES for c in _expressions(module)), *_functions())
GROUPS: Final = tuple(dict.fromkeys(case.group for case in CASES))
