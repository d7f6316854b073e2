"""How often the values repeat that Python computes with: it computes once for equal ones."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.batch.record_rows import RecordRows
from batchprep.plan.node import Node, in_order

if TYPE_CHECKING:
    from batchprep.batch.batch import Batch
    from batchprep.plan.stage import Stage

# Among so many rows of a million different values some are equal.
LOOKED_AT: Final = 2_048
# Within so many rows at once a function of several values is not run again for equal ones.
BLOCK: Final = 65_536
# Values of which Python's == is no code of the user's.
PLAIN: Final = frozenset({bool, int, float, str, type(None), dt.date, dt.datetime, dt.timedelta})

Rows = npt.NDArray[np.intp]


def expected_share(batch: Batch, stage: Stage, rows: int) -> float:
    """How much of the work a row of the whole batch makes, as a share of that of so few rows.

    1 where the values do not repeat, or are not known to; it is an estimate from some rows.
    """
    tables = [node for node in stage.tables if node.op in {"word", "call"}]
    return max((_share(batch, node, rows) for node in tables), default=1.0)


def _share(batch: Batch, table: Node, rows: int) -> float:
    names = _fields(table)
    if not names:
        return 1.0
    length = len(batch)
    looked_at = some_rows(length)
    columns = [_values(batch, name, looked_at) for name in names]
    kinds = distinct_values(list(zip(*columns, strict=True)), len(looked_at))
    most = length if table.op == "word" else min(length, BLOCK)
    return min(1.0, (_expected(kinds, most) / most) / (_expected(kinds, rows) / rows))


def some_rows(length: int) -> Rows:
    """Rows as if at random, the same at each call.

    Not at even steps: values that take turns would look as if none came twice.
    """
    mixed = np.arange(1, LOOKED_AT + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    # SplitMix64 (Steele, Lea, Flood 2014).
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.unique(mixed % np.uint64(length)).astype(np.intp)


def _fields(table: Node) -> tuple[str, ...] | None:
    """The fields that a table's values come from; None where it may run for each row."""
    names: dict[str, None] = {}
    for node in in_order([table]):
        if node.dtype == "o" and node is not table:
            return None
        if node.op in {"kind", "buffer"}:
            names[str(node.attr[0] if isinstance(node.attr, tuple) else node.attr)] = None
    return tuple(names)


def _values(batch: Batch, name: str, rows: Rows) -> Sequence[Any]:
    """Values of a column; each its own where only the caller's code can tell."""
    if isinstance(batch.rows, RecordRows):
        records = batch.records(rows)
        if any(type(record) is not dict for record in records):
            return [object() for _ in records]
        values: Sequence[Any] = [record.get(name) for record in records]
    elif name not in batch.names():
        return [None] * len(rows)
    else:
        values = batch.values(name, rows)
    return [value if type(value) in PLAIN else object() for value in values]


def distinct_values(seen: Iterable[Any], count: int) -> float:
    """How many different values there are, if `count` random ones of them were seen.

    As if all were equally frequent: where some are more so, there are more that are rare.

    >>> distinct_values([1, 2, 3, 4], 4)
    inf
    >>> round(distinct_values([1, 2] * 50, 100))
    2
    """
    found = len(set(seen))
    if found >= count:
        return math.inf
    low, high = float(found), float(count) ** 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _expected(middle, count) < found else (low, middle)
    return high


def _expected(kinds: float, rows: int) -> float:
    """How many different values so many rows have."""
    return rows if math.isinf(kinds) else -kinds * math.expm1(-rows / kinds)
