"""Choices by a seed that are written down, so that a shorter list of them can be tried."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from random import Random

from tests.fuzz.choices import Choices

BLOCKS = (64, 16, 4, 1)


class Recorded(Choices):
    """Choices of a seed, or those of a script and then the first option each time."""

    def __init__(self, seed: int, script: Sequence[int] | None = None) -> None:
        self._random = Random(seed)
        self._script = script
        self.made: list[int] = []

    def below(self, bound: int) -> int:
        if bound <= 1:
            return 0
        self.made.append(self._next(bound))
        return self.made[-1]

    def _next(self, bound: int) -> int:
        if self._script is None:
            return self._random.randrange(bound)
        place = len(self.made)
        return min(self._script[place], bound - 1) if place < len(self._script) else 0

    def seed(self) -> int:
        return self.below(2**32)


def shortest(made: list[int], fails: Callable[[list[int]], bool], seconds: float) -> list[int]:
    """The shortest and then smallest script found that still fails, within that time."""
    deadline = time.monotonic() + seconds
    before = None
    while before != made and time.monotonic() < deadline:
        before = made
        for change in (_without, _zeroed, _halved):
            made = _tried(made, change, fails, deadline)
    return made


def _tried(
    made: list[int],
    change: Callable[[list[int], int, int], list[int]],
    fails: Callable[[list[int]], bool],
    deadline: float,
) -> list[int]:
    for size in BLOCKS:
        place = 0
        while place < len(made) and time.monotonic() < deadline:
            shorter = change(made, place, size)
            if shorter != made and fails(shorter):
                made = shorter
            else:
                place += size
    return made


def _without(made: list[int], place: int, size: int) -> list[int]:
    return made[:place] + made[place + size :]


def _zeroed(made: list[int], place: int, size: int) -> list[int]:
    return [0 if place <= n < place + size else value for n, value in enumerate(made)]


def _halved(made: list[int], place: int, size: int) -> list[int]:
    return [value // 2 if place <= n < place + size else value for n, value in enumerate(made)]


def seeds(first: int) -> Iterator[int]:
    """Seeds from one on."""
    while True:
        yield first
        first += 1
