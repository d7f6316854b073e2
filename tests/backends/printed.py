"""Texts of kernels and plans of random functions, traced in a process of their own.

Run with a pickled list of (number, case) on standard input: prints a JSON object of texts by
number. Cases without one are only traced: they are what the process did before.
"""

from __future__ import annotations

import json
import pickle
import sys
from random import Random
from typing import Any

from batchprep.backends.numba import BACKEND
from batchprep.backends.numba.kernel import rendered
from batchprep.errors import Unsupported
from batchprep.plan.finish import specialise
from batchprep.plan.printer import print_stage
from batchprep.plan.segments import Segment, cut
from batchprep.plan.stage import Stage
from batchprep.records import open_source
from batchprep.rowfn.source import unwrap
from batchprep.rowfn.trace import Trace, trace
from tests.fuzz.check import load
from tests.fuzz.functions import Case
from tests.fuzz.records import as_records, rows_of

ROWS = 30
_ALIVE: list[Trace] = []  # as in a program, whose functions live as long as it does


def texts_of(number: int, case: Case) -> list[str]:
    """The plan, also for columns without nulls, and the loops of each."""
    records = as_records(rows_of(Random(number), case.fields, ROWS), case.form)
    call = unwrap(load(case.source)["f"])
    try:
        traced = trace(call, open_source(records), case.arguments, case.keywords)
    except Unsupported as refused:
        return [str(refused)]
    _ALIVE.append(traced)
    null_free = specialise(traced.stage, frozenset(field.name for field in case.fields))
    return [text for stage in (traced.stage, null_free) for text in _texts(stage)]


def _texts(stage: Stage) -> list[str]:
    from batchprep.backends.numba.spelling import is_host

    segments = cut(stage, is_host("exact"))
    loops = (part for part in rendered(stage, segments, "exact") if not isinstance(part, Segment))
    return [print_stage(stage), *(loop.source for loop in loops)]


def main() -> None:
    """Answer for the cases in the order in which they come."""
    BACKEND.load()
    cases: list[tuple[int | None, Any]] = pickle.load(sys.stdin.buffer)
    answers = [(number, texts_of(number or 0, case)) for number, case in cases]
    print(json.dumps({number: texts for number, texts in answers if number is not None}))


if __name__ == "__main__":
    main()
