"""The whole function in the interpreter, straight over the caller's own records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from batchprep.batch.batch import Batch
from batchprep.run.failures import failure
from batchprep.run.interpret import FAILED, Interpreter
from batchprep.run.misfits import Misfit, check_fits
from batchprep.run.program import Options
from batchprep.run.result_types import type_of_values
from batchprep.run.splice import without_failed
from batchprep.run.typed_arrays import typed_array


def interpret_batch(batch: Batch, interpreter: Interpreter) -> list[Any]:
    """Results of all rows; failed ones as on_error says."""
    answers = interpreter.answers(batch.records(None), range(len(batch)))
    on_error = interpreter.options.on_error
    return answers if on_error == "raise" else without_failed(answers, on_error)


def interpret_to_arrow(batch: Batch, interpreter: Interpreter) -> pa.Array[Any]:
    """The same as Arrow: the type is `returns=`, or else follows from the kinds of all results."""
    records, rows = batch.records(None), range(len(batch))
    options = interpreter.options
    declared = declared_type(options)
    if declared is not None:
        answers = interpreter.answers(records, rows, lambda value: check_fits(value, declared))
        return typed_array(without_failed(answers, options.on_error), declared)
    answers = interpreter.answers(records, rows)
    dtype = type_of_values([answer for answer in answers if answer is not FAILED])
    checked = _checked(answers, records, dtype, interpreter)
    return typed_array(without_failed(checked, options.on_error), dtype)


def declared_type(options: Options) -> pa.DataType | None:
    """The type that `returns=` declares: a schema is the type of dict results."""
    returns = options.returns
    return pa.struct(list(returns)) if isinstance(returns, pa.Schema) else returns


def _checked(
    answers: Sequence[Any], records: Sequence[Any], dtype: pa.DataType, interpreter: Interpreter
) -> list[Any]:
    """The answers, FAILED for those that the inferred type cannot hold."""
    checked: list[Any] = []
    for place, answer in enumerate(answers):
        try:
            check_fits(None if answer is FAILED else answer, dtype)
            checked.append(answer)
        except Misfit as misfit:
            row = interpreter.first_row + place
            error = misfit.as_error(row, interpreter.options.location)
            if interpreter.options.on_error == "raise":
                raise error from None
            program = interpreter.program
            interpreter.report.failed(failure(error, records[place], row, program))
            checked.append(FAILED)
    return checked
