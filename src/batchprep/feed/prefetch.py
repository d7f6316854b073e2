"""Values prepared ahead, on a thread of their own."""

from __future__ import annotations

import atexit
import os
import threading
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar
from weakref import WeakSet, finalize

from batchprep.feed.messages import other_process_text

AHEAD: Final = 2  # values that wait for the loop, at most

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Closable(Protocol[T_co]):
    """An iterator that holds something open."""

    def __next__(self) -> T_co: ...

    def close(self) -> None:
        """Let go of it."""
        ...


class _Value(NamedTuple):
    value: Any


class _Line:
    """What the loop and the thread share: requests one way, answers the other.

    Only SimpleQueues, whose put never waits and may be interrupted by itself: a garbage collection
    can stop a line from within any code, that of the thread included.
    """

    def __init__(self) -> None:
        self.answers: SimpleQueue[_Value | BaseException | None] = SimpleQueue()
        self.stopped = False
        self._requests: SimpleQueue[None] = SimpleQueue()

    def request(self) -> None:
        """Ask for one value more."""
        self._requests.put(None)

    def stop(self) -> None:
        """Let the thread end once it has finished the value that it is at."""
        self.stopped = True
        self._requests.put(None)

    def serve(self, values: Closable[Any]) -> None:
        """Answer requests until there are no values, or nobody asks: what the thread does."""
        try:
            while self._asked():
                self.answers.put(_Value(next(values)))
        except StopIteration:
            self._end(values, None)
        except BaseException as error:  # noqa: BLE001  it is raised in the loop
            self._end(values, error)
        else:
            self._end(values, None)

    def _asked(self) -> bool:
        self._requests.get()
        return not self.stopped

    def _end(self, values: Closable[Any], error: BaseException | None) -> None:
        try:
            values.close()
        except BaseException as failure:  # noqa: BLE001  the same
            error = error or failure
        self.answers.put(error)


class Prefetched(Generic[T]):
    """Iterator over another's values, which a thread computes up to two ahead.

    The other runs in that thread, under the context variables of the code that made this one. Its
    exceptions are raised by next(), with their own traceback, after the values before them. Once
    this one is closed, exhausted or no longer referred to, the thread finishes the value that it
    is at, closes the other and ends; close() waits for that.
    """

    def __init__(self, values: Closable[T]) -> None:
        self._line = _Line()
        self._process = os.getpid()
        self._done = False
        # A daemon: an iterator that is still referred to must not keep the interpreter alive.
        self._thread = threading.Thread(
            target=_run,
            args=(copy_context(), self._line, values),
            name="batchprep-feed",
            daemon=True,
        )
        for _ in range(AHEAD):
            self._line.request()
        self._thread.start()
        _running.add(self)
        finalize(self, self._line.stop).atexit = False  # _close_all waits as well

    def __iter__(self) -> Prefetched[T]:
        return self

    def __next__(self) -> T:
        if self._done:
            raise StopIteration
        if os.getpid() != self._process:
            raise RuntimeError(other_process_text())
        try:
            answer = self._line.answers.get()
        except BaseException:  # Ctrl-C while waiting
            self.close()
            raise
        if isinstance(answer, _Value):
            self._line.request()
            return answer.value
        self.close()
        try:
            raise StopIteration if answer is None else answer
        finally:
            del answer  # its traceback holds this frame: a cycle would keep the batch alive

    def close(self) -> None:
        """End the thread and close what it reads from; values not taken yet are lost."""
        self._done = True
        self._line.stop()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def __enter__(self) -> Prefetched[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(context: Context, line: _Line, values: Closable[Any]) -> None:
    context.run(line.serve, values)


_running: WeakSet[Prefetched[Any]] = WeakSet()


def _close_all() -> None:
    # A thread inside of native code while the interpreter is torn down can crash the process.
    for prefetched in list(_running):
        prefetched.close()


atexit.register(_close_all)
