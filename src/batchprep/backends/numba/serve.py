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


def _answer(what: str, *of: Any) -> str:
    """An empty text, or what went wrong."""
    try:
        _DO[what](*of)
    except Exception as error:  # noqa: BLE001  the other process tries itself, and meets it again
        return f"{type(error).__name__}: {error}"
    return ""


def _compile(environment: dict[str, str], jobs: bytes) -> None:
    """Compile loops into the folder that the other process uses by now."""
    from batchprep.backends.numba.compiler import compiled

    os.environ.clear()
    os.environ.update(environment)
    for source, arguments in pickle.loads(jobs):  # noqa: S301  of the process that started this one
        compiled(source, arguments)


def _load(module: str) -> None:
    """Compile a module's own kernel into numba's cache."""
    importlib.import_module(module).load()


_DO: Final = {"compile": _compile, "load": _load}
