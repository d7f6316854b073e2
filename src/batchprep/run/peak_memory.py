"""The most memory that this process held during a run."""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
# getrusage counts in KiB, except on macOS.
_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class PeakMemory:
    """Resident memory of the whole process, in bytes: what the run adds and what was there.

    The kernel keeps a high-water mark, but for the life of the process. Where a run raises it, the
    peak is exact. Where an earlier peak was higher, the peak is the greatest of the samples taken
    after each batch read, computed and written, and may miss memory held within a batch. The mark
    could be reset (/proc/self/clear_refs), but everybody else who reads it would lose the earlier
    peak, /usr/bin/time and job schedulers among them.
    """

    __slots__ = ("_before", "_highest")

    def __init__(self) -> None:
        self._before, self._highest = _resident()

    def sample(self) -> None:
        """Look how much memory is held now (about 20 us)."""
        self._highest = max(self._highest, _resident()[1])

    def peak(self) -> int:
        """The peak so far."""
        mark, now = _resident()
        if mark > self._before:
            return mark
        return max(self._highest, now)


def _resident() -> tuple[int, int]:
    """The process's high-water mark, and what it holds now."""
    try:
        fields = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return _kibibytes(fields["VmHWM"]), _kibibytes(fields["VmRSS"])
    except (OSError, KeyError, ValueError):  # no /proc: the mark is all there is
        mark = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
        return mark, mark


def _kibibytes(text: str) -> int:
    return int(text.split(maxsplit=1)[0]) * 1024
