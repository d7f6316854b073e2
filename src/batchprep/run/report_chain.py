"""The report of a chain over data in memory: one stage for each of its parts."""

from __future__ import annotations

from batchprep.run.report import Described, Report, ReportBuilder


class ChainReport:
    """The report of a call while it runs, from the builders of its parts."""

    def __init__(self) -> None:
        self.builders: list[ReportBuilder] = []

    def stage(self, program: Described) -> ReportBuilder:
        """A builder for the next part."""
        builder = ReportBuilder(program)
        self.builders.append(builder)
        return builder

    def stop(self) -> None:
        """The call is over: stop the clock."""
        for builder in self.builders:
            builder.stop()

    def build(self) -> Report:
        """The report so far; failures in the order of their rows."""
        parts = [builder.build() for builder in self.builders]
        failed = [failure for part in parts for failure in part.failed]
        # A row that fails late in the chain may come before one that fails early in it.
        stopped = min((p.stopped_at for p in parts if p.stopped_at is not None), default=None)
        return Report(
            rows=parts[0].rows if stopped is None else stopped + 1,
            seconds=max(part.seconds for part in parts),
            failed=tuple(sorted(failed, key=lambda failure: failure.row)),
            stages=tuple(stage for part in parts for stage in part.stages),
            stopped_at=stopped,
        )
