"""Whether a function changes nothing outside of itself, as far as its source tells.

It is judged by what it can reach. All that it does goes through names from outside: globals, the
variables around it, builtins. Each of them must be a constant, a function that is judged likewise,
or one of a library that is known to change nothing; tables may only be read. What is not known
counts as a change.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, cast

from batchprep.dtypes import DROPPED
from batchprep.errors import Unsupported
from batchprep.rowfn.callees import namespace_of
from batchprep.rowfn.effects import record_effects
from batchprep.rowfn.mark_state import Effects
from batchprep.rowfn.marked import is_marked
from batchprep.rowfn.names import parameters
from batchprep.rowfn.source import Call, FunctionSource, find_source, function_name, unwrap
from batchprep.run import workers_messages as texts
from batchprep.run.workers_body import Body, Impure
from batchprep.run.workers_constants import is_constant, is_known, is_standard

OWN_CODE: Final = f"{Path(__file__).parents[1]}{os.sep}"
CHAIN: Final = f"{OWN_CODE}rowfn{os.sep}<chain "


@dataclass(frozen=True)
class Pure:
    """A function that changes nothing outside of itself.

    functions  those of users that it is made of
    flat       that holds only where its records have no lists or dicts in them
    """

    functions: tuple[FunctionType, ...]
    flat: bool


def judge(function: Callable[..., Any], *, copied: bool = False) -> Pure:
    """What makes it pure; `copied`: it is given a copy of each record, which it may write into.

    Errors:  Impure with the reason
    """
    found = Judge()
    found.row_function(function, copied=copied)
    return found.verdict()


def judge_all(functions: Sequence[Callable[..., Any]]) -> Pure:
    """What makes several functions pure, each of which is given a row.

    Errors:  Impure with the reason
    """
    found = Judge()
    for function in functions:
        found.row_function(function, copied=False)
    return found.verdict()


def judge_program(function: Callable[..., Any], *, copied: bool) -> Pure:
    """The same of a program's function, which may be made of several.

    Errors:  Impure with the reason
    """
    several: Sequence[Callable[..., Any]] | None = getattr(function, "row_functions", None)
    return judge(function, copied=copied) if several is None else judge_all(several)


@dataclass
class Judge:
    """The functions judged so far; those that write into what they are given are `writers`."""

    functions: dict[CodeType, FunctionType] = field(default_factory=dict[CodeType, FunctionType])
    writers: list[str] = field(default_factory=list[str])
    passes: set[str] = field(default_factory=set[str])
    flat: bool = False

    def verdict(self) -> Pure:
        """What was found: no function that writes into its arguments may get a record.

        Errors:  Impure
        """
        if self.writers and "record" in self.passes:
            raise Impure(texts.writes_text(self.writers[0]))
        flat = self.flat or (bool(self.writers) and "part" in self.passes)
        return Pure(tuple(self.functions.values()), flat)

    def row_function(self, function: Callable[..., Any], *, copied: bool) -> None:
        """Judge a function that is given the record.

        Errors:  Impure
        """
        if self._is_marked(function) or is_known(function):
            return
        try:
            call = unwrap(function)
        except Unsupported as verdict:
            raise Impure(verdict.reason) from None
        if self._is_marked(call.function):
            return
        if call.function.__code__.co_filename.startswith(CHAIN):
            self._chain(call.function)
        else:
            self._one(call, copied=copied)

    def _one(self, call: Call, *, copied: bool) -> None:
        name = function_name(call.function)
        for value in (*call.args, *call.keywords.values()):
            if not is_constant(value):
                raise Impure(texts.argument_text(name, value))
        source = self._reached(call.function)
        names = call.function.__code__.co_varnames[len(call.args) :]
        effects = record_effects(source, next(iter(names), None), namespace_of(call.function))
        if not copied:
            if effects.writes_record or effects.writes_deep:
                raise Impure(texts.writes_text(name))
            self.flat |= effects.augments
        self.passes |= _passes(effects)

    def _chain(self, chain: FunctionType) -> None:
        """The steps of a pipeline: each function gets the row, or a copy that the chain makes."""
        self.functions[chain.__code__] = chain
        for node in ast.walk(find_source(chain).node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                function: Any = chain.__globals__[node.func.id]
                if not _is_own(function):
                    copied = any(isinstance(argument, ast.Call) for argument in node.args)
                    self.row_function(function, copied=copied)

    # ---------------------------------------------------------------------- what names stand for

    def value(self, value: object, name: str) -> None:
        """Judge an object that the function reaches, and may do anything with.

        Errors:  Impure
        """
        if is_constant(value) or value is DROPPED or is_known(value) or self._is_marked(value):
            return
        if isinstance(value, FunctionType) and not is_standard(value):
            self._called(value)
        elif isinstance(value, type) and issubclass(value, BaseException):
            self._exception(value)
        else:
            raise Impure(texts.unknown_text(name, value))

    def table(self, held: tuple[object, ...], name: str) -> None:
        """Judge what a table holds: constants and functions.

        Errors:  Impure
        """
        for item in held:
            if type(item) is tuple:
                self.table(cast("tuple[object, ...]", item), name)
            else:
                self.value(item, f"an item of {name}")

    def _is_marked(self, value: object) -> bool:
        if not is_marked(value) or not callable(value):
            return False
        if isinstance(value, FunctionType):
            self.functions[value.__code__] = value
        return True

    def _exception(self, kind: type[BaseException]) -> None:
        for base in kind.__mro__:
            if base.__module__ == "builtins":
                continue
            for name, member in vars(base).items():
                if isinstance(member, FunctionType):
                    self._called(member, own=1)
                elif not name.startswith("__") and not is_constant(member):
                    raise Impure(texts.unknown_text(f"{base.__name__}.{name}", member))

    def _called(self, function: FunctionType, *, own: int = 0) -> None:
        """A function that is called with no one knows what.

        `own` are parameters at the beginning that get an object of its own: an exception that
        sets its attributes writes into nothing that others see.
        """
        if function.__code__ in self.functions or _is_own(function):
            return
        source = self._reached(function)
        namespace = namespace_of(function)
        for parameter in parameters(source.node)[own:]:
            effects = record_effects(source, parameter, namespace)
            if effects.writes_record or effects.writes_deep:
                self.writers.append(function_name(function))
            self.flat |= effects.augments

    def _reached(self, function: FunctionType) -> FunctionSource:
        """The source of a function, whose names are judged."""
        try:
            source = find_source(function, plain=False)
        except Unsupported as verdict:
            raise Impure(verdict.reason) from None
        self.functions[function.__code__] = function
        name = function_name(function)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            if not is_constant(value):
                raise Impure(texts.default_text(name, value))
        try:
            Body(function, source, self.value, self.table).check()
        except RecursionError:
            raise Impure(texts.does_text(name, "is nested too deep to be judged")) from None
        return source


def _passes(effects: Effects) -> set[str]:
    found = {"record": effects.passes_record, "part": effects.passes_part}
    return {what for what, passed in found.items() if passed}


def _is_own(value: object) -> bool:
    """Whether it is a function of this package, none of which changes anything."""
    if not isinstance(value, FunctionType):
        return False
    file = value.__code__.co_filename
    return file.startswith(OWN_CODE) and not file.startswith(CHAIN)
