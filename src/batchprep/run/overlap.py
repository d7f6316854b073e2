"""Reading ahead and writing behind, each on a thread beside the one that computes."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Final, Generic, Protocol, TypeVar

T = TypeVar("T")

AHEAD: Final = 2  # items that wait on each side: memory for as many batches
# Seconds: a source that hangs, such as a remote file, must not keep Ctrl-C from ending the run.
PATIENCE: Final = 5.0
_END: Final = object()

Waited = Callable[[float, Any], None]  # seconds that an item took, and the item


class Taking(Protocol):
    """What a writer gives its items to."""

    def write(self, item: Any, /) -> None: ...


class ReadAhead(Generic[T]):
    """The items of an iterable, at most AHEAD of them read before they are asked for.

    An exception of the iterable is raised in its turn, after the items before it. Leaving the block
    ends the thread, which closes the iterable if it can be.
    """

    def __init__(self, items: Iterable[T], waited: Waited) -> None:
        self._items = items
        self._waited = waited
        self._queue: queue.Queue[Any] = queue.Queue(AHEAD)
        self._stopping = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, name="batchprep-read", daemon=True)

    def __enter__(self) -> Iterator[T]:
        self._thread.start()
        return self._taken()

    def __exit__(self, *_raised: object) -> None:
        self._stopping.set()
        deadline = time.monotonic() + PATIENCE
        while self._thread.is_alive() and time.monotonic() < deadline:
            _drain(self._queue)  # it may stand before a full queue
            self._thread.join(0.01)

    def _taken(self) -> Iterator[T]:
        while True:
            item = self._queue.get()
            if item is _END:
                break
            yield item
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _read(self) -> None:
        iterator = iter(self._items)
        try:
            while not self._stopping.is_set():
                started = time.perf_counter()
                item = next(iterator, _END)
                if item is _END:
                    break
                self._waited(time.perf_counter() - started, item)
                self._queue.put(item)
        except BaseException as error:  # noqa: BLE001  raised on the thread that takes the items
            self._error = error
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()
            self._queue.put(_END)


class WriteBehind(Generic[T]):
    """Gives items to a sink on a thread of its own, at most AHEAD of them waiting.

    An exception of the sink is raised by the next put, or when the block ends.
    """

    def __init__(self, sink: Taking, waited: Waited) -> None:
        self._sink = sink
        self._waited = waited
        self._queue: queue.Queue[Any] = queue.Queue(AHEAD)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._write, name="batchprep-write", daemon=True)

    def __enter__(self) -> WriteBehind[T]:
        self._thread.start()
        return self

    def put(self, item: T) -> None:
        """Hand over one item; waits while the sink is AHEAD of them behind."""
        self._raise()
        self._queue.put(item)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        if kind is not None:
            _drain(self._queue)  # what waits will be thrown away with the rest
        self._queue.put(_END)
        self._thread.join()
        if kind is None:
            self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _write(self) -> None:
        while (item := self._queue.get()) is not _END:
            if self._error is not None:
                continue  # nothing is written after a failure, and nobody waits for ever
            started = time.perf_counter()
            try:
                self._sink.write(item)
                self._waited(time.perf_counter() - started, item)
            except BaseException as error:  # noqa: BLE001  raised on the thread that hands over
                self._error = error


def _drain(waiting: queue.Queue[Any]) -> None:
    try:
        while True:
            waiting.get_nowait()
    except queue.Empty:
        return
