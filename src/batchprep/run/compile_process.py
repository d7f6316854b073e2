"""A process that compiles beside this one: a compile in a thread would hold the GIL for most of it.

It is started plainly, with a few lines of our own: nothing of the caller's is run in it, neither
`__main__` nor an import of what lies beside it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

# What the process imports; the caller may have found it in places that a new Python does not know.
_NEEDED: Final = ("batchprep", "numpy", "pyarrow", "numba", "llvmlite")

# Behind the standard library, before everything else.
_START: Final = """
import os, sys
own = os.path.dirname(os.__file__)
known = [i for i, path in enumerate(sys.path) if path in (own, os.path.join(own, "lib-dynload"))]
place = max(known, default=-1) + 1
sys.path[place:place] = {folders!r}
from batchprep.backends.numba.serve import serve
serve()
"""


def can_start() -> bool:
    """Whether this process knows a Python to start: not where it is frozen, or embedded."""
    name = Path(sys.executable or "").name.lower()
    frozen = bool(getattr(sys, "frozen", False))
    return os.name == "posix" and not frozen and name.startswith(("python", "pypy"))


class CompileProcess:
    """One such process, and the pipes to it.

    Its end of ours is all that keeps it: it finishes what it is at, for half a minute at most.
    """

    def __init__(self) -> None:
        asked, self._questions = os.pipe()
        self._answers, answered = os.pipe()
        try:
            # In a session of its own: Ctrl-C at a terminal is not for it.
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter and text
                [sys.executable, *_options(), "-c", _START.format(folders=_folders(_NEEDED))],
                stdin=asked,
                stdout=answered,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd=os.sep,
            )
        except BaseException:
            self._close_pipes()
            raise
        finally:
            os.close(asked)
            os.close(answered)

    def compile(self, jobs: Any) -> None:
        """Begin to compile loops into the folder of kernels.

        Errors:  OSError where the process is gone
        """
        question = memoryview(pickle.dumps((dict(os.environ), pickle.dumps(jobs))))
        while question:
            question = question[os.write(self._questions, question) :]

    def answer(self) -> str:
        """Wait until it is done; what went wrong, "" if nothing did.

        Errors:  EOFError, OSError where the process is gone
        """
        answer = b""
        while not answer.endswith(b"\n"):
            part = os.read(self._answers, 1024)
            if not part:
                raise EOFError
            answer += part
        return answer.decode().rstrip("\n")

    def close(self) -> None:
        """End it now, when nothing waits for an answer any more."""
        self._process.kill()
        self._process.wait()
        self._close_pipes()

    def leave(self) -> None:
        """At exit: let it finish what it is at, and do not wait for it."""
        self._process.returncode = 0
        os.close(self._questions)

    def forget(self) -> None:
        """In a fork of the process that started it, whose end it must see."""
        self._process.returncode = 0
        with contextlib.suppress(OSError):
            self._close_pipes()

    def _close_pipes(self) -> None:
        os.close(self._questions)
        os.close(self._answers)


def _options() -> list[str]:
    """Isolated, without a folder of the caller's; byte code goes where it does here."""
    options = ["-I", *(["-B"] if sys.dont_write_bytecode else [])]
    return options + (["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else [])


def _folders(packages: Iterable[str]) -> list[str]:
    """The folders from which packages come, which are not imported for it."""
    found: dict[str, None] = {}
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            found[str(Path(spec.origin).resolve().parents[1])] = None
    return list(found)
