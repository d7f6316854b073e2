"""Rows that the interpreter answers, shared among worker processes where that pays.

Only functions that change nothing go there, so that a row whose answer cannot be taken from a
worker is run once more by the caller: one that fails, above all. Its exception, note and traceback
are then the loop's own, and nothing of them needs to travel.
"""

from __future__ import annotations

import decimal
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, Final

from batchprep.dtypes import DROPPED
from batchprep.run import workers_messages as texts
from batchprep.run import workers_pool as pool
from batchprep.run.program import Options
from batchprep.run.report import ReportBuilder
from batchprep.run.workers_body import Impure
from batchprep.run.workers_judge import Pure
from batchprep.run.workers_task import LEFT_OUT, RERUN, SAME, Done, NotPlainError, Order

LEAST_ROWS: Final = 16
PROBE_SECONDS: Final = 0.004  # rows that are timed before it is decided
# A record of four fields and its result, both ways, on one core of a 2-core x86-64 machine.
SHIP_SECONDS: Final = 2e-6
LEAST_SAVED: Final = 0.02
CHUNK_SECONDS: Final = 0.05
AHEAD: Final = 2  # chunks per worker that are on their way
MOST_RERUN: Final = 0.3  # of a chunk: above it, workers do what has to be done again


@dataclass
class Sharing:
    """What it takes to share the rows of one batch. `many`: an answer is a list of results."""

    name: str
    function: Callable[[Any], Any]
    judged: Callable[[], Pure]
    options: Options
    report: ReportBuilder
    first_row: int
    many: bool = False

    def answers(self, records: Sequence[Any], row_seconds: float) -> Iterator[Any]:
        """An answer for each record: of a worker, or RERUN where the caller is to run the row.

        Errors:  RuntimeError where a worker process was killed
        """
        why = pool.no_crew() or self._too_small(len(records), row_seconds)
        if why:
            self.report.in_one_process(why)
            return repeat(RERUN)
        try:
            judged = self.judged()
        except Impure as verdict:
            self.report.in_one_process(str(verdict))
            return repeat(RERUN)
        crew = pool.crew(self.options.python_workers)
        try:
            function = crew.carried(self.function, judged.functions)
        except Exception as error:  # noqa: BLE001  whatever a user's own object raises
            self.report.in_one_process(texts.unpicklable_text(error))
            return repeat(RERUN)
        stops = self.options.on_error == "raise"
        order = Order(function, stops, judged.flat, self.many, decimal.getcontext().copy())
        size = self._chunk(len(records), row_seconds)
        return chain(_Gathered(self, crew, order, records, size).run(), repeat(RERUN))

    def _too_small(self, rows: int, row_seconds: float) -> str:
        if rows < LEAST_ROWS:
            return texts.FEW_ROWS
        count = self.options.python_workers
        saved = rows * (row_seconds * (1 - 1 / count) - SHIP_SECONDS)
        pays = saved >= LEAST_SAVED and (pool.is_warm(count) or pool.pays_start(saved))
        return "" if pays else texts.small_text(rows, row_seconds)

    def _chunk(self, rows: int, row_seconds: float) -> int:
        """Rows of a chunk: some for each worker, so that none waits long for the last."""
        each = -(-rows // (4 * self.options.python_workers))
        return max(1, min(int(CHUNK_SECONDS / max(row_seconds, 1e-9)), each))


def prospect(judged: Callable[[], Pure], options: Options) -> str:
    """Whether rows would be shared, and why not; "" where nobody asked for it."""
    if options.python_workers <= 1:
        return ""
    try:
        judged()
    except Impure as verdict:
        return texts.one_process_text(str(verdict))
    why = pool.no_crew()
    return texts.one_process_text(why) if why else texts.prospect_text(options.python_workers)


@dataclass
class _Gathered:
    """The chunks of a batch on their way, in order."""

    sharing: Sharing
    crew: pool.Crew
    order: Order
    records: Sequence[Any]
    size: int
    answers: list[Any] = field(default_factory=list[Any])
    why: str = ""
    shared: int = 0  # rows that workers answered
    seconds: float = 0.0  # for sending and receiving

    def run(self) -> list[Any]:
        """The answers of all rows, or of those ahead of where the caller goes on by itself."""
        starts = range(0, len(self.records), self.size)
        waiting: deque[tuple[int, Future[Done] | None]] = deque()
        try:
            for start in starts:
                waiting.append((start, self._sent(start)))
                if len(waiting) >= AHEAD * self.sharing.options.python_workers and not (
                    self._taken(*waiting.popleft())
                ):
                    break
            else:
                while waiting and self._taken(*waiting.popleft()):
                    pass
        except Exception:
            raise
        except BaseException:  # Ctrl-C: nobody waits for what is still running
            pool.dismiss()
            raise
        finally:
            for _, future in waiting:
                if future is not None:
                    future.cancel()
        self._tell()
        return self.answers

    def _sent(self, start: int) -> Future[Done] | None:
        """A chunk on its way; None where it stays here."""
        began = time.perf_counter()
        try:
            return self.crew.submit(self.order, self.records[start : start + self.size])
        except NotPlainError as error:
            self.why = texts.record_text(str(error))
            return None
        except BrokenProcessPool as error:
            raise self._died(start) from error
        finally:
            self.seconds += time.perf_counter() - began

    def _taken(self, start: int, future: Future[Done] | None) -> bool:
        """Take the answers of a chunk; False where the caller goes on by itself."""
        rows = min(self.size, len(self.records) - start)
        if future is None:
            self.answers += [RERUN] * rows
            return True
        try:
            done = future.result()
        except BrokenProcessPool as error:
            raise self._died(start) from error
        except Exception as error:  # noqa: BLE001  it could not be run there: it can be run here
            self.why = texts.unpicklable_text(error)
            return False
        began = time.perf_counter()
        self.why = done.why or self.why
        answers = _unpacked(done.answers, many=self.sharing.many)
        again = sum(answer is RERUN for answer in answers)
        self.answers += answers
        self.shared += len(answers) - again
        self.seconds += time.perf_counter() - began
        return not done.failed and (not done.why or (bool(answers) and again < MOST_RERUN * rows))

    def _died(self, start: int) -> RuntimeError:
        first = self.sharing.first_row + start
        last = min(first + self.size, self.sharing.first_row + len(self.records)) - 1
        return RuntimeError(texts.died_text(self.sharing.name, first, last))

    def _tell(self) -> None:
        report, count = self.sharing.report, self.sharing.options.python_workers
        if self.shared:
            where = texts.where_text(count, threads=self.crew.threads)
            report.shared(where, 0.0 if self.crew.threads else self.seconds)
        if self.why:
            report.in_one_process(self.why)


def _unpacked(answers: bytes | list[Any], *, many: bool) -> list[Any]:
    """The answers as the caller takes them; none where they did not travel."""
    if not isinstance(answers, bytes):
        return answers
    found: list[Any] = pickle.loads(answers) if answers else []  # noqa: S301  from our own workers
    if not many:
        return [DROPPED if answer is LEFT_OUT else answer for answer in found]
    return [
        answer if answer is RERUN else [item for item in answer if item is not LEFT_OUT]
        for answer in found
    ]


# ----------------------------------------------------------------------- one row after another


@dataclass(frozen=True)
class _Raised:
    """What a timed row raised: the loop meets it in its turn."""

    error: Exception


def shared(sharing: Sharing, records: Sequence[Any]) -> Callable[[Any], Any]:
    """The function, to be called with each record in turn; the answers are there already."""
    first, seconds = _timed(sharing, records)
    answers: Iterator[Any] = iter(first)
    if first and type(first[-1]) is _Raised and sharing.options.on_error == "raise":
        return _replayed(sharing.function, answers)
    rest = records[len(first) :]
    if len(rest):
        answers = chain(answers, sharing.answers(rest, seconds / len(first)))
    return _replayed(sharing.function, answers)


def _timed(sharing: Sharing, records: Sequence[Any]) -> tuple[list[Any], float]:
    """The answers of the first rows, and the seconds that they took."""
    function, answers = sharing.function, list[Any]()
    started = now = time.perf_counter()
    for record in records:
        try:
            answers.append(function(record))
        except Exception as error:  # noqa: BLE001  whatever the user's code raises
            answers.append(_Raised(error))
            if sharing.options.on_error == "raise":
                break
        now = time.perf_counter()
        if now - started > PROBE_SECONDS:
            break
    return answers, now - started


def _replayed(function: Callable[[Any], Any], answers: Iterator[Any]) -> Callable[[Any], Any]:
    def replayed(record: Any) -> Any:
        answer = next(answers)
        if answer is RERUN:
            return function(record)
        if answer is SAME:
            return record
        if type(answer) is _Raised:
            raise answer.error
        return answer

    return replayed
