"""Plugin of pytest: prints notes, adds up and judges what the shards of the fuzzer reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.counts import Counts, shortfalls, table
from tests.fuzz.reached import WANTED

PROPERTY = "fuzz"
NOTE = "note"  # a line that a test wants to be read, whatever its outcome
_shards: list[dict[str, Any]] = []
_notes: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect the counts of a shard, from whichever process ran it."""
    if report.when == "call":
        _shards.extend(value for name, value in report.user_properties if name == PROPERTY)
        _notes.extend(str(value) for name, value in report.user_properties if name == NOTE)


def _verdicts() -> dict[str, tuple[Counts, list[str]]]:
    """Of each grammar what its shards reached, and what they should have, were they all run."""
    found: dict[str, tuple[Counts, list[str]]] = {}
    for grammar, wanted in WANTED.items():
        shards = [shard for shard in _shards if shard["grammar"] == grammar]
        counts = Counts()
        for shard in shards:
            counts.add(Counts.from_dict(shard["counts"]))
        if shards:
            complete = len(shards) == shards[0]["of"]
            found[grammar] = (counts, shortfalls(counts, wanted) if complete else [])
    return found


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when all shards ran and did not reach enough."""
    if hasattr(session.config, "workerinput") or session.exitstatus:
        return
    if any(missing for _, missing in _verdicts().values()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the counts and notes."""
    for note in _notes:
        terminalreporter.write_line(note)
    for grammar, (counts, missing) in _verdicts().items():
        terminalreporter.section(f"fuzzer: {grammar}")
        terminalreporter.write_line(table(counts))
        for line in missing:
            terminalreporter.write_line(f"not reached: {line}", red=True)
