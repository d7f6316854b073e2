"""The state of an abstract run: which marks each name carries, and what was found."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from batchprep.rowfn.callees import Follow, handed_on, method_of_record, result_marks
from batchprep.rowfn.marks import (
    HOLDS_PART,
    HOLDS_RECORD,
    NOTHING,
    PART,
    RECORD,
    Marks,
    holding,
)
from batchprep.rowfn.names import FunctionNames
from batchprep.rowfn.syntax import root_name

UNKNOWN: Final = object()


@dataclass(frozen=True)
class Effects:
    """What a row function may do: False is certain, True means that it cannot be excluded.

    writes_record    an item or attribute of the record itself is set or deleted
    writes_deep      something that was read out of the record is changed in place
    returns_record   the result is the record or holds it
    passes_record    the record goes to code that is not seen here (or is kept outside)
    passes_part      a value out of the record goes there
    augments         `x += ...` on a value out of the record: a write if it is a list, dict or set
    """

    writes_record: bool
    writes_deep: bool
    returns_record: bool
    passes_record: bool
    passes_part: bool
    augments: bool


class MarkState:
    """The marks of each name at a point of an abstract run, and the effects found so far."""

    def __init__(
        self,
        names: FunctionNames,
        namespace: Mapping[str, object],
        follow: Follow,
        record_class: type | None,
    ) -> None:
        self.names = names
        self.namespace = namespace
        self.follow = follow
        self.record_class = record_class
        self.effects: set[str] = set()
        self.env: dict[str, Marks] = {}
        self.ever: dict[str, Marks] = {}  # all marks that a name ever had: what closures may see
        self.leaked: dict[str, Marks] = {}  # marks that nested functions gave to names outside
        self.passed: Marks = NOTHING  # of all arguments of all calls: what nested functions get
        self.returned: Marks = NOTHING
        self.only_add = False
        self.nested = False

    def state(self) -> object:
        """All that grows from round to round."""
        return (
            frozenset(self.effects),
            dict(self.ever),
            dict(self.leaked),
            self.passed,
        )

    def write(self, marks: Marks) -> None:
        """Something is changed in place."""
        if RECORD in marks:
            self.effects.add("writes_record")
        if PART in marks:
            self.effects.add("writes_deep")

    def hand_over(self, marks: Marks) -> None:
        """Something goes where this run does not see it."""
        if marks & {RECORD, HOLDS_RECORD}:
            self.effects.add("passes_record")
        if marks & {PART, HOLDS_PART}:
            self.effects.add("passes_part")

    def keep(self, holder: ast.expr, marks: Marks) -> None:
        """Something is put into the object that an expression gives."""
        root = root_name(holder)
        if root is None or root not in self.names.own or root in self.names.outside:
            self.hand_over(marks)
        if root is not None:
            for name in self.names.group(root):
                self.add(name, holding(marks))

    def bind(self, name: str, marks: Marks) -> None:
        """A name gets a value; where code may run in any order it keeps its older marks too."""
        if name in self.names.outside and name not in self.names.own:
            self.hand_over(marks)
        self.env[name] = marks | (self.env.get(name, NOTHING) if self.only_add else NOTHING)
        self.remember(name, marks)

    def add(self, name: str, marks: Marks) -> None:
        self.env[name] = self.env.get(name, NOTHING) | marks
        self.remember(name, marks)

    def remember(self, name: str, marks: Marks) -> None:
        self.ever[name] = self.ever.get(name, NOTHING) | marks
        if self.nested:
            self.leaked[name] = self.leaked.get(name, NOTHING) | marks

    def load(self, name: str) -> Marks:
        return self.env.get(name, NOTHING) | self.leaked.get(name, NOTHING)

    def resolved(self, node: ast.expr) -> object:
        """The object that a name or `module.name` means, UNKNOWN if it may be anything."""
        match node:
            case ast.Name(id=name) if name not in self.names.own:
                return self.namespace.get(name, vars(builtins).get(name, UNKNOWN))
            case ast.Attribute(value=value, attr=attr):
                module = self.resolved(value)
                if isinstance(module, types.ModuleType):
                    return vars(module).get(attr, UNKNOWN)
            case _:
                pass
        return UNKNOWN

    def result_of(self, function: types.FunctionType, parameter: str) -> Marks:
        """What a function that gets the record gives; NOTHING where it cannot be read."""
        effects = self.follow(function, parameter)
        if effects is None:
            return NOTHING
        written, passed = handed_on(effects)
        self.write(written)
        self.hand_over(passed)
        return result_marks(effects)

    def result_of_method(self, name: str, owner: Marks) -> Marks:
        """The same of a method of the record, which gets nothing else."""
        method = method_of_record(self.record_class, name, owner)
        return NOTHING if method is None else self.result_of(method, method.__code__.co_varnames[0])

    @contextmanager
    def any_order(self) -> Generator[None]:
        """Code that may run not at all, in part or again."""
        before, self.only_add = self.only_add, True
        yield
        self.only_add = before
