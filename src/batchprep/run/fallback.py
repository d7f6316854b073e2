"""The whole function in the interpreter, straight over the caller's own records."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.batch import Batch
from batchprep.batch.rows import picked
from batchprep.batch.sameness import same_value, same_values
from batchprep.dtypes import DROPPED
from batchprep.run.exact_arrays import exact_array
from batchprep.run.fitting import Fitting, is_plain
from batchprep.run.interpret import FAILED, Interpreter, Rows
from batchprep.run.misfits import Misfit
from batchprep.run.originals import Originals
from batchprep.run.program import Options
from batchprep.run.report import Failure
from batchprep.run.result_types import type_of_values
from batchprep.run.splice import has_result, results_of
from batchprep.run.typed_arrays import typed_array


def interpret_batch(batch: Batch, interpreter: Interpreter) -> list[Any]:
    """Results of all rows; failed ones as on_error says."""
    on_error = interpreter.options.on_error
    try:
        answers = interpreter.answers(batch.records(None), range(len(batch)))
    except Exception:
        if interpreter.before is not None:
            _stand_for(interpreter, interpreter.answered)
            interpreter.before.extend(results_of(interpreter.answered, on_error))
        raise
    if on_error == "raise" and not interpreter.program.drops:
        interpreter.stand_for(None, len(answers))
        return answers
    _stand_for(interpreter, answers)
    return results_of(answers, on_error)


def _stand_for(interpreter: Interpreter, answers: Sequence[Any]) -> None:
    if interpreter.places is not None:
        has = has_result(answers, interpreter.options.on_error)
        interpreter.stand_for(np.flatnonzero(has), len(answers))


def interpret_to_arrow(batch: Batch, interpreter: Interpreter) -> pa.Array[Any]:
    """The same as Arrow: the type is `returns=`, or else follows from the kinds of all results."""
    records, rows = batch.records(None), range(len(batch))
    options, originals = interpreter.options, Originals(batch, None)
    dtype = declared_type(options)
    if dtype is not None:
        answers = interpreter.answers(records, rows, Fitting(dtype, originals))
    else:
        answers = interpreter.answers(records, rows)
        if interpreter.program.drops:
            kept = np.flatnonzero([answer is not DROPPED for answer in answers])
            originals = Originals(batch, kept)
            answers, records = picked(answers, kept), picked(records, kept)
            rows = kept.tolist()
        dtype = inferred_type(answers, originals)
        whole = exact_array(results_of(answers, options.on_error), dtype)
        if whole is not None:
            interpreter.stand_for(_rows_of(answers, rows, options), len(batch))
            return whole
        # Some value does not fit, or is more in its own column than in Python: row by row.
        answers = _fitted(answers, records, rows, Fitting(dtype, originals), interpreter)
    interpreter.stand_for(_rows_of(answers, rows, options), len(batch))
    return typed_array(results_of(answers, options.on_error), dtype, originals)


def interpret_as(dtype: pa.DataType, batch: Batch, interpreter: Interpreter) -> pa.Array[Any]:
    """The same as Arrow of a type that is known, where nothing but results tells that a row ran.

    All rows run before their results are fitted, which is quicker than one by one. What failed
    is noted, or raised, as if each had been fitted at once.
    """
    records, rows, originals = batch.records(None), range(len(batch)), Originals(batch, None)
    failed: list[Failure] = []
    running = dataclasses.replace(interpreter, before=[], answered=[], held_back=failed)
    fit, options = Fitting(dtype, originals), interpreter.options
    try:
        answers = running.answers(records, rows)
    except Exception:
        _fitted(running.answered, records, rows, fit, running)  # raises where one fails before it
        raise
    whole = exact_array(results_of(answers, options.on_error), dtype)
    if whole is None:
        answers = _fitted(answers, records, rows, fit, running)
        whole = typed_array(results_of(answers, options.on_error), dtype, originals)
    for failure in sorted(failed, key=_row):
        interpreter.report.failed(failure)
    interpreter.stand_for(_rows_of(answers, rows, options), len(batch))
    return whole


def _row(failure: Failure) -> int:
    return failure.row


def answers_to_arrow(
    answers: list[Any], rows: Rows, batch: Batch, interpreter: Interpreter
) -> pa.Array[Any]:
    """Results of these rows, each with one, as Arrow: the type as of interpret_to_arrow."""
    originals, options = Originals(batch, rows), interpreter.options
    dtype = declared_type(options) or inferred_type(answers, originals)
    whole = exact_array(answers, dtype)
    if whole is None:
        fit, numbers = Fitting(dtype, originals), rows.tolist()
        fitted = _fitted(answers, batch.records(rows), numbers, fit, interpreter)
        kept = rows[has_result(fitted, options.on_error)]
        whole = typed_array(results_of(fitted, options.on_error), dtype, originals)
    else:
        kept = rows
    interpreter.stand_for(kept, len(batch))
    return whole


def _rows_of(answers: Sequence[Any], rows: Sequence[int], options: Options) -> Rows:
    return np.array(rows, np.intp)[has_result(answers, options.on_error)]


def inferred_type(answers: Sequence[Any], originals: Originals) -> pa.DataType:
    """Type of the answers' kinds; a column that they hand through keeps its own."""
    known = [None if answer is FAILED else answer for answer in answers]
    own = _own_type(known, originals)
    if own is not None:
        return own
    inferred = type_of_values([answer for answer in answers if answer is not FAILED])
    if not pt.is_struct(inferred) or not set(map(type, known)) <= {dict, type(None)}:
        return inferred
    return pa.struct([(f.name, _key_type(f, answers, originals)) for f in inferred])


def _own_type(values: Sequence[Any], originals: Originals) -> pa.DataType | None:
    """Type of a column whose own values these are, if Python has no full equal of it."""
    rich = _rich_columns(originals)
    if not rich or all(value is None for value in values):
        return None
    for name in rich:
        if all(map(same_value, values, originals.values(name))):  # stops at the first difference
            return originals.types[name]
    return None


def _rich_columns(originals: Originals) -> list[str]:
    return [name for name, dtype in originals.types.items() if not is_plain(dtype)]


def _key_type(field: pa.Field[Any], answers: Sequence[Any], originals: Originals) -> pa.DataType:
    """Type of a key: that of a column where every answer has its row's own value in it."""
    name, types = field.name, originals.types
    if name in types and (
        types[name] == field.type or _all_hold(answers, name, originals.values(name))
    ):
        return types[name]
    if not _rich_columns(originals):
        return field.type
    values = [answer.get(name) if type(answer) is dict else None for answer in answers]
    return _own_type(values, originals) or field.type


def _all_hold(answers: Sequence[Any], key: str, values: Sequence[Any]) -> bool:
    """Whether each answer has its value at a key; a failed row has none and objects to none."""
    found = [
        value if answer is FAILED else answer.get(key, FAILED) if answer else FAILED
        for answer, value in zip(answers, values, strict=True)
    ]
    return same_values(found, values)


def declared_type(options: Options) -> pa.DataType | None:
    """The type that `returns=` declares: a schema is the type of dict results."""
    returns = options.returns
    return pa.struct(list(returns)) if isinstance(returns, pa.Schema) else returns


def _fitted(
    answers: Sequence[Any],
    records: Sequence[Any],
    rows: Sequence[int],
    fit: Fitting,
    interpreter: Interpreter,
) -> list[Any]:
    """The answers as the inferred type takes them, FAILED for those that it cannot hold."""
    fitted: list[Any] = []
    for place, answer in enumerate(answers):
        try:
            fitted.append(answer if answer is FAILED else fit(answer, place))
        except Misfit as misfit:
            origin, declared = interpreter.origin, interpreter.options.returns is not None
            row = origin.row + rows[place]
            error = misfit.as_error(row, origin.file, declared=declared)
            if interpreter.options.on_error == "raise":
                interpreter.report.stopped(interpreter.first_row + rows[place])
                raise error from None
            interpreter.failed(error, records[place], rows[place])
            fitted.append(FAILED)
    return fitted
