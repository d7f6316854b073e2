"""The interpreter's answers put in their places among the compiled results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from batchprep.run.arrow_calls import take
from batchprep.run.interpret import FAILED
from batchprep.run.originals import Originals
from batchprep.run.program import OnError
from batchprep.run.typed_arrays import typed_array

Rows = npt.NDArray[np.intp]


def splice(
    results: list[Any], rows: Sequence[int], answers: Sequence[Any], on_error: OnError
) -> list[Any]:
    """All results in row order.

    results  those of the rows that did not deviate, in order
    rows     the places of the deviating rows in the batch, ascending; `answers` are theirs

    >>> splice(["a", "c"], [1], ["b"], "raise")
    ['a', 'b', 'c']
    """
    spliced: list[Any] = []
    taken = 0
    for done, (row, answer) in enumerate(zip(rows, answers, strict=True)):
        upto = row - done
        if upto > taken:
            spliced += results[taken:upto]
            taken = upto
        if answer is not FAILED:
            spliced.append(answer)
        elif on_error == "null":
            spliced.append(None)
    spliced += results[taken:]
    return spliced


def without_failed(answers: Sequence[Any], on_error: OnError) -> list[Any]:
    """Answers of consecutive rows: None for a failed row, or nothing."""
    if on_error == "drop":
        return [answer for answer in answers if answer is not FAILED]
    return [None if answer is FAILED else answer for answer in answers]


def splice_arrow(
    results: pa.Array[Any],
    rows: Rows,
    answers: Sequence[Any],
    on_error: OnError,
    originals: Originals | None = None,
) -> pa.Array[Any]:
    """All results in row order; `results` holds anything at the deviating rows."""
    length = len(results)
    kept = [None if answer is FAILED else answer for answer in answers]
    places = np.arange(length)
    places[rows] = length + np.arange(len(rows))
    if on_error == "drop":
        failed = np.fromiter((answer is FAILED for answer in answers), np.bool_, len(answers))
        places = np.delete(places, rows[failed])
    own = typed_array(kept, results.type, originals)
    if len(rows) == length:
        return take(own, places - length)
    return take(pa.concat_arrays([results, own]), places)
