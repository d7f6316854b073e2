"""A file that counts its bytes, and that only its owner closes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _nothing() -> None:
    pass


class OutputFile:
    """What Arrow's writers write into. They close what they write into; this one stays open.

    `finish` flushes it, syncs it and closes it.
    """

    def __init__(self, file: Any, sync: Callable[[], None] = _nothing) -> None:
        self._file = file
        self._sync = sync
        self.bytes = 0
        self.closed = False

    def write(self, data: Any) -> int:
        """Write all of the bytes."""
        view = memoryview(data)
        self._file.write(view)
        self.bytes += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        """Bytes so far."""
        return self.bytes

    def flush(self) -> None:
        """Nothing: `finish` flushes."""

    def close(self) -> None:
        """Nothing: `finish` closes."""

    def readable(self) -> bool:
        """No."""
        return False

    def writable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """No."""
        return False

    def finish(self) -> None:
        """Flush, sync and close it."""
        self._file.flush()
        self._sync()
        self.discard()

    def discard(self) -> None:
        """Close it; fine if it is closed."""
        if not self.closed:
            self.closed = True
            self._file.close()
