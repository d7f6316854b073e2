"""The kernel for the next chunk under `auto`: NumPy's at once, numba's where it takes less time."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future
from typing import Final, NamedTuple

from batchprep.backends.kernel import Kernel

# What is compared is the least of so many chunks: the first ones fill caches, and others may have
# had to wait for a CPU.
TRIALS: Final = 3
# numba's kernel takes over where it is there, and gives way only to one that is faster by this
# much: two equal ones do not take turns. It is tried again after so many chunks of the other.
MARGIN: Final = 0.9
AGAIN: Final = 500
# Where numba's kernel runs small chunks, one of so many is timed: to look at the clock and to note
# it takes 2 us, a twentieth of a call on few rows.
SMALL_ROWS: Final = 16_384
TIMED: Final = 16


class Race:
    """Seconds a row of both kernels, for chunks of about one size; small ones are timed seldom."""

    def __init__(self, *, small: bool = False) -> None:
        self._small = small
        self._untimed = 0
        self._seconds = {name: deque[float](maxlen=TRIALS) for name in ("numpy", "numba")}
        self._since = 0
        self.numba_wins = True  # whether its kernel is to run the next chunk

    def is_timed(self) -> bool:
        """Whether the next chunk is to be timed."""
        if not (self._small and self.numba_wins and len(self._seconds["numba"]) == TRIALS):
            return True
        self._untimed += 1
        if self._untimed < TIMED:
            return False
        self._untimed = 0
        return True

    def took(self, backend: str, seconds: float) -> None:
        """Note what a row took."""
        numpy, numba = self._seconds["numpy"], self._seconds["numba"]
        self._seconds[backend].append(seconds)
        if len(numpy) < TRIALS or len(numba) < TRIALS:
            return
        self.numba_wins = min(numpy) >= MARGIN * min(numba)
        if backend == "numpy":
            self._since += 1
            if self._since >= AGAIN:
                self._since = 0
                numba.clear()
                self.numba_wins = True


class Races:
    """The races of one pair of kernels, by the size of chunks."""

    def __init__(self) -> None:
        self._races: dict[int, Race] = {}
        self.numpy_seconds = 0.0

    def of(self, rows: int) -> Race:
        """That for chunks of about so many rows, within a factor of four."""
        size = rows.bit_length() // 2
        found = self._races.get(size)
        return found or self._races.setdefault(size, Race(small=rows < SMALL_ROWS))

    def took(self, backend: str, rows: int, seconds: float) -> None:
        """Note what a chunk took."""
        if backend == "numpy":
            self.numpy_seconds += seconds
        self.of(rows).took(backend, seconds / max(rows, 1))


class Turn(NamedTuple):
    """Backend and kernel for the next chunk, and whether it is to be timed."""

    backend: str
    kernel: Kernel
    timed: bool


class Tier:
    """The kernel that runs the chunks of batches of one layout."""

    def __init__(self, name: str, kernel: Kernel) -> None:
        self._turn = Turn(name, kernel, timed=False)

    def current(self, rows: int) -> Turn:
        """What runs the next chunk, of so many rows."""
        del rows
        return self._turn

    def took(self, backend: str, rows: int, seconds: float) -> None:
        """Note what the chunk took."""

    def trouble(self) -> str:
        """Why no faster kernel will come; "" while one may."""
        return ""


class RisingTier(Tier):
    """NumPy's kernel, and numba's, which takes over once it is compiled, where it is faster."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__("numpy", kernel)
        self.races = Races()
        self._slow = Turn("numpy", kernel, timed=True)
        self._fast: tuple[Turn, Turn] | None = None  # untimed, and timed
        self.has_numba = False
        self._coming: Future[Kernel] | None = None
        self._process = 0
        self._trouble = ""

    def current(self, rows: int) -> Turn:
        """What runs the next chunk, of so many rows."""
        if not self.has_risen() or self._fast is None:
            return self._slow
        race = self.races.of(rows)
        return self._fast[race.is_timed()] if race.numba_wins else self._slow

    def take_over(self, kernel: Kernel) -> None:
        """Give it numba's kernel."""
        self._fast = Turn("numba", kernel, timed=False), Turn("numba", kernel, timed=True)
        self.has_numba = True

    def took(self, backend: str, rows: int, seconds: float) -> None:
        """Note what the chunk took."""
        self.races.took(backend, rows, seconds)

    def trouble(self) -> str:
        """Why numba's kernel will not come; "" while it may."""
        return self._trouble

    def has_risen(self) -> bool:
        """Whether numba's kernel is there."""
        if self._coming is not None and self._coming.done():
            self._arrived(self._coming)
        return self.has_numba

    def is_settled(self) -> bool:
        """Whether numba's kernel is there, is being made by this process, or will never come."""
        being_made = self._coming is not None and (
            self._coming.done() or self._process == os.getpid()
        )
        return self._fast is not None or being_made or bool(self._trouble)

    def await_kernel(self, kernel: Future[Kernel]) -> None:
        """Let it take over when it is done."""
        self._process, self._coming = os.getpid(), kernel

    def _arrived(self, coming: Future[Kernel]) -> None:
        error = coming.exception()
        if error is None:
            self.take_over(coming.result())
        else:
            self._trouble = f"numba cannot compile it: {type(error).__name__}: {error}"
        self._coming = None
