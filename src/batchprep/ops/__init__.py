"""The op table: every op once, with its meaning and its spelling per backend."""

from __future__ import annotations

from typing import Final

from batchprep.ops.calendar import CALENDAR
from batchprep.ops.floats import FLOATS
from batchprep.ops.integers import INTEGERS
from batchprep.ops.logic import LOGIC
from batchprep.ops.mathematics import MATHEMATICS
from batchprep.ops.op import Gap, Op

OPS: Final[dict[str, Op]] = {
    op.name: op for op in (*LOGIC, *INTEGERS, *FLOATS, *MATHEMATICS, *CALENDAR)
}

__all__ = ["OPS", "Gap", "Op"]
