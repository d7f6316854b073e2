"""Tables of row functions over plain objects, and the comparison with their loop.

Compared are values, types, key order, the order of sets, exceptions, which objects are one object
(inside of a result, between results, with records and with what the function owns), and what
becomes of the records.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import batchprep as bp

RowFunction = Callable[[Any], Any]
MUTABLE = (list, dict, set, bytearray)
MANY = 130  # rows: enough for equal ones to be taken together


@dataclass(frozen=True)
class Case:
    """A row function and the records that once told it from its loop.

    owned   objects that live outside of the rows
    effect  whether it lives by what it does to its records
    """

    function: RowFunction
    records: tuple[Any, ...]
    owned: tuple[Any, ...] = ()
    effect: bool = False

    def __str__(self) -> str:
        return self.function.__name__


@dataclass
class Cases:
    """A table of cases; `@cases(record, ...)` adds the function below it."""

    listed: list[Case] = field(default_factory=list)

    def __call__(
        self, *records: Any, owned: tuple[Any, ...] = (), effect: bool = False
    ) -> Callable[[RowFunction], RowFunction]:
        def note(function: RowFunction) -> RowFunction:
            self.listed.append(Case(function, records, owned, effect))
            return function

        return note


@dataclass(frozen=True)
class Run:
    """What a function gave for some records: None and the exception where a row raised."""

    results: list[Any]
    errors: list[tuple[int, str, str]]  # row, type, message
    records: list[Any]


def shape(value: Any) -> Any:
    """Types, values and order; of each mutable object, which one of those seen it is."""
    seen: dict[int, int] = {}

    def walk(one: Any) -> Any:
        number = seen.setdefault(id(one), len(seen)) if isinstance(one, MUTABLE) else None
        name = type(one).__name__
        if isinstance(one, (list, tuple)):
            return number, name, [walk(part) for part in one]
        if isinstance(one, dict):
            return number, name, [(walk(key), walk(part)) for key, part in one.items()]
        return number, name, repr(one)

    return walk(value)


def loop(function: RowFunction, records: Sequence[Any]) -> Run:
    """The plain loop over copies of the records."""
    own = [copy.deepcopy(record) for record in records]
    results: list[Any] = []
    errors: list[tuple[int, str, str]] = []
    for row, record in enumerate(own):
        try:
            results.append(function(record))
        except Exception as error:  # noqa: BLE001  whatever the row raises is the specification
            results.append(None)
            errors.append((row, type(error).__name__, str(error)))
    return Run(results, errors, own)


def vectorized(function: RowFunction, records: Sequence[Any], **options: Any) -> Run:
    """The vectorized function over copies of the records, with on_error="null"."""
    own = [copy.deepcopy(record) for record in records]
    run = bp.vectorize(function, on_unsupported="ignore")
    with bp.use(on_error="null", threads=1, **options):
        results = run(own)
    failures = run.report().failures.to_pylist()
    return Run(results, [(f["row"], f["type"], f["message"]) for f in failures], own)


def check(case: Case, backend: str) -> None:
    """Compare the case with its loop: over a few rows, and over so many that rows repeat."""
    few = list(case.records)
    many = list(itertools.islice(itertools.cycle(few), MANY))
    for records in (few, many):
        expected = loop(case.function, records)
        found = vectorized(case.function, records, backend=backend)
        _equal("failures", found.errors, expected.errors)
        compare(case, records, found, expected)
        if expected.errors:
            check_raise(case, records, backend)


def compare(case: Case, records: Sequence[Any], found: Run, expected: Run) -> None:
    """Compare results and what they share, and what became of the records."""
    before = [shape(record) for record in records]
    after = [shape(record) for record in expected.records]
    left = after if case.effect else before
    _equal("records", [shape(record) for record in found.records], left)
    with_records = case.effect or after == before  # else it works on a copy of its record
    mine, theirs = (
        [case.owned, run.results, run.records if with_records else None]
        for run in (found, expected)
    )
    _equal("results", shape(mine), shape(theirs))


def _equal(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        text = f"{what}:\n  found    {found!r}\n  the loop {expected!r}"
        raise AssertionError(text)


def check_raise(case: Case, records: Sequence[Any], backend: str) -> None:
    """Under on_error="raise" the first failing row's own exception leaves the call."""
    errors: list[Exception | None] = []
    run = bp.vectorize(case.function, on_unsupported="ignore", backend=backend)
    for rows in (run, lambda own: [case.function(record) for record in own]):
        error = None
        try:
            rows(copy.deepcopy(list(records)))
        except Exception as raised:  # noqa: BLE001  it is what is compared
            error = raised
        errors.append(error)
    mine, theirs = ((type(error), shape(getattr(error, "args", ()))) for error in errors)
    _equal("exception", mine, theirs)


def is_compiled(case: Case) -> bool:
    """Whether the function is compiled, pieces and all."""
    run = bp.vectorize(case.function, on_unsupported="ignore", backend="numpy", on_error="null")
    with contextlib.suppress(Exception):
        run(copy.deepcopy(list(case.records)))
    return run.report().stages[0].compiled
