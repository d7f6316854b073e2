"""The process that compiles for another one: it fills the folder of kernels, and answers.

It lives as long as the pipe that it is asked through. What it is at when that one ends, it still
finishes, so that the next process finds it; numba's files appear whole or not at all.
"""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import threading
import time
from typing import Any, BinaryIO, Final

# Below the process that it serves, and still done before that one would have done it.
NICENESS: Final = 5
LINGER_SECONDS: Final = 30.0


def serve() -> None:
    """Answer what comes through standard input, through what was standard output."""
    os.nice(NICENESS)
    answers = os.dup(1)
    os.dup2(2, 1)  # what anything else prints is no answer
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # Not a daemon: it is what ends the process.
    threading.Thread(target=_read, args=(os.fdopen(0, "rb", closefd=False), asked)).start()
    importlib.import_module("batchprep.backends.numba.kernel")  # while the first question is made
    try:
        while (question := asked.get()) is not None:
            os.write(answers, _answer(*question).replace("\n", " ").encode() + b"\n")
    finally:  # nobody asks, or listens, any more
        os._exit(0)


def _read(pipe: BinaryIO, asked: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            asked.put(pickle.load(pipe))  # noqa: S301  of the process that started this one
    finally:
        asked.put(None)
        time.sleep(LINGER_SECONDS)
        os._exit(0)


def _answer(environment: dict[str, str], jobs: bytes) -> str:
    """Compile loops into the folder that the other process uses; what went wrong, or ""."""
    from batchprep.backends.numba.compiler import compiled

    os.environ.clear()
    os.environ.update(environment)
    try:
        for job in pickle.loads(jobs):  # noqa: S301  as _read
            if isinstance(job, str):  # a module with a kernel of its own
                importlib.import_module(job).load()
            else:
                compiled(*job)
    except Exception as error:  # noqa: BLE001  the other process tries itself, and meets it again
        return f"{type(error).__name__}: {error}"
    return ""
