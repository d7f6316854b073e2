"""Long functions over few records: the interpreter answers until tracing them would have paid.

Tracing takes 20 to 40 us per instruction of the function, which a thousand records need not be
worth. As with skis that one may rent or buy, the interpreter runs until it has taken as long as
tracing is expected to take: in all that is never twice the best.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from batchprep.api.arguments import bind
from batchprep.api.programs import copies_of, display_name, same, surroundings
from batchprep.api.schemas import FieldsSchema
from batchprep.errors import Unsupported
from batchprep.records.source import Source
from batchprep.rowfn.record_reads import reads_fields_only
from batchprep.rowfn.source import unwrap
from batchprep.run.program import Program
from batchprep.schema import Schema

# Of an instruction, in code units: measured from 18 to 55 us with the plan and a NumPy kernel, and
# 3 to 10 ns of the interpreter, loops not counted.
TRACE_SECONDS: Final = 25e-6
ROW_SECONDS: Final = 5e-9
# Less than this is not waited for: a first call of 1,000 records stays below 50 ms.
SHORT_SECONDS: Final = 0.025
MOST_FUNCTIONS: Final = 200  # that a function calls by name; more of them are not counted
GLANCED: Final = 16
POSTPONED: Final = "not traced yet: that would take longer than the calls so far"


class Postponed:
    """What the interpreter has taken so far of a function that has not been traced."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._instructions: int | None = None
        self._seconds = 0.0
        self._around: tuple[object, ...] | None = None
        self._originals = False
        # What explain() explains where nothing was traced: of the last call.
        self.seen: tuple[Schema, tuple[Any, ...], Mapping[str, Any]] | None = None

    def program(
        self, source: Source, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Program | None:
        """The function as the interpreter runs it; None where it is time to trace it."""
        if source.kind != "list" or not self._pays_to_wait(source.length or 0):
            return None
        if not self._may_get_originals():
            return None
        self.seen = seen_fields(source), args, kwargs
        return Program(
            function=bind(self._function, args, kwargs),
            name=display_name(self._function),
            trace=None,
        )

    def took(self, seconds: float) -> None:
        """Count what a call has taken in the interpreter."""
        self._seconds += seconds

    def _may_get_originals(self) -> bool:
        """Whether the interpreter certainly needs no copies of the records."""
        around = surroundings(self._function)
        if self._around is None or not same(self._around, around):
            self._around = around
            self._originals = reads_fields_only(unwrap(self._function)) or (
                copies_of(self._function, mutable=True) == "no"
            )
        return self._originals

    def _pays_to_wait(self, rows: int) -> bool:
        if self._instructions is None:
            self._instructions = instructions(self._function)
        tracing = TRACE_SECONDS * self._instructions
        running = ROW_SECONDS * self._instructions * rows
        return tracing > SHORT_SECONDS and self._seconds + running < tracing


def is_postponed(program: Program) -> bool:
    """Whether it is only so far that the interpreter runs it."""
    return program.trace is None and program.unsupported is None


def instructions(function: Callable[..., Any]) -> int:
    """How long a function is, with those that it calls by name: in units of byte code."""
    try:
        waiting, seen = [unwrap(function).function], set[FunctionType]()
    except Unsupported:
        return 0
    while waiting and len(seen) < MOST_FUNCTIONS:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += _called(one)
    return sum(len(code.co_code) // 2 for one in seen for code in _codes(one.__code__))


def _called(function: FunctionType) -> Iterator[FunctionType]:
    contents = [cell.cell_contents for cell in function.__closure__ or () if _is_bound(cell)]
    named = [
        function.__globals__.get(name)
        for code in _codes(function.__code__)
        for name in code.co_names
    ]
    for value in [*contents, *named]:
        value = getattr(value, "__row_function__", value)  # noqa: PLW2901
        if isinstance(value, FunctionType) and not _is_standard(value):
            yield value


def _is_standard(function: FunctionType) -> bool:
    return str(function.__module__).partition(".")[0] in sys.stdlib_module_names


def _is_bound(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:  # bound only later
        return False
    return True


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def seen_fields(source: Source) -> Schema:
    """The fields of a few of the records: enough to explain a function for them later."""
    (first, *_) = source.batches(GLANCED)
    return FieldsSchema([first.field(name) for name in first.names()], source.form)
