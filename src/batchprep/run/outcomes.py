"""What pure functions give: once per distinct string of a batch, or per distinct row of a block."""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from batchprep.backends.kernel import NUMPY_DTYPE, Array
from batchprep.batch.kinds import KIND_OF_TYPE
from batchprep.batch.times import tick_of
from batchprep.dtypes import INT64_MAX, INT64_MIN, KIND_CODE, DType, Kind
from batchprep.plan.composed import Composed
from batchprep.plan.tables import Outcome, Pure, Refused
from batchprep.run.arrow_texts import LEAST_WORDS, is_sum, joined, numbers_of, over_words
from batchprep.run.distinct import Places, distinct_rows
from batchprep.run.objects import spread

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.run.words import Pool

RAISED: Final = -1  # instead of a kind code
FILLER: Final[dict[DType, Any]] = {"b": False, "i": 0, "f": 0.0, "s": ""}
# The share of a block from which on its distinct rows are not told apart: that costs more than it
# saves.
MOSTLY_DISTINCT: Final = 0.5

REPEATED: Final = 4  # rows a word of the pool, from which on rows of texts are taken to repeat

Column = Sequence[Any]
TIMES: Final[frozenset[Any]] = frozenset({"date", "datetime", "timedelta"})


class Results:
    """What a function gave for some rows; None where it raised.

    `kind` is that of all of them, where the function has one.
    """

    def __init__(self, values: list[Any], raised: list[int], kind: Kind | None) -> None:
        self.values = values
        self.raised = raised
        self.kind: Kind | None = kind
        self._codes: Array | None = None

    def part(self, start: int, end: int) -> Results:
        """Those of some of the rows."""
        raised = [place - start for place in self.raised if start <= place < end]
        return Results(self.values[start:end], raised, self.kind)

    def extended(self, further: Results) -> Results:
        """These and further ones of the same function."""
        raised = [len(self.values) + place for place in further.raised]
        return Results([*self.values, *further.values], [*self.raised, *raised], self.kind)

    def codes(self) -> Array:
        """Kind codes, "other" for what no kind holds, RAISED."""
        if self._codes is None:
            self._codes = _codes(self.values)
            self._codes[self.raised] = RAISED
        return self._codes


def results_of(pure: Pure, columns: Sequence[Column]) -> Results:
    """The function's results for the rows of its arguments' columns."""
    function = pure.function
    if isinstance(function, Composed):
        read = function.read(columns)
        if read is not None:
            function, columns = function.function, read
    if pure.kind is not None:
        return Results(list(map(function, *columns)), [], pure.kind)
    values: list[Any] = []
    raised: list[int] = []
    rows = map(function, *columns)
    length = len(columns[0])
    while len(values) < length:
        with contextlib.suppress(Exception, Refused):  # the interpreter meets it in its own turn
            values.extend(rows)  # as far as it comes: a StopIteration ends it, too
        if len(values) < length:
            raised.append(len(values))
            values.append(None)
    return Results(values, raised, None)


def results_then(pure: Pure, base: Results) -> Results:
    """The results of a function from those of its base, which has them made already."""
    assert pure.then is not None  # noqa: S101  as it has a base
    step = Pure(pure.key, pure.then, pure.name, kind=pure.kind)
    found = results_of(step, [base.values])
    if base.raised:
        found.raised = sorted({*found.raised, *base.raised})
    return found


def _codes(values: list[Any]) -> Array:
    types = list(map(type, values))
    code_of = {type_: KIND_CODE[KIND_OF_TYPE.get(type_, "other")] for type_ in set(types)}
    codes = np.fromiter(map(code_of.__getitem__, types), np.int8, len(types))
    for type_ in _BOUNDED.intersection(code_of):
        places = [place for place, found in enumerate(types) if found is type_]
        some = values if len(places) == len(values) else [values[place] for place in places]
        if not _are_held(type_, some):
            wrong = [p for p, value in zip(places, some, strict=True) if not _is_held(type_, value)]
            codes[wrong] = KIND_CODE["other"]
    return codes


def _are_held(type_: type, values: list[Any]) -> bool:
    """Whether it is quickly seen that a column holds all the values."""
    if type_ is int:
        return min(values) >= INT64_MIN and max(values) <= INT64_MAX
    return type_ is str and all(map(str.isascii, values))


def _is_held(type_: type, value: Any) -> bool:
    """Whether a column holds the value: not every int, time or text."""
    if type_ is int:
        return INT64_MIN <= value <= INT64_MAX
    if type_ is str:
        return value.isascii() or _is_encodable(value)
    return tick_of(value) is not None


# Types of which a column does not hold all values.
_BOUNDED: Final[frozenset[type]] = frozenset({int, str, dt.date, dt.datetime, dt.timedelta})


def _is_encodable(text: str) -> bool:
    # Arrow holds UTF-8: a lone surrogate has none.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def part_of(results: Results, outcome: Outcome, pool: Pool, *, shown: bool = False) -> Array:
    """One part of the results as an array; strings as codes, new ones of which join the pool."""
    values = results.values
    if outcome.dtype == "o":
        return pool.held.add(values)
    if outcome.kind == "raises":
        found = np.zeros(len(values), np.bool_)
        found[results.raised] = True
        return found
    if results.kind is not None:
        if outcome.kind in TIMES:
            values = list(map(tick_of, values))
        return _payload(values, outcome.dtype, pool, shown=shown)
    codes = results.codes()
    if outcome.kind is None:
        return codes
    wanted, filler = codes == KIND_CODE[outcome.kind], FILLER[outcome.dtype]
    if not wanted.all():
        values = [v if is_kind else filler for v, is_kind in zip(values, wanted, strict=True)]
    if outcome.kind in TIMES:
        values = [tick_of(v) if w else filler for v, w in zip(values, wanted, strict=True)]
    return _payload(values, outcome.dtype, pool, shown=shown)


def _payload(values: list[Any], dtype: DType, pool: Pool, *, shown: bool) -> Array:
    if dtype == "s":
        return pool.codes_for_show(values) if shown else pool.codes_of(values)
    return np.fromiter(values, NUMPY_DTYPE[dtype], len(values))


def word_array(outcome: Outcome, pool: Pool, count: int, *, shown: bool) -> Array:
    """One part of what a function gives, for so many words of the pool."""
    pure = outcome.pure
    if count >= LEAST_WORDS and outcome.kind == pure.kind:
        found = over_words(pure, pool.arrow().slice(0, count))
        if found is not None and outcome.dtype == "s":
            return pool.codes_for_show(found) if shown else pool.codes_of_array(found)
        if found is not None:
            return numbers_of(found).astype(NUMPY_DTYPE[outcome.dtype], copy=False)
    return part_of(pool.results(pure, count), outcome, pool, shown=shown)


class Caller:
    """A pure function over the rows of a batch; where they repeat, it is called once for each."""

    def __init__(
        self, pure: Pure, dtypes: Sequence[DType], pool: Pool, base: Caller | None = None
    ) -> None:
        self._pure = pure
        self._base = base
        self._dtypes = tuple(dtypes)
        self.by_row = "o" in self._dtypes or pure.aliases
        self._pool = pool
        self._errors = np.geterr()
        self._last = threading.local()

    def part(self, outcome: Outcome, *, shown: bool) -> Callable[..., Array]:
        """The function that gives one part of the results, of arrays one value a row.

        `shown` tells that nothing compares or looks up its strings.
        """

        def given(*arrays: Array) -> Array:
            text = self._joined(arrays) if shown else None
            if text is not None:
                return self._pool.codes_for_show(text)
            results, places = self.results(arrays)
            if outcome.dtype == "o" and places is not None and outcome.pure.fresh:
                return self._objects(results, places, arrays)
            part = part_of(results, outcome, self._pool, shown=shown)
            return part if places is None else part[places]

        return given

    def _objects(self, results: Results, places: Places, arrays: tuple[Array, ...]) -> Array:
        """Numbers of objects, each row's its own."""
        found = spread(results.values, places)
        return self._pool.held.add(self._by_rows(arrays).values if found is None else found)

    def _by_rows(self, arrays: tuple[Array, ...]) -> Results:
        """What the function gives for each row, whether rows are equal or not."""
        rows = max(len(array) for array in arrays if np.ndim(array))
        full = [array if np.ndim(array) else np.full(rows, array) for array in arrays]
        columns = [self._listed(a, dtype) for a, dtype in zip(full, self._dtypes, strict=True)]
        with np.errstate(**self._errors):
            return results_of(self._pure, columns)

    def _joined(self, arrays: tuple[Array, ...]) -> pa.Array[Any] | None:
        """`a + b` for each row as Arrow, where rows hardly repeat."""
        rows = min(map(np.size, arrays), default=0)
        if rows < LEAST_WORDS or len(self._pool) * REPEATED < rows or not is_sum(self._pure):
            return None
        return joined([self._pool.arrow_of(codes) for codes in arrays])

    def results(self, arrays: tuple[Array, ...]) -> tuple[Results, Places | None]:
        """What the function gives for the distinct rows, and which each row is; None: one each."""
        # The parts of one call are asked for one after the other, with the very same arrays.
        last = getattr(self._last, "found", None)
        if last is not None and all(a is b for a, b in zip(last[0], arrays, strict=True)):
            return last[1]
        found = self._evaluated(arrays)
        self._last.found = (arrays, found)
        return found

    def _evaluated(self, arrays: tuple[Array, ...]) -> tuple[Results, Places | None]:
        """Results of the distinct rows, and which of them each row has; None: one each."""
        if self._base is not None and self._base.by_row == self.by_row:
            known, places = self._base.results(arrays)
            with np.errstate(**self._errors):
                return results_then(self._pure, known), places
        rows = max((len(array) for array in arrays if np.ndim(array)), default=1)
        full = [array if np.ndim(array) else np.full(rows, array) for array in arrays]
        first, places = (None, None) if self.by_row else _distinct(full, rows)
        if first is not None:
            full = [array[first] for array in full]
        columns = [self._listed(a, dtype) for a, dtype in zip(full, self._dtypes, strict=True)]
        with np.errstate(**self._errors):  # the kernel around it has its own
            return results_of(self._pure, columns), places

    def _listed(self, array: Array, dtype: DType) -> list[Any]:
        if dtype == "o":
            return self._pool.held.listed(array)
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
