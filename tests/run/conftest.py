"""Fixture that takes the place of the clock where ways are timed."""

from types import SimpleNamespace

import pytest

from batchprep.run import either_way, runner
from tests.run.clock import Clock


@pytest.fixture
def clock_of(monkeypatch):
    run_whole = runner._run_whole

    def install(**seconds):
        clock = Clock(seconds)

        def run(program, batch, *rest, **more):
            clock.ran("interpreter" if program.trace is None else "compiled", len(batch))
            return run_whole(program, batch, *rest, **more)

        monkeypatch.setattr(runner, "_run_whole", run)
        monkeypatch.setattr(either_way, "time", SimpleNamespace(thread_time=lambda: clock.now))
        return clock

    return install
