"""The process that compiles for another one: it fills the folder of kernels, and answers.

It lives as long as the pipe that it is asked through, and ends at once with it, even while it
compiles: numba's files appear whole or not at all.
"""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import threading
from typing import Any, BinaryIO, Final

# Below the process that it serves, and still done before that one would have done it.
NICENESS: Final = 5


def serve() -> None:
    """Answer what comes through standard input, through what was standard output."""
    os.nice(NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything else prints is no answer
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # Not a daemon: it is what ends the process.
    threading.Thread(target=_read, args=(os.fdopen(0, "rb", closefd=False), asked)).start()
    importlib.import_module("batchprep.backends.numba.kernel")  # while the first question is made
    while True:
        pickle.dump(_answer(*asked.get()), answers)
        answers.flush()


def _read(pipe: BinaryIO, asked: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            asked.put(pickle.load(pipe))  # noqa: S301  of the process that started this one
    finally:
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
