"""What pure functions give: once per distinct string of a batch, or per distinct row of a block."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from batchprep.backends.kernel import NUMPY_DTYPE, Array
from batchprep.batch.kinds import KIND_OF_TYPE
from batchprep.batch.times import tick_of
from batchprep.dtypes import INT64_MAX, INT64_MIN, KIND_CODE, DType, Kind
from batchprep.plan.tables import Outcome, Pure
from batchprep.run.distinct import Places, distinct_rows

if TYPE_CHECKING:
    from batchprep.run.words import Pool

RAISED: Final = -1  # instead of a kind code
FILLER: Final[dict[DType, Any]] = {"b": False, "i": 0, "f": 0.0, "s": ""}
# The share of a block from which on its distinct rows are not told apart: that costs more than it
# saves.
MOSTLY_DISTINCT: Final = 0.5

Column = Sequence[Any]
TIMES: Final[frozenset[Any]] = frozenset({"date", "datetime", "timedelta"})


class Results(NamedTuple):
    """What a function gave for some rows. `codes` is None where all are of its one kind.

    codes   kind codes, "other" for what no kind holds, RAISED
    values  the results as Python has them
    """

    codes: list[int] | None
    values: list[Any]


def results_of(pure: Pure, columns: Sequence[Column]) -> Results:
    """The function's results for the rows of its arguments' columns."""
    if pure.kind is not None:
        return Results(None, list(map(pure.function, *columns)))
    codes: list[int] = []
    values: list[Any] = []
    function = pure.function
    for row in zip(*columns, strict=True):
        try:
            value = function(*row)
        except Exception:  # noqa: BLE001  the interpreter meets it again, in the row's own turn
            codes.append(RAISED)
            values.append(None)
        else:
            codes.append(_code(value))
            values.append(value)
    return Results(codes, values)


def _code(value: Any) -> int:
    kind: Kind = KIND_OF_TYPE.get(type(value), "other")
    if kind == "int" and not INT64_MIN <= value <= INT64_MAX:
        kind = "other"
    if kind in TIMES and tick_of(value) is None:
        kind = "other"
    if kind == "str" and not (value.isascii() or _is_encodable(value)):
        kind = "other"
    return KIND_CODE[kind]


def _is_encodable(text: str) -> bool:
    # Arrow holds UTF-8: a lone surrogate has none.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def part_of(results: Results, outcome: Outcome, pool: Pool, *, shown: bool = False) -> Array:
    """One part of the results as an array; strings as codes, new ones of which join the pool."""
    codes, values = results
    if codes is None:
        if outcome.kind in TIMES:
            values = list(map(tick_of, values))
        return _payload(values, outcome.dtype, pool, shown=shown)
    if outcome.kind is None:
        return np.array(codes, np.int8)
    if outcome.kind == "raises":
        return np.array(codes, np.int8) == RAISED
    wanted, filler = KIND_CODE[outcome.kind], FILLER[outcome.dtype]
    if outcome.kind in TIMES:
        values = list(map(tick_of, values))
    chosen = [v if c == wanted else filler for c, v in zip(codes, values, strict=True)]
    return _payload(chosen, outcome.dtype, pool, shown=shown)


def _payload(values: list[Any], dtype: DType, pool: Pool, *, shown: bool) -> Array:
    if dtype == "s":
        return pool.codes_for_show(values) if shown else pool.codes_of(values)
    return np.fromiter(values, NUMPY_DTYPE[dtype], len(values))


class Caller:
    """A pure function over the rows of a batch; where they repeat, it is called once for each."""

    def __init__(self, pure: Pure, dtypes: Sequence[DType], pool: Pool) -> None:
        self._pure = pure
        self._dtypes = tuple(dtypes)
        self._pool = pool
        self._last = threading.local()

    def part(self, outcome: Outcome, *, shown: bool) -> Callable[..., Array]:
        """The function that gives one part of the results, of arrays one value a row.

        `shown` tells that nothing compares or looks up its strings.
        """

        def given(*arrays: Array) -> Array:
            results, places = self._results(arrays)
            part = part_of(results, outcome, self._pool, shown=shown)
            return part if places is None else part[places]

        return given

    def _results(self, arrays: tuple[Array, ...]) -> tuple[Results, Places | None]:
        # The parts of one call are asked for one after the other, with the very same arrays.
        last = getattr(self._last, "found", None)
        if last is not None and all(a is b for a, b in zip(last[0], arrays, strict=True)):
            return last[1]
        found = self._evaluated(arrays)
        self._last.found = (arrays, found)
        return found

    def _evaluated(self, arrays: tuple[Array, ...]) -> tuple[Results, Places | None]:
        """Results of the distinct rows, and which of them each row has; None: one each."""
        rows = max((len(array) for array in arrays if np.ndim(array)), default=1)
        full = [array if np.ndim(array) else np.full(rows, array) for array in arrays]
        first, places = _distinct(full, rows)
        if first is not None:
            full = [array[first] for array in full]
        columns = [self._listed(a, dtype) for a, dtype in zip(full, self._dtypes, strict=True)]
        return results_of(self._pure, columns), places

    def _listed(self, array: Array, dtype: DType) -> list[Any]:
        return self._pool.take(array) if dtype == "s" else array.tolist()


def _distinct(arrays: Sequence[Array], rows: int) -> tuple[Places | None, Places | None]:
    """The first of each of the distinct rows, and for each row which it is; None: all differ."""
    if rows < _SMALLEST:
        return None, None
    first, places = distinct_rows(arrays)
    if len(first) > MOSTLY_DISTINCT * rows:
        return None, None
    return first, places


_SMALLEST: Final = 64  # rows
