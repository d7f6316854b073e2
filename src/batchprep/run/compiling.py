"""Compiles beside the calls: one after the other, on a thread that lets a process do the work.

The thread imports numba and loads what the process has compiled. Where there can be no process, or
no folder for what it makes, the thread compiles by itself.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, TypeVar

from batchprep.backends.numba import BACKEND as NUMBA
from batchprep.backends.numba.store import kernel_directory
from batchprep.batch.record_reader import Loader
from batchprep.run.compile_process import CompileProcess, can_start

T = TypeVar("T")

# After so long without a compile, thread and process end: the process holds 150 MB.
IDLE_SECONDS: Final = 10.0


class Background:
    """Does tasks on one thread beside the calls; what fails there is kept, not raised."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Held while a process starts, and while a module is imported: what would be half done in a
        # fork of this process, its pipes and its locks, nobody could do to the end.
        self.unforked = threading.RLock()
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._process: CompileProcess | None = None
        self._is_waiting = False  # for an answer of the process
        self._ending = False

    def submit(self, task: Callable[[], T]) -> Future[T]:
        """A future of what the task gives."""
        future = Future[T]()

        def run() -> None:
            try:
                future.set_result(task())
            except BaseException as error:  # noqa: BLE001
                future.set_exception(error)

        with self._lock:
            self._tasks.put(run)
            try:
                self._start_thread()
            except (InterruptedError, RuntimeError) as error:  # Python is about to end
                future.set_exception(error)
        return future

    def _start_thread(self) -> None:
        if self._ending:
            raise InterruptedError
        if self._thread is None:
            # A daemon: Python would wait for another one before it asks this one to end.
            self._thread = threading.Thread(
                target=self._work, name="batchprep-compile", daemon=True
            )
            self._thread.start()

    def _work(self) -> None:
        while not self._ending:
            try:
                task = self._tasks.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                if self._rest():
                    return
            else:
                task()

    def _rest(self) -> bool:
        """End the process, and the thread unless a task has come in."""
        self._put_away()
        with self._lock:
            if self._tasks.empty():
                self._thread = None
                return True
        return False

    def elsewhere(self, jobs: Any, meanwhile: Callable[[], None]) -> bool:
        """Let the process compile loops, started if need be; whether it has. On the thread only.

        Errors:  InterruptedError where this process is about to end
        """
        try:
            process = self._started()
            if process is not None:
                process.compile(jobs)
                meanwhile()
            self._wait(waiting=True)
            done = process is not None and process.answer() == ""
        except InterruptedError:
            raise
        except (OSError, EOFError):
            self._put_away()
            done = False
        self._wait(waiting=False)
        return done

    def _wait(self, *, waiting: bool) -> None:
        with self._lock:
            self._is_waiting = waiting
            if self._ending:
                raise InterruptedError

    def _started(self) -> CompileProcess | None:
        with self.unforked:
            if self._process is None and not self._ending and can_start():
                self._process = CompileProcess()
            return self._process

    def _put_away(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def stop(self) -> None:
        """End the process now, whatever it is at."""
        self.submit(self._put_away).exception()

    def end(self) -> None:
        """At exit: no further task. What this process compiles itself is waited for."""
        with self._lock:
            self._ending = True
            is_waiting = self._is_waiting
        self._tasks.put(_nothing)
        if self._thread is not None and not is_waiting:
            self._thread.join()
        with self.unforked:
            process = self._process
        if process is not None:
            process.leave()

    def before_fork(self) -> None:
        """Let no fork happen while a process starts, or a module is imported."""
        self.unforked.acquire()
        NUMBA.before_fork()  # it may have been imported meanwhile

    def after_fork(self) -> None:
        """In the parent, go on."""
        NUMBA.after_fork()
        self.unforked.release()

    def after_fork_in_child(self) -> None:
        """Start afresh: the thread stayed in the parent, and the process is the parent's."""
        NUMBA.after_fork()
        process, ending = self._process, self._ending
        self.__init__()
        self._ending = ending
        if process is not None:
            process.forget()


def _nothing() -> None:
    """Wake the thread up."""


BACKGROUND: Final = Background()
os.register_at_fork(
    before=BACKGROUND.before_fork,
    after_in_parent=BACKGROUND.after_fork,
    after_in_child=BACKGROUND.after_fork_in_child,
)
atexit.register(BACKGROUND.end)


def compiled_elsewhere(jobs: Any, meanwhile: Callable[[], None]) -> None:
    """Have loops compiled into the folder of kernels; whoever loads them compiles what is not."""
    if jobs and kernel_directory() is not None:
        BACKGROUND.elsewhere(jobs, meanwhile)


def prepare_module(module: str) -> None:
    """Have a module's own kernel compiled into numba's cache, where it was not before."""
    folder = kernel_directory()
    if folder is not None:
        BACKGROUND.submit(lambda: _prepare(module, folder)).exception()


def _prepare(module: str, folder: Path) -> None:
    with BACKGROUND.unforked:
        NUMBA.load()
    note = folder / f"{module.rpartition('.')[2]}_{NUMBA.environment()}.note"
    if not note.exists() and BACKGROUND.elsewhere([module], NUMBA.get_ready):
        note.touch()


Loader.prepare = staticmethod(prepare_module)
