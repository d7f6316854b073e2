"""What a task is given, and what it gives back: plain data that JSON can hold."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from benchmarks.limit import Limit
from benchmarks.timing import Effort

ALL_SECONDS: Final = 30 * 60

# {"labels": {...}, "rows": n, "times": {contestant: {...}}, "notes": {...}}: see results.py.
Case = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How large and how long: the full run, or a quick one."""

    full: bool
    effort: Effort
    slow_effort: Effort  # where a call takes seconds
    processes: int  # started for each first call
    patience: float = 20.0  # seconds that a compile beside the calls may take
    most_rows: int | None = None
    limit_bytes: int = 2**27  # of each array of the triad


FULL: Final = Scale(
    full=True,
    effort=Effort(),
    slow_effort=Effort(least=3, most=9, seconds=3.0),
    processes=3,
)
QUICK: Final = Scale(
    full=False,
    effort=Effort(least=3, most=7, seconds=0.1),
    slow_effort=Effort(least=3, most=5, seconds=0.1),
    processes=1,
    patience=0.2,
    limit_bytes=2**25,
)


@dataclass
class Run:
    """One run of the tasks: its scale, its clock, and whom it tells what goes on."""

    scale: Scale
    say: Callable[[str], None]
    deadline: float = field(default_factory=lambda: time.monotonic() + ALL_SECONDS)
    limit: Limit | None = None  # of the machine, measured just before the task

    @property
    def over(self) -> bool:
        """The time is up: what has not begun is left out."""
        return time.monotonic() > self.deadline

    def sizes(self, *, full: tuple[int, ...], quick: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of rows of this run, or of whatever else grows."""
        found = full if self.scale.full else quick
        most = self.scale.most_rows
        return found if most is None else tuple(sorted({min(rows, most) for rows in found}))

    def until(self, deadline: float, limit: Limit) -> Run:
        """The run of one task, which must begin its last case by then."""
        return replace(self, deadline=min(self.deadline, deadline), limit=limit)


def skipped(labels: dict[str, Any], rows: int, why: str = "time is up") -> Case:
    """A case that was not measured: no time was left for it, or something is not installed."""
    return {"labels": labels, "rows": rows, "skipped": why, "times": {}, "notes": {}}
