"""Functions with pieces and without, and a clock that runs while their rows run."""

from batchprep.run import either_way
from batchprep.run.inputs import Plans
from batchprep.run.program import Options
from batchprep.run.ways import GROWTH, TRIAL

AUTO = Options(backend="auto")
FIRST_TRIALS = 2 * (TRIAL + 2 * TRIAL * GROWTH)  # rows of both ways


def counted(r):
    return {"words": [w.upper() for w in r["s"].split()], "n": 10 // r["n"]}


def added(r):
    return r["n"] + 1


def have_risen(monkeypatch):
    """Have numba's kernels in place, as far as the choice of a way is concerned."""
    monkeypatch.setattr(Plans, "has_risen", lambda _: True)
    monkeypatch.setattr(either_way, "is_coming", lambda _: False)


def records_of(rows, zero_at=()):
    return [{"s": f"a b{i}", "n": 0 if i in zero_at else i % 5 + 1} for i in range(rows)]


class Clock:
    """A clock that runs while rows run; `rows` counts those of each way."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.now = 0.0
        self.rows = {"compiled": 0, "interpreter": 0}
        self.parts = []

    def ran(self, way, rows):
        self.now += rows * self.seconds[way]
        self.rows[way] += rows
        self.parts.append((way, rows))
