"""The interpreter's answers put in their places among the compiled results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.batch.joining import concatenated
from batchprep.dtypes import DROPPED
from batchprep.run.arrow_calls import take
from batchprep.run.interpret import FAILED
from batchprep.run.originals import Originals
from batchprep.run.program import Handling
from batchprep.run.typed_arrays import typed_array

if TYPE_CHECKING:
    import pyarrow as pa

Rows = npt.NDArray[np.intp]

STAND_INS: Final = {"null": None, "keep": FAILED}  # what a row that failed gives


def splice(
    results: list[Any], before: Sequence[int], answers: Sequence[Any], on_error: Handling
) -> list[Any]:
    """All results in row order.

    results  those of the rows that did not deviate, in order
    before   how many of them come before each answer, ascending

    >>> splice(["a", "c"], [1], ["b"], "raise")
    ['a', 'b', 'c']
    """
    spliced: list[Any] = []
    taken = 0
    for upto, answer in zip(before, answers, strict=True):
        if upto > taken:
            spliced += results[taken:upto]
            taken = upto
        if answer is FAILED:
            if on_error in STAND_INS:
                spliced.append(STAND_INS[on_error])
        elif answer is not DROPPED:
            spliced.append(answer)
    spliced += results[taken:]
    return spliced


def has_result(answers: Sequence[Any], on_error: Handling) -> list[bool]:
    """Whether each row has a result: under "null" a failed one has None."""
    failed_has = on_error in STAND_INS
    return [failed_has if a is FAILED else a is not DROPPED for a in answers]


def results_of(answers: Sequence[Any], on_error: Handling) -> list[Any]:
    """The results of consecutive rows; a dropped row gives none."""
    if on_error in STAND_INS:
        stand_in = STAND_INS[on_error]
        return [stand_in if a is FAILED else a for a in answers if a is not DROPPED]
    return [answer for answer in answers if answer is not FAILED and answer is not DROPPED]


def splice_arrow(
    results: pa.Array[Any],
    rows: Rows,
    answers: Sequence[Any],
    on_error: Handling,
    originals: Originals | None = None,
    kept: Rows | None = None,
) -> pa.Array[Any]:
    """The results of the rows kept, in order; `results` holds anything at the deviating rows.

    rows  the places of the deviating rows in the batch, ascending; `answers` are theirs
    kept  the places of the rows that have a result; None: those that on_error leaves
    """
    length = len(results)
    values = [None if answer is FAILED or answer is DROPPED else answer for answer in answers]
    places = np.arange(length)
    places[rows] = length + np.arange(len(rows))
    if kept is not None:
        places = places[kept]
    elif on_error == "drop":
        failed = np.fromiter((answer is FAILED for answer in answers), np.bool_, len(answers))
        places = np.delete(places, rows[failed])
    own = typed_array(values, results.type, originals)
    if len(rows) == length:
        return take(own, places - length)
    return take(concatenated([results, own]), places)
