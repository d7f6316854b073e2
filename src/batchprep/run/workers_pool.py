"""The workers: processes that are kept between calls, or threads where Python has no lock."""

from __future__ import annotations

import contextvars
import importlib.util
import locale
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import FunctionType
from typing import Any, Final, Protocol

from batchprep.run import workers_messages as texts
from batchprep.run.workers_task import Done, Order, packed, run_here, run_packed

IDLE_SECONDS: Final = 60.0  # after which a process ends by itself
START_SECONDS: Final = 1.0  # of two new processes, until they have imported what they need

_Key = tuple[Any, ...]


class Crew(Protocol):
    """Workers that run chunks of rows."""

    threads: bool

    def carried(self, function: Any, made_of: Sequence[FunctionType]) -> Any:
        """The function as an order has it."""
        ...

    def submit(self, order: Order, records: Sequence[Any]) -> Future[Done]:
        """Start a chunk; NotPlainError where it does not travel."""
        ...

    def stop(self) -> None:
        """End them at once."""
        ...


class Processes:
    """Processes that loky keeps."""

    threads = False

    def __init__(self, count: int) -> None:
        import loky

        self._executor = loky.ProcessPoolExecutor(
            count, timeout=IDLE_SECONDS, initializer=_set_up, initargs=_state()
        )

    @property
    def broken(self) -> bool:
        """Whether a process of them was killed."""
        flags = self._executor._flags  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        return bool(flags.broken or flags.shutdown)

    def carried(self, function: Any, made_of: Sequence[FunctionType]) -> bytes:
        """The function pickled, with its own code: workers need not import the user's modules."""
        return pickled(function, made_of)

    def submit(self, order: Order, records: Sequence[Any]) -> Future[Done]:
        """Start a chunk.

        Errors:  NotPlainError where its records do not travel
        """
        return self._executor.submit(run_packed, order, packed(records))

    def stop(self) -> None:
        """Kill them: what they run has no end that can be waited for."""
        self._executor.shutdown(wait=True, kill_workers=True)


class Threads:
    """Threads, for a Python without a global lock."""

    threads = True

    def __init__(self, count: int) -> None:
        self._executor = ThreadPoolExecutor(count, "batchprep-rows")
        self._count = count

    def carried(self, function: Any, made_of: Sequence[FunctionType]) -> Any:
        """The function itself."""
        del made_of
        return function

    def submit(self, order: Order, records: Sequence[Any]) -> Future[Done]:
        """Start a chunk, with the caller's context variables."""
        return self._executor.submit(contextvars.copy_context().run, run_here, order, records)

    def stop(self) -> None:
        """Wait for the chunks that run; no further one is begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class _Kept:
    """The crew of this process, and whether this process is itself a worker."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.key: _Key | None = None
        self.crew: Processes | Threads | None = None
        self.in_worker = False
        self.missed = 0.0  # seconds that workers would have saved so far, had there been any


_kept = _Kept()


def has_lock() -> bool:
    """Whether threads would take turns, as in all builds of Python but the free-threaded ones."""
    asked: Callable[[], bool] | None = getattr(sys, "_is_gil_enabled", None)
    return asked is None or asked()


def no_crew() -> str:
    """Why this process can have no workers, "" where it can."""
    if _kept.in_worker:
        return texts.IN_WORKER
    if not has_lock():
        return ""
    if multiprocessing.current_process().daemon:
        return texts.IN_DAEMON
    there = all(importlib.util.find_spec(name) for name in ("loky", "cloudpickle"))
    return "" if there else texts.missing_text()


def is_warm(count: int) -> bool:
    """Whether so many workers are there already."""
    return not has_lock() or (_kept.key == _key(count) and not _is_broken())


def pays_start(saved: float) -> bool:
    """Whether what workers would save by now, with the calls before this one, pays their start."""
    _kept.missed += saved
    return _kept.missed >= START_SECONDS


def crew(count: int) -> Crew:
    """So many workers; those of the last call where they are as this one needs them."""
    with _kept.lock:
        key = _key(count)
        if _kept.crew is None or _kept.key != key or _is_broken():
            if _kept.crew is not None:
                _kept.crew.stop()
            _kept.crew = Processes(count) if has_lock() else Threads(count)
            _kept.key = key
            _kept.missed = 0.0
        return _kept.crew


def dismiss() -> None:
    """End the workers, if there are any."""
    with _kept.lock:
        if _kept.crew is not None:
            _kept.crew.stop()
        _kept.crew = _kept.key = None


def _is_broken() -> bool:
    return isinstance(_kept.crew, Processes) and _kept.crew.broken


def _key(count: int) -> _Key:
    """What a worker has from its start on: another time zone or locale takes other workers."""
    return (count, has_lock(), os.environ.get("TZ"), *_state())


def _state() -> tuple[str, int, int]:
    return locale.setlocale(locale.LC_ALL), sys.getrecursionlimit(), sys.get_int_max_str_digits()


def _set_up(words: str, recursion_limit: int, digits: int) -> None:
    """Make a new process one that computes what its parent would."""
    # Ctrl-C reaches all processes of a terminal: the parent ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _kept.in_worker = True
    locale.setlocale(locale.LC_ALL, words)
    sys.setrecursionlimit(recursion_limit)
    sys.set_int_max_str_digits(digits)


def pickled(function: Any, made_of: Iterable[FunctionType]) -> bytes:
    """A function with its code and all that it reads, as it is now.

    By name, a worker would import the module, and get its variables as they were at first.
    """
    import cloudpickle

    names = {function.__module__ for function in made_of}
    with _kept.lock:
        fresh = [
            sys.modules[name]
            for name in names - set(cloudpickle.list_registry_pickle_by_value())
            if name in sys.modules and _is_users(name)
        ]
        for module in fresh:
            cloudpickle.register_pickle_by_value(module)
        try:
            return cloudpickle.dumps(function)
        finally:
            for module in fresh:
                cloudpickle.unregister_pickle_by_value(module)


def _is_users(module: str) -> bool:
    top = module.partition(".")[0]
    return top not in sys.stdlib_module_names and top not in {"__main__", __name__.split(".")[0]}


def _forget() -> None:
    # The workers are the parent's, and its lock may be held.
    _kept.lock = threading.Lock()
    _kept.crew = _kept.key = None


os.register_at_fork(after_in_child=_forget)
