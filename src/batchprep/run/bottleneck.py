"""Which part of a run the other parts wait for, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from batchprep.run import report_messages

if TYPE_CHECKING:
    from batchprep.run.report import StageReport

Activity = Literal["reading", "computing", "writing"]

# Beyond every tenth row, the interpreter's answers cost more than the kernel's.
MANY_DEVIATIONS: Final = 0.1


@dataclass(frozen=True)
class Bottleneck:
    """The busiest part of a run: `share` of the wall time that it was busy, and a remedy."""

    activity: Activity
    share: float
    advice: str

    def __str__(self) -> str:
        return report_messages.bottleneck_text(self.activity, self.share, self.advice)


def find_bottleneck(stages: Sequence[StageReport], seconds: float) -> Bottleneck | None:
    """The activity that was busy longest; None where none was.

    Reading, computing and writing overlap, so their shares may add up to more than 1. Where
    several threads read or write, an activity is as busy as the mean of its threads.
    """
    busy: dict[Activity, float] = dict.fromkeys(("reading", "computing", "writing"), 0.0)
    for stage in stages:
        busy[_ACTIVITY[stage.kind]] += _busy(stage)
    activity = max(busy, key=busy.__getitem__)
    if seconds <= 0 or not busy[activity]:
        return None
    share = min(busy[activity] / seconds, 1.0)
    return Bottleneck(activity, share, _advice(activity, stages))


_ACTIVITY: Final[dict[str, Activity]] = {
    "read": "reading",
    "compute": "computing",
    "write": "writing",
}


def _busy(stage: StageReport) -> float:
    # Seconds of a compute stage are wall time of its batches, however many threads share them.
    return stage.seconds if stage.kind == "compute" else stage.seconds / max(stage.threads, 1)


def _advice(activity: Activity, stages: Sequence[StageReport]) -> str:
    if activity == "reading":
        return report_messages.FASTER_READING
    if activity == "writing":
        return report_messages.FASTER_WRITING
    slowest = max((s for s in stages if s.kind == "compute"), key=lambda stage: stage.seconds)
    if not slowest.compiled:
        return report_messages.interpreted_text(slowest.name)
    deviating = sum(slowest.deviations.values())
    if deviating > MANY_DEVIATIONS * slowest.rows_in:
        return report_messages.deviating_text(slowest.name, deviating)
    if slowest.pieces:
        return report_messages.pieces_text(slowest.name)
    return report_messages.FASTER_COMPUTING
