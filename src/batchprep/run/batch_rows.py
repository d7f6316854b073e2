"""How many rows of a table that is held in memory are run as one batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from batchprep.dtypes import EMPTY
from batchprep.plan.node import FALSE, TRUE
from batchprep.plan.stage import Output, Stage

# A batch costs 70 us beside its rows, and 300 us after the columns have pushed the interpreter
# out of the caches. Where kernels write the results just as Arrow has them, nothing else grows
# with a batch, and so one takes all rows of a table of 10 million; elsewhere its temporary arrays
# are to stay in the last cache.
NUMBER_ROWS: Final = 33_554_432

_NUMBERS: Final = frozenset("bif")


def batch_rows(stage: Stage) -> int | None:
    """Rows of a batch of the stage; None: as the source has it."""
    reads_numbers = all(leaf.op == "kind" or leaf.dtype in _NUMBERS for leaf in stage.inputs)
    if stage.tables or stage.strings or not reads_numbers:
        return None
    return NUMBER_ROWS if all(map(_is_number, _positions(stage.template))) else None


def _is_number(output: Output) -> bool:
    """Whether a position holds numbers of one kind, or a record of such."""
    if output.field is not None:
        return False
    if output.parts:  # a record, whose items are positions of their own
        (_, parts), *others = output.parts
        is_whole = parts.base is FALSE and all(part.guard is TRUE for part in parts.parts)
        return is_whole and not others and len(output.kinds) == 1
    filled = [kind for kind in output.kinds if kind not in EMPTY]
    return len(filled) == 1 and all(node.dtype in _NUMBERS for _, node in output.payloads)


def _positions(output: Output) -> Iterator[Output]:
    yield output
    for _, parts in output.parts:
        for part in parts.parts:
            yield from _positions(part.output)
