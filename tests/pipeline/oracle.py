"""Nested loops: what a chain gives, record by record, and where each row fails."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.examples import OnError
from tests.pipeline.example import COLUMN_KINDS, LOOP, Example, Step


@dataclass(frozen=True)
class Outcome:
    """What comes out of the innermost loop once: a value, or the exception that ends the row."""

    row: int  # of the source
    value: Any = None
    error: Exception | None = None
    position: int = -1  # of the step that raised
    is_record: bool = False  # the value is the source's own record


@dataclass(frozen=True)
class Loops:
    """The nested loops of a chain over the functions of a namespace."""

    example: Example
    namespace: Mapping[str, Any]
    keys: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def outcomes(self, records: Sequence[Any], on_error: OnError) -> list[Outcome]:
        """What comes out, in order; under "raise" up to and with the first failure."""
        found: list[Outcome] = []
        for row, record in enumerate(records):
            for value, error, position in self.rows(record, 0):
                found.append(Outcome(row, value, error, position, value is record))
                if error is not None and on_error == "raise":
                    return found
        return found

    def rows(self, value: Any, position: int) -> Iterator[tuple[Any, Exception | None, int]]:
        """The value through the steps from a position on."""
        if position == len(self.example.steps):
            yield value, None, -1
            return
        if self.example.steps[position].kind in COLUMN_KINDS:
            self.keys[position].update(value)
        inner = _STEPS[self.example.steps[position].kind](self, position, value)
        while True:
            try:
                item = next(inner)
            except StopIteration:
                return
            except Stopped as stopped:
                yield None, stopped.args[0], position
                return
            except Exception as error:  # noqa: BLE001  whatever the row raises is its failure
                yield None, error, position
                return
            yield from self.rows(item, position + 1)

    def lacking(self) -> set[str]:
        """Names of columns that a step wants and none of its rows so far had."""
        steps = enumerate(self.example.steps)
        return {name for at, step in steps for name in self._wanted(step) - self.keys[at]}

    def _wanted(self, step: Step) -> set[str]:
        if step.kind == "with_columns":
            values = [self.namespace[name] for name in step.given.values()]
            return {name for value in values for name in getattr(value, "columns", ())}
        return set(step.given) if step.kind in COLUMN_KINDS else set()

    def step(self, position: int) -> Step:
        return self.example.steps[position]

    def call(self, name: str, value: Any) -> Any:
        """The function's answer; what StopIteration means is kept out of our generators."""
        function = self.namespace.get(name + LOOP, self.namespace[name])
        if name in self.example.copies:
            value = copy.deepcopy(value)
        return function(value)


# Each gives what goes on to the next step. No generators: they would turn the StopIteration of
# a row function into a RuntimeError.


def _filter(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    return _later(lambda: [value] if loops.call(loops.step(position).given, value) else [])


def _map(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    return _later(lambda: [loops.call(loops.step(position).given, value)])


def _filter_map(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    def found() -> list[Any]:
        result = loops.call(loops.step(position).given, value)
        return [] if result is None else [result]

    return _later(found)


def _flat_map(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    return _later(lambda: iter(loops.call(loops.step(position).given, value)))


def _with_columns(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    named = loops.step(position).given

    def widened() -> list[Any]:
        return [{**value, **{name: loops.call(f, value) for name, f in named.items()}}]

    return _later(widened)


def _select(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    names = loops.step(position).given
    return _later(lambda: [{k: value[k] for k in names if k in value}])


def _drop(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    names = loops.step(position).given
    return _later(lambda: [{k: v for k, v in value.items() if k not in names}])


def _rename(loops: Loops, position: int, value: Any) -> Iterator[Any]:
    new = loops.step(position).given
    return _later(lambda: [{new.get(k, k): v for k, v in value.items()}])


class _later(Iterator[Any]):  # noqa: N801  reads as a verb
    """The items of what a call gives; the call happens when the first is asked for."""

    def __init__(self, items: Callable[[], Any]) -> None:
        self._items, self._iterator = items, None

    def __next__(self) -> Any:
        if self._iterator is None:
            try:
                self._iterator = iter(self._items())
            except StopIteration as error:
                raise Stopped(error) from error
        return next(self._iterator)


class Stopped(Exception):  # noqa: N818  stands for a StopIteration
    """A row function raised StopIteration, which must not end a loop."""


_STEPS: dict[str, Callable[[Loops, int, Any], Iterator[Any]]] = {
    "filter": _filter,
    "map": _map,
    "filter_map": _filter_map,
    "flat_map": _flat_map,
    "with_columns": _with_columns,
    "select": _select,
    "drop": _drop,
    "rename": _rename,
}
