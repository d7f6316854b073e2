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
    """One such process, and the pipes to it."""

    def __init__(self) -> None:
        # In a session of its own: Ctrl-C at a terminal is not for it.
        self._process = subprocess.Popen(  # noqa: S603  our own interpreter and text
            [sys.executable, *_options(), "-c", _START.format(folders=_folders(_NEEDED))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
            close_fds=True,
            cwd=os.sep,
        )

    def compile(self, jobs: Any) -> None:
        """Begin to compile loops into the folder of kernels.

        Errors:  OSError where the process is gone
        """
        self._ask(dict(os.environ), pickle.dumps(jobs))

    def _ask(self, *question: Any) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101  it was asked for
        data = memoryview(pickle.dumps(question))
        while data:
            data = data[pipe.write(data) :]

    def answer(self) -> str:
        """Wait until it is done; what went wrong, "" if nothing did.

        Errors:  EOFError, OSError, pickle.UnpicklingError where the process is gone
        """
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101  it was asked for
        return str(pickle.load(pipe))  # noqa: S301  of the process that this one started

    def stop(self) -> None:
        """End it now; what waits for an answer gets none."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Stop it, and give its pipes back: when nothing waits for an answer any more."""
        self.stop()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def leave(self) -> None:
        """In a fork of this process: it is the parent's, which it must see the end of."""
        self._process.returncode = 0
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


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
