"""A contest: several ways to do one task, checked against the row loop, then timed in rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.suite import Case, Run
from benchmarks.timing import Call, Effort, Samples, interleaved

OURS: Final = "batchprep"
ROW_LOOP: Final = "row_loop"
# After so many rows and seconds, what has not begun to compile will not: the calls are too small.
ROWS_BEFORE_COMPILE: Final = 400_000
SECONDS_BEFORE_COMPILE: Final = 5.0

Prepare = Callable[[Any], Callable[[Any], Any]]
Check = Callable[[str, Any], Rounding]


@dataclass(frozen=True)
class Contestant:
    """One way to do a task, as `Contestants.enter` describes it."""

    title: str
    prepare: Prepare
    given: str | None
    most_rows: int | None
    container: str
    settles: bool
    exact: bool


class Contestants(dict[str, Contestant]):
    """The table of a task: by name, in the order in which they are shown."""

    def enter(
        self,
        name: str,
        title: str,
        *,
        given: str | None = None,
        most_rows: int | None = None,
        container: str = "",
        settles: bool = False,
        exact: bool = False,
    ) -> Callable[[Prepare], Prepare]:
        """Add a contestant: a function task -> (data -> answer).

        What it imports, compiles or connects to happens in the first call, not in the second.

        given      in which form it takes the data, whatever the form of the case
        most_rows  where it stops, since more rows would only take longer to say the same
        container  what its answer comes in, which is a part of its time
        settles    compiles beside its first calls: it is timed when that is done
        exact      an answer whose last bits are not the loop's is wrong
        """

        def entered(prepare: Prepare) -> Prepare:
            self[name] = Contestant(title, prepare, given, most_rows, container, settles, exact)
            return prepare

        return entered

    def titles(self) -> dict[str, str]:
        return {name: contestant.title for name, contestant in self.items()}

    def calls(
        self, task: Any, data: Mapping[str, Any], form: str, rows: int
    ) -> dict[str, partial[Any]]:
        """Each one that takes part at this size, as a call without arguments."""
        return {
            name: partial(found.prepare(task), data[found.given or form])
            for name, found in self.items()
            if found.most_rows is None or rows <= found.most_rows
        }

    def checked(self, name: str, answer: Any, check: Check) -> Rounding:
        """How far the answer is from the row loop's: at most a rounding, and ours not at all."""
        rounding = check(name, answer)
        if rounding.rows and self[name].exact:
            raise WrongAnswerError(name, f"{rounding.rows:,} rows differ in their last bits")
        return rounding


def hold(
    run: Run,
    contestants: Contestants,
    task: Any,
    data: Mapping[str, Any],
    check: Check,
    *,
    labels: Mapping[str, str | int],
    rows: int,
    form: str = "arrow",
    once: float | None = None,
    moved: float | None = None,
    effort: Effort | None = None,
    notes: Callable[[Any], Mapping[str, Any]] | None = None,
) -> Case:
    """One case: every answer checked, then the times.

    once   seconds that the row loop took to give the answers: its time where rounds would take
           too long
    moved  bytes of the columns read and written, of which the share of the bandwidth is told
    notes  what to keep of our report; backend and deviations otherwise
    """
    calls = contestants.calls(task, data, form, rows)
    rounding = {name: contestants.checked(name, call(), check) for name, call in calls.items()}
    reports = {
        name: settle(call, rows, run.scale.patience)
        for name, call in calls.items()
        if contestants[name].settles
    }
    kept = (notes or noted)(reports[OURS]) if reports.get(OURS) else {}
    samples = interleaved(calls, effort or run.scale.effort)
    if once is not None:
        samples.setdefault(ROW_LOOP, Samples([once]))
    shown = {name: samples[name] for name in contestants if name in samples}
    return case(run, labels, rows, shown, rounding=rounding, moved=moved, notes=kept)


def case(
    run: Run,
    labels: Mapping[str, str | int],
    rows: int,
    samples: Mapping[str, Samples],
    *,
    rounding: Mapping[str, Rounding] | None = None,
    moved: float | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Case:
    """The case of these times: the first is ours, and the others are told as multiples of it."""
    ours = next(iter(samples.values()))
    found: Case = {"labels": dict(labels), "rows": rows}
    if moved is not None:
        found["bytes"] = moved
    times = {name: _times(mine, ours) for name, mine in samples.items()}
    for name, known in (rounding or {}).items():
        if known.rows:
            times[name] |= {"rows_rounded": known.rows, "largest_ulp": known.largest_ulp}
    if moved is not None and run.limit is not None:
        for name, mine in times.items():
            if name != ROW_LOOP:
                mine["of_limit"] = run.limit.share(moved, mine["median_seconds"])
    return {**found, "times": times, "notes": dict(notes or {})}


def _times(mine: Samples, ours: Samples) -> dict[str, Any]:
    low, high = mine.quartiles
    return {
        "median_seconds": mine.median,
        "low_seconds": low,
        "high_seconds": high,
        "ratio": mine.median / ours.median,
        "samples": len(mine.seconds),
    }


def noted(report: Any) -> dict[str, Any]:
    """Where a call ran, and how many rows the interpreter answered."""
    return {
        "backend": ", ".join(dict.fromkeys(stage.backend for stage in report.stages)),
        "deviations": sum(sum(stage.deviations.values()) for stage in report.stages),
    }


def settle(call: Call, rows: int, patience: float) -> Any:
    """The report of a call after the kernel that compiles beside the calls has taken over.

    None where the calls report nothing to this thread, as a loader's epochs do.
    """
    import batchprep as bp

    if patience:
        load_kernels_of_objects()
    start, calls = time.perf_counter(), 0
    while True:
        result = call()
        calls += 1
        report = result if isinstance(result, bp.Report) else _last_report()
        del result
        spent = time.perf_counter() - start
        if report is not None and _taken_over(report):
            return report
        silent = report is None or calls * rows > ROWS_BEFORE_COMPILE
        if spent > SECONDS_BEFORE_COMPILE and silent:
            return report
        if spent > patience:
            return report
        time.sleep(0.001)


def load_kernels_of_objects() -> None:
    """Those that read dicts and make results: they load beside the calls, too."""
    from batchprep.batch.record_reader import loaded_reader
    from batchprep.batch.result_writer import loaded_writer

    loaded_reader()
    loaded_writer()


def _last_report() -> Any:
    import batchprep as bp

    try:
        return bp.last_report()
    except LookupError:
        return None


def _taken_over(report: Any) -> bool:
    computing = [stage for stage in report.stages if stage.kind == "compute"]
    # A reason stands there if the kernel will not come.
    return all("numba" in s.backend or not s.compiled or s.reason for s in computing)
