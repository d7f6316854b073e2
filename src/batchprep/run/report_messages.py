"""What a report says in sentences, built in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from batchprep.dtypes import KINDS, Kind
from batchprep.run.units import bytes_text, duration_text, rate_text, rows_text

FASTER_READING: Final = (
    "Parquet instead of CSV or NDJSON, fewer columns or a faster disk help; a faster function "
    "does not"
)
FASTER_WRITING: Final = (
    'a lighter compression (compression="snappy" or "none"), Parquet instead of CSV or NDJSON, or '
    "a faster disk helps"
)
FASTER_COMPUTING: Final = (
    'more CPUs help (bp.use(threads=...)), or math="fast" where its error bounds will do'
)
_SPELLED: Final[Mapping[Kind, str]] = {"none": "None", "struct": "dict", "other": "other objects"}


def bottleneck_text(activity: str, share: float, advice: str) -> str:
    """What the other parts wait for, how busy it was, and what to do."""
    return f"{activity}, busy {share:.0%} of the time: {advice}"


def interpreted_text(name: str) -> str:
    """The slowest stage runs in the interpreter."""
    return f"{name} runs in the interpreter; explain() marks the line to change"


def deviating_text(name: str, rows: int) -> str:
    """The slowest stage leaves many rows to the interpreter."""
    return (
        f"the interpreter answers {rows_text(rows)} of {name}; the reasons below say which to "
        "filter out or handle first"
    )


def pieces_text(name: str) -> str:
    """Python runs pieces of the slowest stage."""
    return (
        f"the pieces of {name} that Python runs (~ in explain()) use one CPU at a time; more CPUs "
        "help the rest alone"
    )


def sharing_text(reason: str, shipping: float, in_one_process: str) -> str:
    """Why a stage runs in the interpreter, and what became of sharing it among processes."""
    parts = [
        reason,
        f"{duration_text(shipping)} of the time to send records and results" if shipping else "",
        f"not shared among processes: {in_one_process}" if in_one_process else "",
    ]
    return "; ".join(part for part in parts if part)


def made_anew_text(kinds: Mapping[str, Iterable[Kind]], row: int) -> str:
    """From which row on a stage is another one, and for which further kinds of values.

    >>> made_anew_text({"x": ["float", "none"], "y": ["str"]}, 65536)
    'made anew for x None or float, y str from row 65,536 on'
    """
    fields = (
        f"{name} {' or '.join(_SPELLED.get(kind, kind) for kind in KINDS if kind in further)}"
        for name, further in kinds.items()
    )
    return f"made anew for {', '.join(fields)} from row {row:,} on"


def headline_text(rows: int, duration: str, failed: int, stopped_at: int | None) -> str:
    """The first line of a report."""
    end = f"{failed:,} failed" if stopped_at is None else f"stopped at row {stopped_at:,}"
    return f"{rows_text(rows)} in {duration}, {end}"


def traffic_text(
    rows: int, seconds: float, read: int, written: int, peak_memory: int | None
) -> str:
    """Rates, bytes and memory of a run; "" where there is nothing to say."""
    facts = [
        rate_text(rows, seconds),
        f"read {bytes_text(read)}" if read else "",
        f"wrote {bytes_text(written)}" if written else "",
        "" if peak_memory is None else f"peak memory {bytes_text(peak_memory)}",
    ]
    return ", ".join(fact for fact in facts if fact)


def skipped_text(row_groups: int) -> str:
    """Row groups that were not read."""
    count = "1 row group" if row_groups == 1 else f"{row_groups:,} row groups"
    return f"{count} not read: the filters drop all their rows"
