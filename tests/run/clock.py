"""A function with pieces, and a clock that runs while its rows run."""

from batchprep.run.ways import GROWTH, TRIAL

FIRST_TRIALS = 2 * (TRIAL + 2 * TRIAL * GROWTH)  # rows of both ways


def counted(r):
    return {"words": [w.upper() for w in r["s"].split()], "n": 10 // r["n"]}


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
