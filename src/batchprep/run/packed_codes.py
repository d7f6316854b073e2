"""Kind codes of results as bits: where a position holds one kind or None, a bit a row says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from batchprep.backends.kernel import Array, Pack
from batchprep.batch.fresh_arrays import empty_array
from batchprep.batch.null_codes import NullCodes
from batchprep.dtypes import KIND_CODE, Kind
from batchprep.plan.node import Node
from batchprep.plan.stage import Output, Stage
from batchprep.run.arrow_calls import Filled, set_bits

# Below it, packing costs more than the codes, which are in the cache as they are.
PACKED_ROWS: Final = 4_096


class PackedCodes:
    """A bit a row, as Arrow's validity has them: set where the row is of `kind`, else it is None.

    Codes are packed chunk by chunk, on the thread that computed them, while they are in its
    cache; a chunk begins at a multiple of 8 rows.
    """

    def __init__(self, kind: Kind, rows: int) -> None:
        self.kind: Kind = kind
        self.bits: npt.NDArray[np.uint8] = empty_array((rows + 7) // 8, np.uint8)
        self._rows = rows

    def put(self, start: int, codes: Array, pack: Pack) -> None:
        """Pack the codes of a chunk; several threads may, each its own."""
        pack(codes, KIND_CODE[self.kind], self.bits[start // 8 : (start + len(codes) + 7) // 8])

    def filled(self) -> Filled:
        """Which rows are not None."""
        return Filled(self.bits, self._rows - set_bits(self.bits, self._rows))

    def codes(self) -> Array:
        """The codes, one a row."""
        return NullCodes(self.bits, 0, self._rows, self.kind)[:]


def packed_codes(stage: Stage, rows: int) -> dict[Node, PackedCodes]:
    """Room for the codes among a stage's outputs that a bit a row can say."""
    if rows < PACKED_ROWS:
        return {}
    kinds: dict[Node, set[frozenset[Kind]]] = {}
    for output in _positions(stage.template):
        kinds.setdefault(output.code, set()).add(frozenset(output.kinds))
    return {
        code: PackedCodes(kind, rows)
        for code, (possible, *others) in kinds.items()
        if code.op != "const" and not others and len(possible) == 2 and "none" in possible
        for kind in possible - {"none"}
        if kind != "absent"
    }


def _positions(output: Output) -> Iterator[Output]:
    if output.field is None:
        yield output
    for _, parts in output.parts:
        for part in parts.parts:
            yield from _positions(part.output)
