"""What a call runs: the row function, its compiled form, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from batchprep.errors import Unsupported
from batchprep.plan.stage import MathMode
from batchprep.rowfn.chain import Copies
from batchprep.rowfn.source import FunctionSource

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.rowfn.trace import Trace

BackendName = Literal["auto", "python", "numpy", "numba"]
OnError = Literal["raise", "null", "drop"]
# What a part of a run does: "keep" leaves a mark where a row failed, for the part after it.
Handling = Literal["raise", "null", "drop", "keep"]
Form = Literal["python", "arrow"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a call runs. `location` names the data in messages: "" for data in memory."""

    backend: BackendName = "auto"
    math: MathMode = "exact"
    on_error: Handling = "raise"
    threads: int = 1
    python_workers: int = 1  # processes for what the interpreter runs
    returns: pa.DataType | pa.Schema | None = None
    location: str = ""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A row function with the call's further arguments bound.

    trace        its compiled form; None: the interpreter runs it whole, for the reason given
    unsupported  that reason
    copies       what the interpreter is given: the caller's own records, or copies of them,
                 because the function writes into its record and returns it
    spared       whether records of a class are given as they are nevertheless
    drops        whether it may give DROPPED for a row, which then has no result
    """

    function: Callable[[Any], Any]
    name: str
    trace: Trace | None
    unsupported: Unsupported | None = None
    copies: Copies = "no"
    spared: Callable[[type], bool] | None = None
    source: FunctionSource | None = None
    drops: bool = False

    @cached_property
    def interpreted(self) -> Program:
        """The same as the interpreter runs it."""
        return replace(self, trace=None)
