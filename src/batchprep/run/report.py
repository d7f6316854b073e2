"""What a call did: rows, time, where it ran, which rows deviated, which failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

import pyarrow as pa

from batchprep.dtypes import Kind
from batchprep.errors import Unsupported
from batchprep.plan.tables import has_pieces
from batchprep.run import report_view
from batchprep.run.bottleneck import Bottleneck
from batchprep.run.report_messages import made_anew_text, sharing_text

if TYPE_CHECKING:
    from rich.console import Group

    from batchprep.rowfn.trace import Trace

StageKind = Literal["read", "compute", "write"]

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


class TextsRead(NamedTuple):
    """How many texts a function was given: kernels over bytes did some, Python the others."""

    by_kernel: int = 0
    by_python: int = 0


@dataclass(frozen=True)
class StageReport:
    """What one stage did: reading, a row function (or several fused), or writing.

    `seconds` is the time the stage was busy: wall time for a row function, summed over its threads
    for reading and writing. `deviations` counts rows by reason; `bytes` are those read or written.
    `note` says where a row function was compiled anew, because its records changed on the way.
    `texts` counts, by function, texts of Arrow columns that were read row by row over their bytes.
    `pieces`, which is not in the dict, tells that Python runs parts of it, one thread at a time.
    """

    name: str
    backend: str
    compiled: bool
    reason: str
    rows_in: int
    rows_out: int
    deviations: Mapping[str, int]
    seconds: float
    device: str
    kind: StageKind = "compute"
    threads: int = 1
    bytes: int = 0
    note: str = ""
    texts: Mapping[str, TextsRead] = field(default_factory=dict[str, TextsRead])
    pieces: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        texts = {name: found._asdict() for name, found in self.texts.items()}
        known = {**vars(self), "deviations": dict(self.deviations), "texts": texts}
        return {name: value for name, value in known.items() if name != "pieces"}


@dataclass(frozen=True)
class Report:
    """What a call or a run did. `str` gives text, `to_dict` plain data; notebooks show a table.

    stopped_at     the row whose exception ended the call, None where it went through
    streamed       failed rows that went to the file of failures, and so are not in `failed`
    row_groups_skipped  of Parquet files, whose statistics say that the filters drop all their rows
    bytes_read     of the source's files, 0 for data in memory; bytes_written, of the sink's
    peak_memory    bytes this process held at most, with what it held before the run; None for a
                   call on data in memory (run/peak_memory.py says how it is measured)
    bottleneck     what the rest of the run waited for; None for a call on data in memory

    The stages of a run overlap, so their seconds may add up to more than the report's.
    """

    rows: int
    seconds: float
    failed: tuple[Failure, ...]
    stages: tuple[StageReport, ...]
    stopped_at: int | None = None
    streamed: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    row_groups_skipped: int = 0
    peak_memory: int | None = None
    bottleneck: Bottleneck | None = None

    @cached_property
    def failures(self) -> pa.Table:
        """The failed rows: row, type, message, file, line, record (JSON)."""
        columns = [[getattr(failure, name) for failure in self.failed] for name in FAILURES.names]
        return pa.Table.from_arrays(
            [pa.array(column, item.type) for column, item in zip(columns, FAILURES, strict=True)],
            schema=FAILURES,
        )

    @property
    def failed_rows(self) -> int:
        """How many rows failed, kept here or streamed to a file."""
        return len(self.failed) + self.streamed

    @property
    def rows_out(self) -> int:
        """How many rows the last stage gave."""
        return self.stages[-1].rows_out if self.stages else 0

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return {
            "rows": self.rows,
            "rows_out": self.rows_out,
            "seconds": self.seconds,
            "stopped_at": self.stopped_at,
            "failed_rows": self.failed_rows,
            "bytes_read": self.bytes_read,
            "bytes_written": self.bytes_written,
            "row_groups_skipped": self.row_groups_skipped,
            "peak_memory": self.peak_memory,
            "bottleneck": None if self.bottleneck is None else vars(self.bottleneck).copy(),
            "failures": self.failures.to_pylist(),
            "stages": [stage.to_dict() for stage in self.stages],
        }

    def __str__(self) -> str:
        """The headline, what a run moved and waited for, then each stage and each reason."""
        return report_view.text(self)

    def __rich__(self) -> Group:
        return report_view.rich_table(self)

    def _repr_html_(self) -> str:
        return report_view.html_table(self)


class Described(Protocol):
    """What a report says of a program: its name, and whether it is compiled or why not."""

    @property
    def name(self) -> str: ...
    @property
    def trace(self) -> Trace | None: ...
    @property
    def unsupported(self) -> Unsupported | None: ...


class ReportBuilder:
    """The report of one call, or of one stage of a run, while it runs. Not shared between threads.

    Failed rows are kept, or handed to `keep_failure` where there is one and only counted.
    """

    def __init__(
        self, program: Described, *, keep_failure: Callable[[Failure], None] | None = None
    ) -> None:
        # Not the program: the report outlives the call, and need not keep its tables alive.
        self._name = program.name
        self._compiled = program.trace is not None
        self._pieces = has_pieces(getattr(program.trace, "stage", None))
        self._reason = "" if program.unsupported is None else program.unsupported.reason
        self._started = time.perf_counter()
        self._keep_failure = keep_failure
        self._failed: list[Failure] = []
        self._streamed = 0
        self._deviations: dict[str, int] = {}
        self._backends: dict[str, None] = {}
        self._threads = 1
        self._rows_in = 0
        self._rows_out = 0
        self._busy = 0.0
        self._note = ""
        self._made_anew: list[str] = []
        self._shipping = 0.0
        self._in_one_process = ""
        self._texts: dict[str, TextsRead] = {}
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

    def ran_on(self, backend: str, threads: int = 1) -> None:
        """Note that a chunk ran on that backend, and over how many threads its batch went."""
        self._backends[backend] = None
        self._threads = max(self._threads, threads)

    def deviated(self, reason: str, rows: int) -> None:
        """Count rows that the interpreter answered, by reason."""
        self._deviations[reason] = self._deviations.get(reason, 0) + rows

    def read_texts(self, names: Iterable[str], rows: int, by_python: Mapping[str, int]) -> None:
        """Count texts on which functions ran as kernels over bytes, and those left to Python."""
        for name in {*names, *by_python}:
            found = self._texts.get(name, TextsRead())
            left = by_python.get(name, 0)
            self._texts[name] = TextsRead(found.by_kernel + rows - left, found.by_python + left)

    def failed(self, failure: Failure) -> None:
        """Keep a failed row, or hand it on."""
        if self._keep_failure is None:
            self._failed.append(failure)
        else:
            self._keep_failure(failure)
            self._streamed += 1

    def remark(self, note: str) -> None:
        """Say why the stage runs where it does."""
        self._note = note

    def made_anew(self, kinds: Mapping[str, Iterable[Kind]], row: int) -> None:
        """Note that from that row on the stage is another one: fields have further kinds."""
        self._made_anew.append(made_anew_text(kinds, row))

    def shared(self, where: str, shipping: float) -> None:
        """Note that rows ran elsewhere too, and the seconds it took to send them to and fro."""
        self._backends[where] = None
        self._shipping += shipping

    def in_one_process(self, why: str) -> None:
        """Note why rows that may be shared among processes were not."""
        self._in_one_process = why

    def stop(self) -> None:
        """The call is over: stop the clock."""
        if self._seconds is None:
            self._seconds = time.perf_counter() - self._started

    def build(self) -> Report:
        """The report so far."""
        seconds = self._seconds
        if seconds is None:
            seconds = time.perf_counter() - self._started
        return Report(
            rows=self._rows_in,
            seconds=seconds,
            failed=tuple(self._failed),
            stages=(self._stage(),),
            stopped_at=self._stopped_at,
            streamed=self._streamed,
        )

    def _stage(self) -> StageReport:
        return StageReport(
            name=self._name,
            backend=", ".join(self._backends) or ("no kernel" if self._compiled else "interpreter"),
            compiled=self._compiled,
            reason=sharing_text(self._reason or self._note, self._shipping, self._in_one_process),
            rows_in=self._rows_in,
            rows_out=self._rows_out,
            deviations=dict(self._deviations),
            seconds=self._busy,
            device="cpu",
            threads=self._threads,
            note="; ".join(self._made_anew),
            texts=dict(self._texts),
            pieces=self._pieces,
        )
