"""What a worker does with its rows, and how records and results travel."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import io
import pickle
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from batchprep.dtypes import Dropped
from batchprep.run import workers_messages as texts


class Mark:
    """Stands for the answer of a row; a pickle brings back the same object."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> str:
        return self._name


RERUN: Final = Mark("RERUN")  # the caller's process is to run this row
SAME: Final = Mark("SAME")  # the answer is the record itself
LEFT_OUT: Final = Mark("LEFT_OUT")  # the row has no result

# Of these, and of lists, tuples and dicts of them, a pickle brings back what they were.
PLAIN: Final[frozenset[type]] = frozenset(
    {
        *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone),
        *(decimal.Decimal, fractions.Fraction, uuid.UUID, Mark),
    }
)
CONTAINERS: Final[frozenset[type]] = frozenset({dict, list, tuple, bytearray, set, frozenset})


class NotPlainError(Exception):
    """Something does not travel as what it is; the text says what."""


class _Pickler(pickle.Pickler):
    """Refuses what runs code of its own when it is read, or is another object afterwards."""

    def reducer_override(self, obj: Any, /) -> Any:
        if type(obj) in PLAIN or (isinstance(obj, type) and obj in PLAIN):
            return NotImplemented
        raise NotPlainError(texts.type_text(type(obj)))


def packed(values: Sequence[Any]) -> bytes:
    """The values as bytes.

    Errors:  NotPlainError
    """
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, protocol=5).dump(values)
    except NotPlainError:
        raise
    except Exception as error:  # an object's own __reduce__, or nested too deep
        raise NotPlainError(texts.type_text(type(error))) from error
    return buffer.getvalue()


@dataclass(frozen=True)
class Order:
    """What all chunks of a call have in common.

    function  pickled, or as it is for threads
    stops     whether the first row that fails ends the chunk
    flat      whether records with lists or dicts in them stay with the caller
    many      whether an answer is a list of results
    """

    function: bytes | Callable[[Any], Any]
    stops: bool
    flat: bool
    many: bool
    context: decimal.Context


class Done(NamedTuple):
    """The answers of a chunk, or why they stay in the worker.

    why     rows that are to be run by the caller although they do not fail, "" for none
    failed  a row failed, and those after it were not run
    """

    answers: bytes | list[Any]
    why: str
    failed: bool
    seconds: float


_last: tuple[bytes, Callable[[Any], Any]] | None = None


def run_packed(order: Order, data: bytes) -> Done:
    """The answers of a chunk in another process."""
    decimal.setcontext(order.context.copy())
    function = _unpacked(cast("bytes", order.function))
    records = pickle.loads(data)  # noqa: S301  from the process that started this one
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        answers, why, failed = _Rows(order, function, log).run(records)
    seconds = time.perf_counter() - started
    try:
        return Done(packed(answers), why, failed, seconds)
    except NotPlainError as error:
        return Done(b"", texts.result_text(str(error)), failed=False, seconds=seconds)


def run_here(order: Order, records: Sequence[Any]) -> Done:
    """The answers of a chunk on another thread: the caller's own objects."""
    function = cast("Callable[[Any], Any]", order.function)
    started, answers = time.perf_counter(), list[Any]()
    failed = False
    for record in records:
        try:
            answers.append(function(record))
        except BaseException:  # noqa: BLE001  the caller meets it where the loop would
            answers.append(RERUN)
            failed = order.stops
        if failed:
            break
    return Done(answers, "", failed, time.perf_counter() - started)


def _unpacked(pickled: bytes) -> Callable[[Any], Any]:
    global _last  # noqa: PLW0603  one function at a time runs over many chunks
    if _last is None or _last[0] != pickled:
        _last = (pickled, pickle.loads(pickled))  # noqa: S301  the same
    return _last[1]


class _Rows:
    """The rows of a chunk, one after another."""

    def __init__(self, order: Order, function: Callable[[Any], Any], log: list[Any] | None) -> None:
        self._order = order
        self._function = function
        self._log = log
        self._why = ""

    def run(self, records: Sequence[Any]) -> tuple[list[Any], str, bool]:
        answers: list[Any] = []
        for record in records:
            answer, failed = self._answer(record)
            answers.append(answer)
            if failed and self._order.stops:
                return answers, self._why, True
        return answers, self._why, False

    def _answer(self, record: Any) -> tuple[Any, bool]:
        parts = {id(record)}
        # Most records hold no lists: a set of types is 2 us a row faster than a walk.
        if not is_flat(record) and not collect_parts(record, parts, seen=False):
            self._why = texts.record_text(texts.A_SET)
            return RERUN, False
        if self._order.flat and len(parts) > 1:
            self._why = texts.record_text(texts.NESTED)
            return RERUN, False
        try:
            answer = self._function(record)
        except BaseException:  # noqa: BLE001  the caller runs the row again, and meets it there
            return RERUN, True
        if self._log:  # a warning is the caller's to see, or to turn into an error
            self._log.clear()
            return RERUN, False
        if not self._order.many:
            return self._travelling(answer, record, parts), False
        items = [self._travelling(item, record, parts) for item in answer]
        return (RERUN if any(item is RERUN for item in items) else items), False

    def _travelling(self, answer: Any, record: Any, parts: set[int]) -> Any:
        if is_flat(answer) and id(answer) not in parts and type(answer) is not Dropped:
            return answer
        if answer is record and type(record) is dict:
            return SAME
        if type(answer) is Dropped:
            return LEFT_OUT
        if holds_any(answer, parts):
            self._why = texts.result_text(texts.PARTS)
            return RERUN
        return answer


def is_flat(value: Any) -> bool:
    """Whether it holds nothing that holds something else."""
    kind = type(value)
    if kind is dict:
        return CONTAINERS.isdisjoint(map(type, value.values()))
    if kind is list or kind is tuple:
        return CONTAINERS.isdisjoint(map(type, value))
    return kind not in CONTAINERS


def collect_parts(value: Any, found: set[int], *, seen: bool = True) -> bool:
    """Add the identities of all that can be written into; False where there is a set in it.

    The order of a set of texts is another in each process.
    """
    kind = type(value)
    if kind is set or kind is frozenset:
        return False
    if kind is not tuple:
        if seen and id(value) in found:
            return True
        found.add(id(value))
    items = value.values() if kind is dict else value if kind in {list, tuple} else ()
    held = (item for item in items if type(item) in CONTAINERS)
    return all(collect_parts(item, found) for item in held)


def holds_any(value: Any, found: set[int]) -> bool:
    """Whether a value is or holds one of these objects."""
    kind = type(value)
    if kind not in {dict, list, tuple, bytearray}:
        return False
    if id(value) in found:
        return True
    items = value.values() if kind is dict else value
    return kind is not bytearray and any(holds_any(item, found) for item in items)
