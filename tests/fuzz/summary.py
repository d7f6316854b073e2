"""Plugin of pytest: prints notes, adds up and judges what the shards of the fuzzer reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.counts import Counts, shortfalls, table

PROPERTY = "fuzz"
NOTE = "note"  # a line that a test wants to be read, whatever its outcome
_shards: list[dict[str, Any]] = []
_notes: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect the counts of a shard, from whichever process ran it."""
    if report.when == "call":
        _shards.extend(value for name, value in report.user_properties if name == PROPERTY)
        _notes.extend(str(value) for name, value in report.user_properties if name == NOTE)


def _verdict() -> tuple[Counts, list[str]]:
    counts = Counts()
    for shard in _shards:
        counts.add(Counts.from_dict(shard["counts"]))
    complete = _shards and len(_shards) == _shards[0]["of"]
    if not complete:
        return counts, []
    return counts, shortfalls(counts, set(_shards[0]["constructs"]), set(_shards[0]["reasons"]))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when all shards ran and did not reach enough."""
    if not hasattr(session.config, "workerinput") and _verdict()[1] and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the counts and notes."""
    for note in _notes:
        terminalreporter.write_line(note)
    if not _shards:
        return
    counts, missing = _verdict()
    terminalreporter.section("fuzzer")
    terminalreporter.write_line(table(counts))
    for line in missing:
        terminalreporter.write_line(f"not reached: {line}", red=True)
