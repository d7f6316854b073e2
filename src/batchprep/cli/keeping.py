"""`--keep`: columns of the input beside what the row function gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

EVERY_COLUMN: Final = "*"


def with_record(function: Callable[[Any], Any], column: str) -> Callable[[Any], dict[Any, Any]]:
    """A row function that gives the record and the function's result beside it.

    The keys of a dict join the record's; any other result, None among them, stands in `column`.
    Where a name is in both, the result's value counts.

    >>> with_record(lambda r: r["n"] * 2, "double")({"n": 1})
    {'n': 1, 'double': 2}
    >>> with_record(lambda r: {"n": 0, "m": 5}, "value")({"n": 1})
    {'n': 0, 'm': 5}
    """

    def with_result(r: Any) -> dict[Any, Any]:
        result = function(r)
        return {**r, **result} if isinstance(result, dict) else {**r, column: result}

    with_result.__qualname__ = getattr(function, "__qualname__", column)  # for reports
    return with_result


def columns_to_keep(text: str) -> list[str]:
    """The names of `a,b`; [EVERY_COLUMN] for `*`.

    >>> columns_to_keep("a, b,")
    ['a', 'b']
    """
    return list(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def output_columns(kept: Sequence[str], results: Sequence[str]) -> list[str]:
    """The columns of the output: those kept, then the function's."""
    return [*(name for name in kept if name not in results), *results]
