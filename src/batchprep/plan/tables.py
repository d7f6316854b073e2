"""Constant data that a stage reads, and functions that Python itself evaluates."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from batchprep.dtypes import DType, Kind
from batchprep.plan.node import Node
from batchprep.plan.order import Structured

if TYPE_CHECKING:
    from batchprep.plan.stage import Stage


class Refused(BaseException):
    """Raised by a pure function for values that it must not touch; user code cannot catch it."""


@dataclass(frozen=True)
class Pure:
    """A pure Python function of one row's values. Equal keys mean equal functions.

    It takes what nodes hold, a string for a code, and may raise. `name` is for the printer; `sure`
    tells that it never raises, `kind` is then the kind of all its results, if they have one;
    `fresh` that an object which it gives is a new one at each call. `covers` are nodes "raises"
    that hold only where its own does. `aliases` tells that it may give an object that lives
    outside of the row, as it is: it is called for each row, and nothing is copied.
    `inner` are objects that it makes anew inside of itself, and may give or hold; `handed_on`
    those of them that its result is likely to hold as they are. Results may be kept for other
    functions where it `keeps`: they are not of any size. Where there is a `base`, it is
    `then` of what that gives for the same nodes: what is known of it need not be made again.
    """

    key: Hashable
    function: Callable[..., Any] = field(compare=False)
    name: str = field(compare=False)
    sure: bool = field(default=False, compare=False)
    kind: Kind | None = field(default=None, compare=False)
    fresh: bool = field(default=True, compare=False)
    covers: tuple[Node, ...] = field(default=(), compare=False)
    aliases: bool = field(default=False, compare=False)
    inner: tuple[Node, ...] = field(default=(), compare=False)
    handed_on: tuple[Node, ...] = field(default=(), compare=False)
    keeps: bool = field(default=True, compare=False)
    base: Pure | None = field(default=None, compare=False)
    then: Callable[[Any], Any] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Outcome(Structured):
    """One part of what a pure function gives: the attr of a node `word` or `call`.

    kind  None: the kind code of its result, "other" where no kind holds it; "raises": whether it
          raises; else the result where it is of that kind, a filler elsewhere. A list, tuple,
          dict ("struct"), "other" or "any" (whatever it gives) is a number in the pool of objects
    `word(code)` has one argument, a string: the function runs once per distinct string of the
    pool. `call(...)` has any: it runs once per distinct row of a block.
    """

    pure: Pure
    kind: Kind | Literal["raises"] | None
    dtype: DType

    @property
    def structure(self) -> tuple[Any, ...]:
        """The function's name, not its key: that holds places in files, and objects."""
        return self.pure.name, self.kind, self.dtype


def has_pieces(stage: Stage | None) -> bool:
    """Whether Python evaluates a part of a stage, if there is one."""
    return stage is not None and stage.has_pieces


@dataclass(frozen=True, eq=False)
class KeyTable(Structured):
    """Sorted, distinct int64 or float64 keys (no NaN, no -0.0).

    The node `find(x)` is 1 + the position of x among them, 0 where it is not there (int64).
    """

    keys: tuple[int, ...] | tuple[float, ...]
    dtype: DType  # "i" or "f"

    @property
    def structure(self) -> tuple[Any, ...]:
        """Keys and dtype."""
        return self.keys, self.dtype


@dataclass(frozen=True, eq=False)
class ValueTable(Structured):
    """Values by position; position 0 is a filler for "not found".

    The node `gather(position)` is the value there, of the table's dtype (b, i, f or s).
    """

    values: tuple[Any, ...]
    dtype: DType

    @property
    def structure(self) -> tuple[Any, ...]:
        """Values and dtype."""
        return self.values, self.dtype
