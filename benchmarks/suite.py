"""What a suite is given, and what it gives back: plain data that JSON can hold."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.timing import Effort

ALL_SECONDS: Final = 30 * 60
ONCE: Final = Effort(least=1, most=1, seconds=0.0)

Case = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How large and how long: the full run, or a quick one."""

    rows: tuple[int, ...]
    effort: Effort
    processes: int  # started per first call
    steps: tuple[int, ...]  # of the growing functions
    flights: int | None  # None: all of them
    fallback_rows: int = 100_000
    patience: float = 20.0  # seconds that a compile beside the calls may take
    file_rows: tuple[int, ...] = (2_000,)
    file_effort: Effort = ONCE
    text_rows: tuple[int, ...] = (2_000,)
    text_effort: Effort = ONCE


FULL: Final = Scale(
    rows=(1_000, 100_000, 10_000_000),
    effort=Effort(),
    processes=3,
    steps=(1, 3, 10, 30, 60, 100),
    flights=None,
    file_rows=(100_000, 3_000_000),
    file_effort=Effort(least=3, most=9, seconds=3.0),
    text_rows=(2_000_000,),
    text_effort=Effort(least=3, most=9, seconds=3.0),
)
QUICK: Final = Scale(
    rows=(1_000, 20_000),
    effort=Effort(least=3, most=7, seconds=0.2),
    processes=1,
    steps=(1, 10),
    flights=20_000,
    file_rows=(20_000,),
    file_effort=Effort(least=3, most=5, seconds=0.2),
    text_rows=(20_000,),
    text_effort=Effort(least=3, most=5, seconds=0.2),
)


@dataclass
class Run:
    """One run of the suites: its scale, its clock, and whom it tells what goes on."""

    scale: Scale
    say: Callable[[str], None]
    deadline: float = field(default_factory=lambda: time.monotonic() + ALL_SECONDS)

    @property
    def over(self) -> bool:
        """The time is up: what has not begun is left out."""
        return time.monotonic() > self.deadline
