"""The table as cases: group, name, how to make the function, and the fields that it reads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from tests.nested import (
    calls,
    expressions,
    hazards,
    loops,
    matches,
    mutation,
    partly,
    records,
    tries,
    whiles,
)
from tests.tables.cases import groups_of

# A field that is only written, as in r["total"] = 3, is none that a record has.
FIELD: Final = re.compile(r"""\br(?:\[|\.get\()["'](\w+)["'](?!\] = )""")
MODULES: Final = {
    "for loops": loops,
    "while loops": whiles,
    "try and raise": tries,
    "functions": calls,
    "match and iterators": matches,
    "mutation": mutation,
    "partial fallback": partly,
    "hazards": hazards,
}


@dataclass(frozen=True)
class Case:
    """A row function: its text `len(r["tags"])`, or what makes a function with a source.

    effect  it writes into its record and does not return it: the caller's records change
    """

    group: str
    name: str
    fields: tuple[str, ...]
    make: Callable[[], Callable[[Any], Any]] | None = None
    effect: bool = False


def _expressions() -> Iterator[Case]:
    for group, bodies in vars(expressions).items():
        if group.isupper():
            name = group.replace("_", " ").lower()
            yield from (Case(name, body, _fields(body)) for body in bodies)


def _functions(group: str, module: ModuleType) -> Iterator[Case]:
    for name, function in vars(module).items():
        if not inspect.isfunction(function) or function.__module__ != module.__name__:
            continue
        if name.startswith("makes_"):
            yield _case(group, module, function().__name__, function)
        elif next(iter(inspect.signature(function).parameters), "") == "r":
            yield _case(group, module, name, lambda function=function: function)


def _case(group: str, module: ModuleType, name: str, make: Callable[[], Any]) -> Case:
    fields = getattr(module, "FIELDS", {}).get(name) or _fields(inspect.getsource(make()))
    return Case(group, name, fields, make, effect=name in getattr(module, "EFFECTS", ()))


def _fields(text: str) -> tuple[str, ...]:
    found = (name for name in FIELD.findall(text) if name in records.PLAIN)
    return tuple(dict.fromkeys(found)) or ("n", "s", "tags", "user")


CASES: Final = (
    *_expressions(),
    *(case for group, module in MODULES.items() for case in _functions(group, module)),
)
GROUPS: Final = groups_of(CASES)
