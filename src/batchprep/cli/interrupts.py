"""Ctrl-C that ends a command, once and for certain."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Final, Self

AGAIN: Final = 1.0  # seconds after which an interrupt that nobody heeded is raised again


class Interrupts:
    """While it is entered, Ctrl-C raises KeyboardInterrupt until the command ends.

    Extension modules swallow a KeyboardInterrupt that reaches them while they are loaded, and the
    first use of an Arrow array loads all of pandas: the command would go on as if nothing had been
    pressed. So the interrupt is repeated, except where one is being handled already: files that
    are being cleaned up stay undisturbed, by a second Ctrl-C too.
    """

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._repeating: threading.Thread | None = None
        self._previous: object = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_raised: object) -> None:
        self._ended.set()
        if callable(self._previous):
            signal.signal(signal.SIGINT, self._previous)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._repeating is None:
            self._repeating = threading.Thread(target=self._repeat, daemon=True)
            self._repeating.start()
        if not _is_handled():
            raise KeyboardInterrupt

    def _repeat(self) -> None:
        main = threading.main_thread().ident
        while not self._ended.wait(AGAIN) and main is not None:
            signal.pthread_kill(main, signal.SIGINT)


def _is_handled() -> bool:
    """Whether the main thread is on its way out: some frame of it handles a KeyboardInterrupt."""
    error = sys.exception()
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
