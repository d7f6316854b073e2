"""What a call did: rows, time, where it ran, which rows deviated, which failed."""

from __future__ import annotations

import html
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from batchprep.run.program import Program

if TYPE_CHECKING:
    from rich.table import Table

FAILURES: Final = pa.schema(
    [
        ("row", pa.int64()),
        ("type", pa.string()),
        ("message", pa.string()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("record", pa.string()),
    ]
)


@dataclass(frozen=True)
class Failure:
    """A row whose loop raises: its number, the exception, its place, the record as JSON."""

    row: int
    type: str
    message: str
    file: str | None
    line: int | None
    record: str


@dataclass(frozen=True)
class StageReport:
    """What one stage did. `deviations` counts rows by reason; `seconds` is wall time."""

    name: str
    backend: str
    compiled: bool
    reason: str
    rows_in: int
    rows_out: int
    deviations: Mapping[str, int]
    seconds: float
    device: str

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {**vars(self), "deviations": dict(self.deviations)}


@dataclass(frozen=True)
class Report:
    """What a call did. `str` gives text, `to_dict` plain data.

    `stopped_at` is the row whose exception ended the call, None where it went through.
    """

    rows: int
    seconds: float
    failed: tuple[Failure, ...]
    stages: tuple[StageReport, ...]
    stopped_at: int | None = None

    @cached_property
    def failures(self) -> pa.Table:
        """The failed rows: row, type, message, file, line, record (JSON)."""
        columns = [[getattr(failure, name) for failure in self.failed] for name in FAILURES.names]
        return pa.Table.from_arrays(
            [pa.array(column, field.type) for column, field in zip(columns, FAILURES, strict=True)],
            schema=FAILURES,
        )

    def to_dict(self) -> dict[str, Any]:
        """Rows, seconds, failures and stages as plain data."""
        return {
            "rows": self.rows,
            "seconds": self.seconds,
            "stopped_at": self.stopped_at,
            "failures": self.failures.to_pylist(),
            "stages": [stage.to_dict() for stage in self.stages],
        }

    def __str__(self) -> str:
        """One line for the call, then one for each stage and each reason."""
        return "\n".join([self._headline(), *(line for s in self.stages for line in _lines(s))])

    def __rich__(self) -> Table:
        """A table of the stages, for rich."""
        from rich.table import Table

        table = Table(*_COLUMNS, title=self._headline(), title_justify="left")
        for stage in self.stages:
            table.add_row(*_cells(stage))
        return table

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(stage)) + "</tr>"
            for stage in self.stages
        )
        return f"<table><caption>{self._headline()}</caption><tr>{head}</tr>{rows}</table>"

    def _headline(self) -> str:
        end = f"{len(self.failed):,} failed"
        if self.stopped_at is not None:
            end = f"stopped at row {self.stopped_at:,}"
        return f"{_rows(self.rows)} in {_duration(self.seconds)}, {end}"


_COLUMNS: Final = ("stage", "ran on", "rows in", "rows out", "time", "deviations")


def _cells(stage: StageReport) -> tuple[str, ...]:
    deviations = "\n".join(f"{count:,} {reason}" for reason, count in stage.deviations.items())
    return (
        stage.name,
        _where(stage),
        f"{stage.rows_in:,}",
        f"{stage.rows_out:,}",
        _duration(stage.seconds),
        deviations or "none",
    )


def _lines(stage: StageReport) -> list[str]:
    lines = [f"  {stage.name}: {_where(stage)}, {_duration(stage.seconds)}"]
    lines += [f"    {_rows(count)}: {reason}" for reason, count in stage.deviations.items()]
    return lines


def _where(stage: StageReport) -> str:
    text = f"{stage.backend} on {stage.device}" if stage.compiled else "interpreter"
    return f"{text} ({stage.reason})" if stage.reason else text


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


class ReportBuilder:
    """The report of one call while it runs. Not shared between threads."""

    def __init__(self, program: Program) -> None:
        # Not the program: the report outlives the call, and need not keep its tables alive.
        self._name = program.name
        self._compiled = program.trace is not None
        self._reason = "" if program.unsupported is None else program.unsupported.reason
        self._started = time.perf_counter()
        self._failed: list[Failure] = []
        self._deviations: dict[str, int] = {}
        self._backends: dict[str, None] = {}
        self._rows_in = 0
        self._rows_out = 0
        self._busy = 0.0
        self._note = ""
        self._stopped_at: int | None = None
        self._seconds: float | None = None

    def batch_done(self, rows_in: int, rows_out: int, seconds: float) -> None:
        """Count a batch: `seconds` is what its stage took."""
        self._rows_in += rows_in
        self._rows_out += rows_out
        self._busy += seconds

    def stopped(self, row: int) -> None:
        """The exception of that row ends the call: no row after it is counted."""
        self._stopped_at = row
        self._rows_in = row + 1

    def ran_on(self, backend: str) -> None:
        """Note that a chunk ran on that backend."""
        self._backends[backend] = None

    def deviated(self, reason: str, rows: int) -> None:
        """Count rows that the interpreter answered, by reason."""
        self._deviations[reason] = self._deviations.get(reason, 0) + rows

    def failed(self, failure: Failure) -> None:
        """Keep a failed row."""
        self._failed.append(failure)

    def remark(self, note: str) -> None:
        """Say why the stage runs where it does."""
        self._note = note

    def stop(self) -> None:
        """The call is over: stop the clock."""
        if self._seconds is None:
            self._seconds = time.perf_counter() - self._started

    def build(self) -> Report:
        """The report so far."""
        seconds = self._seconds
        if seconds is None:
            seconds = time.perf_counter() - self._started
        failed = tuple(self._failed)
        return Report(self._rows_in, seconds, failed, (self._stage(),), self._stopped_at)

    def _stage(self) -> StageReport:
        return StageReport(
            name=self._name,
            backend=", ".join(self._backends) or "interpreter",
            compiled=self._compiled,
            reason=self._reason or self._note,
            rows_in=self._rows_in,
            rows_out=self._rows_out,
            deviations=dict(self._deviations),
            seconds=self._busy,
            device="cpu",
        )
