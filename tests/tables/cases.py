"""Cases of a table: a group, a name, a row function or its text, and the fields that it reads."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from tests.tables.answering import Verdict

FieldsOf = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True)
class Case:
    """A row function: its text `r["s"].strip()`, or a function with a source of its own."""

    group: str
    name: str
    fields: tuple[str, ...]
    function: Callable[[Any], Any] | None = None


def expressions_of(modules: Iterable[ModuleType], fields_of: FieldsOf) -> Iterator[Case]:
    """A case for each text of the modules' constants, whose names are the groups."""
    for module in modules:
        for group, bodies in vars(module).items():
            if group.isupper():
                name = group.replace("_", " ").lower()
                yield from (Case(name, body, fields_of(body)) for body in bodies)


def functions_of(
    groups: Mapping[str, Iterable[Callable[[Any], Any]]], fields_of: FieldsOf
) -> Iterator[Case]:
    """A case for each function."""
    for group, functions in groups.items():
        for function in functions:
            fields = fields_of(inspect.getsource(function))
            yield Case(group, function.__name__, fields, function)


def groups_of(cases: Sequence[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.group for case in cases))


def asked(cases: Sequence[Any], numba_every: int) -> list[Any]:
    """Parameters: every case on each backend, but on numba each n-th only."""
    return [
        pytest.param(case, backend, id=f"{case.group}: {case.name} [{backend}]")
        for backend, every in {"python": 1, "numpy": 1, "numba": numba_every}.items()
        for case in cases[::every]
    ]


def named_twice(cases: Sequence[Any]) -> list[tuple[str, str]]:
    """Groups and names that more than one case has."""
    names = Counter((case.group, case.name) for case in cases)
    return [name for name, count in names.items() if count > 1]


def misspelled(verdicts: Mapping[str, Verdict]) -> list[str]:
    """Cases in which a name is none."""
    return [name for name, verdict in verdicts.items() if verdict.is_misspelled]


def always_raising(verdicts: Mapping[str, Verdict]) -> list[str]:
    """Cases that raise for every record."""
    return [name for name, verdict in verdicts.items() if verdict.always_raises]


def compiled_note(
    group: str, verdicts: Mapping[str, Verdict], *, deviations: bool = False
) -> tuple[int, str]:
    """How many cases of a group compile, and a note that names the others and why."""
    others = [
        f"    {name}    ({verdict.reason})"
        for name, verdict in verdicts.items()
        if not verdict.compiled
    ]
    compiled = len(verdicts) - len(others)
    if deviations:
        others += [
            f"    {name}    compiles; {one.deviating} of {len(one.outcomes)} rows deviate"
            for name, one in verdicts.items()
            if one.deviating > one.failing
        ]
    return compiled, "\n".join([f"{group}: {compiled} of {len(verdicts)} compile", *others])
