"""Locks that a fork waits for, so that no child inherits one from a thread that is not there."""

from __future__ import annotations

import threading
from typing import Any


class ForkLocks:
    """Locks to be held over a fork, by handlers that may come in while one is under way.

    A module that is imported while another thread forks has its handlers registered between those
    that run before and those that run after: `after` does nothing where `before` did not run, and
    whoever waits for such an import calls `before` once more, which then does nothing twice.
    """

    def __init__(self, *locks: Any) -> None:
        self._locks = locks
        self._forking = 0  # the thread that is

    def before(self) -> None:
        """Wait for the locks."""
        if self._forking == threading.get_ident():
            return
        for lock in self._locks:
            lock.acquire()
        self._forking = threading.get_ident()

    def after(self) -> None:
        """Let them go, in the parent or in the child."""
        if self._forking != threading.get_ident():
            return
        self._forking = 0
        for lock in reversed(self._locks):
            lock.release()
