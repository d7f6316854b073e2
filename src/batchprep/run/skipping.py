"""What a route need not read: columns that it never uses, row groups whose rows it all drops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Protocol

from batchprep.batch.times import tick_of
from batchprep.dtypes import TIME_BOUNDS, DType
from batchprep.plan.build import both, has_kind, invert
from batchprep.plan.facts import Facts, Range, decide
from batchprep.plan.finish import specialise
from batchprep.plan.node import FALSE, Node
from batchprep.plan.stage import Output, Stage
from batchprep.run.route import Route

if TYPE_CHECKING:
    from batchprep.records.source import Source


class Bounds(Protocol):
    """Least and greatest value of a column in a row group, and how many nulls, if that is known."""

    @property
    def low(self) -> Any: ...
    @property
    def high(self) -> Any: ...
    @property
    def nulls(self) -> int | None: ...


Ranges = Mapping[str, Bounds]
DEPTH: Final = 12  # of and, or, and conditions inside of conditions
TYPES: Final[dict[DType, type]] = {"i": int, "f": float}


def columns_read(route: Route, source: Source) -> tuple[str, ...] | None:
    """Names of the columns that the route reads, in the source's order; None: all of them."""
    trace = None if route.head is None else route.head.trace
    if trace is None or _has_record(trace.stage.template) or _reads_record(trace.stage):
        return None
    names = tuple(name for name in source.names() if name in trace.reads)
    return names or source.names()[:1]  # a table of no columns would have no rows


def _reads_record(stage: Stage) -> bool:
    """Whether Python is given the record itself, of which it may read whatever it likes."""
    return any(leaf.op == "object" and leaf.attr is None for leaf in stage.inputs)


def _has_record(output: Output) -> bool:
    return any(
        parts.base is not FALSE or any(_has_record(part.output) for part in parts.parts)
        for _, parts in output.parts
    )


def skip_of(route: Route) -> Callable[[Ranges], bool] | None:
    """Tells of a row group's ranges whether no row of it gives a result or deviates."""
    trace = None if route.head is None else route.head.trace
    if trace is None or "absent" not in trace.stage.template.kinds:
        return None
    stage = trace.stage
    return lambda ranges: all_dropped(stage, ranges)


def all_dropped(stage: Stage, ranges: Ranges) -> bool:
    """Whether the stage drops every row within these ranges, and none of them deviates."""
    null_free = frozenset(name for name, found in ranges.items() if found.nulls == 0)
    stage = specialise(stage, null_free)
    facts = {leaf: found for leaf in stage.inputs if (found := _range(leaf, ranges)) is not None}
    kept = invert(has_kind(stage.template.code, "absent"))
    if stage.template.kinds == ("absent",):
        kept = FALSE
    return _never(kept, facts) and all(_never(d.guard, facts) for d in stage.deviations)


def _range(leaf: Node, ranges: Ranges) -> Range | None:
    """What is known of a column's numbers; statistics of another type say nothing."""
    if leaf.op != "buffer" or leaf.dtype not in TYPES:
        return None
    name: Any = leaf.attr
    found = ranges.get(name[0])
    if found is None:
        return None
    if name[1] == "date":
        return _days(found)
    # Instants say nothing: a column may hold some below a microsecond, which are irregular.
    if name[1] in TIME_BOUNDS or {type(found.low), type(found.high)} != {TYPES[leaf.dtype]}:
        return None
    # NaN takes no part in statistics: a column of floats may hold it besides.
    return Range(found.low, found.high, nan=leaf.dtype == "f")


def _days(found: Bounds) -> Range | None:
    low, high = (tick_of(v) if type(v) is date else None for v in (found.low, found.high))
    return None if low is None or high is None else Range(low, high)


def _never(condition: Node, facts: Facts, depth: int = DEPTH) -> bool:
    """Whether no row meets the condition; False promises nothing."""
    if decide(condition, facts) is FALSE:
        return True
    if depth == 0:
        return False
    match condition.op, condition.args:
        case "or", parts:
            return all(_never(part, facts, depth - 1) for part in parts)
        case "and", parts:
            return any(_never(part, facts, depth - 1) for part in parts)
        case "select", (test, yes, no):
            return _never(both(test, yes), facts, depth - 1) and _never(
                both(invert(test), no), facts, depth - 1
            )
        case _:
            return False
