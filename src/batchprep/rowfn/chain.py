"""Steps in a row as one row function: what the tracer compiles, the interpreter runs as it is.

filter(cheap).map(features)      def chain(row):
                                     if not f0(row):
                                         return DROPPED
                                     row = f1(row)
                                     return row
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, Final, Literal

from batchprep.batch.copies import deep_copy, record_copy
from batchprep.dtypes import DROPPED
from batchprep.rowfn import keys
from batchprep.rowfn.source import function_name
from batchprep.rowfn.steps import (
    Drop,
    Filter,
    FilterMap,
    FlatMap,
    Map,
    Rename,
    RowFunction,
    Select,
    Step,
    WithColumns,
)

Copies = Literal["no", "shallow", "deep"]

# Inside of the package's own folder: these frames are left out of what a user sees.
FOLDER: Final = Path(__file__).parent
_numbers = itertools.count(1)


class _Text:
    """The lines of a chain, and the objects that its names stand for."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.namespace: dict[str, Any] = {"DROPPED": DROPPED}

    def name(self, value: Any) -> str:
        """A name for an object."""
        name = f"f{len(self.namespace) - 1}"
        self.namespace[name] = value
        return name

    def call(self, function: RowFunction, copies: Copies) -> str:
        """A call with the row, or with a copy where the function writes into it."""
        row = "row" if copies == "no" else f"{self.name(COPIERS[copies])}(row)"
        return f"{self.name(function)}({row})"

    def put(self, *lines: str) -> None:
        """Further lines."""
        self.lines += lines


COPIERS: Final[dict[str, Any]] = {"shallow": record_copy, "deep": deep_copy}


def chain_function(steps: Sequence[Step], copies: Sequence[Copies]) -> FunctionType:
    """The function of one row that runs the steps; DROPPED for a row that goes no further.

    `copies` says for each step whether its function gets the row or a copy. None of the steps is
    a FlatMap.
    """
    text = _Text()
    for step, copy in zip(steps, copies, strict=True):
        _put(text, step, copy)
    return _compiled(text, chain_name(steps))


def chain_name(steps: Sequence[Step]) -> str:
    """The steps as reports name them.

    >>> chain_name([Select(("a", "b")), Filter(abs)])
    'select(a, b) > filter(abs)'
    """
    return " > ".join(map(step_name, steps))


def step_name(step: Step) -> str:
    """One step as reports name it."""
    match step:
        case WithColumns(columns):
            return f"with_columns({', '.join(name for name, _ in columns)})"
        case Select(names):
            return f"select({', '.join(names)})"
        case Drop(names):
            return f"drop({', '.join(names)})"
        case Rename(names):
            return f"rename({', '.join(f'{old}: {new}' for old, new in names)})"
        case _:
            return f"{METHODS[type(step)]}({_short_name(step.function)})"


METHODS: Final[dict[type, str]] = {
    Filter: "filter",
    Map: "map",
    FilterMap: "filter_map",
    FlatMap: "flat_map",
}


def _short_name(function: Any) -> str:
    name = function_name(function) if isinstance(function, FunctionType) else None
    return name or str(getattr(function, "__name__", type(function).__name__))


def _put(text: _Text, step: Step, copies: Copies) -> None:
    match step:
        case Filter(function):
            text.put(f"if not {text.call(function, copies)}:", "    return DROPPED")
        case Map(function):
            text.put(f"row = {text.call(function, copies)}")
        case FilterMap(function):
            text.put(f"row = {text.call(function, copies)}", "if row is None:")
            text.put("    return DROPPED")
        case WithColumns(columns):
            items = ", ".join(f"{name!r}: {text.call(f, copies)}" for name, f in columns)
            text.put(f"row = {text.name(keys.with_keys)}(row, {{{items}}})")
        case Select(names):
            text.put(f"row = {text.name(keys.select_keys)}(row, {text.name(names)})")
        case Drop(names):
            text.put(f"row = {text.name(keys.drop_keys)}(row, {text.name(names)})")
        case Rename(names):
            text.put(f"row = {text.name(keys.rename_keys)}(row, {text.name(dict(names))})")
        case _:
            raise TypeError(step)


def _compiled(text: _Text, name: str) -> FunctionType:
    """The function, whose source is found where Python's own tools look for it."""
    lines = ["def chain(row):", *(f"    {line}" for line in text.lines), "    return row"]
    source = "".join(f"{line}\n" for line in lines)
    file = str(FOLDER / f"<chain {next(_numbers)}>")
    namespace: dict[str, Any] = {**text.namespace, "__name__": __name__}
    exec(compile(source, file, "exec"), namespace)  # noqa: S102  no text of a user is in it
    function: FunctionType = namespace["chain"]
    function.__qualname__ = name
    # No modification time: linecache keeps what no file on disk can be newer than.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    weakref.finalize(function, linecache.cache.pop, file, None)
    return function
