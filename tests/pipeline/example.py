"""A chain with the data that it runs over, as values that can be pasted into a test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from tests.fuzz.examples import OnError

Kind = Literal[
    "filter", "map", "filter_map", "flat_map", "with_columns", "select", "drop", "rename"
]
Via = Literal["list", "iterator", "arrow", "pandas", "polars"]

FUNCTION_KINDS: tuple[Kind, ...] = ("filter", "map", "filter_map", "flat_map")
COLUMN_KINDS: tuple[Kind, ...] = ("with_columns", "select", "drop", "rename")
KINDS: tuple[Kind, ...] = (*FUNCTION_KINDS, *COLUMN_KINDS)

LOOP = "_loop"  # the row function that a column expression stands for is called so, after its name
BACKENDS = ("python", "numpy", "numba")


@dataclass(frozen=True)
class Step:
    """One step: `given` are names of the module's functions, or of columns.

    A function's name, for with_columns names by column, for select and drop a tuple of columns,
    for rename new names by old.
    """

    kind: Kind
    given: Any

    def __repr__(self) -> str:
        return f"Step({self.kind!r}, {self.given!r})"


@dataclass(frozen=True)
class Call:
    """One call of the pipeline: rows, how they are handed over, and what failures do."""

    rows: list[dict[str, Any]]
    via: Via = "list"
    on_error: OnError = "null"


@dataclass(frozen=True)
class Example:
    """A module's source, the steps that name its functions, and calls of the chain.

    `copies` are functions that write into their record and return it, so that they get a copy;
    `effects` write into it and return something else: they work on the record itself.
    """

    source: str
    steps: tuple[Step, ...]
    calls: tuple[Call, ...] = ()
    copies: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()

    @property
    def logs(self) -> bool:
        """Whether a function writes down which rows it sees."""
        return "LOG.append" in self.source


def pasted(example: Example) -> str:
    """The example as an expression."""
    steps = "".join(f"        {step!r},\n" for step in example.steps)
    calls = "".join(f"        {call!r},\n" for call in example.calls)
    rest = "".join(
        f"    {name}={getattr(example, name)!r},\n"
        for name in ("copies", "effects")
        if getattr(example, name)
    )
    source = re.sub(r"\n{3,}", "\n\n", example.source)
    return (
        f"Example(\n    source='''\n{source}''',\n    steps=(\n{steps}    ),\n"
        f"    calls=(\n{calls}    ),\n{rest})"
    )
