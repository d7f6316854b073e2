"""A progress bar with rows per second and the time that is left."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from batchprep.run.units import rate_text, short_rows_text

if TYPE_CHECKING:
    from tqdm import tqdm

# Seconds between two drawings: smooth on a terminal, few lines in a log.
_TERMINAL_INTERVAL: Final = 0.1
_LOG_INTERVAL: Final = 10.0
_WITH_END: Final = "{percentage:3.0f}%|{bar}| {desc} [{elapsed}<{remaining}]"
_WITHOUT_END: Final = "{desc} [{elapsed}]"


class Progress:
    """How far a run is, on stderr: rows, rows per second, and the time left where it is known.

    The end is known from the rows of the source, else from its bytes. `enabled=None` draws where
    stderr is a terminal; True draws everywhere, False nowhere. Calls may come from any thread.
    """

    def __init__(
        self,
        total_rows: int | None = None,
        total_bytes: int | None = None,
        *,
        enabled: bool | None = None,
        file: TextIO | None = None,
    ) -> None:
        stream = sys.stderr if file is None else file
        self._by_rows = total_rows is not None
        self._lock = threading.Lock()
        self._rows = 0
        self._started = time.perf_counter()
        total = total_rows if self._by_rows else total_bytes
        draws = _is_terminal(stream) if enabled is None else enabled
        self._bar = _bar(total, stream) if draws else None

    def update(self, rows: int, nbytes: int = 0) -> None:
        """So many more rows are done, and so many more bytes of the source are read."""
        with self._lock:
            if self._bar is None:
                return
            self._rows += rows
            self._bar.set_description_str(self._text(), refresh=False)
            self._bar.update(rows if self._by_rows else nbytes)

    def close(self) -> None:
        """Draw the last state and end the line. To close twice does no harm."""
        with self._lock:
            bar, self._bar = self._bar, None
            if bar is not None:
                bar.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _text(self) -> str:
        rate = rate_text(self._rows, time.perf_counter() - self._started)
        return ", ".join(part for part in (short_rows_text(self._rows), rate) if part)


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody watches; stderr is None under pythonw and some servers."""
    return stream is not None and stream.isatty()


def _bar(total: int | None, stream: TextIO) -> tqdm[Any]:
    from tqdm import tqdm

    class Bar(tqdm):  # pyright: ignore[reportMissingTypeArgument]
        monitor_interval = 0  # no thread of its own, which would outlive the run

    # tqdm's own lock is one between processes: a semaphore, and a process to watch over it.
    Bar.set_lock(threading.RLock())
    terminal = _is_terminal(stream)
    return Bar(
        total=total,
        file=stream,
        mininterval=_TERMINAL_INTERVAL if terminal else _LOG_INTERVAL,
        miniters=1,
        dynamic_ncols=terminal,
        bar_format=_WITH_END if total else _WITHOUT_END,
        desc=short_rows_text(0),
    )
