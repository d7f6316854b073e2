"""Python results of a run to Arrow: one that its column cannot hold is a failed row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from batchprep.run.exact_arrays import exact_array
from batchprep.run.failures import failure
from batchprep.run.fallback import inferred_type
from batchprep.run.fitting import Fitting
from batchprep.run.misfits import Misfit
from batchprep.run.originals import Originals
from batchprep.run.result_types import merged_type
from batchprep.run.typed_arrays import typed_array

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from batchprep.batch.batch import Batch
    from batchprep.run.route import Results, RouteRun


def type_of_results(parts: Iterable[tuple[Batch, Results]]) -> pa.DataType:
    """The type that follows from all results; a column that they hand through keeps its own."""
    return merged_type(
        inferred_type(results.values, _originals(batch, results)) for batch, results in parts
    )


def results_to_arrow(
    results: Results, dtype: pa.DataType, batch: Batch, run: RouteRun, *, declared: bool
) -> pa.Array[Any]:
    """The results in that type. `declared` says whether the user gave it.

    Errors:  under on_error="raise" OverflowError or TypeError for one that does not fit
    """
    whole = exact_array(results.values, dtype)
    if whole is not None:
        return whole
    originals = _originals(batch, results)
    fit = Fitting(dtype, originals)
    return typed_array(list(_fitted(results, fit, batch, run, declared=declared)), dtype, originals)


def _originals(batch: Batch, results: Results) -> Originals:
    return Originals(batch, np.asarray(results.rows, np.intp))


def _fitted(
    results: Results, fit: Fitting, batch: Batch, run: RouteRun, *, declared: bool
) -> Iterator[Any]:
    for place, value in enumerate(results.values):
        try:
            fitted = fit(value, place)
        except Misfit as misfit:
            _refuse(misfit, int(results.rows[place]), batch, run, declared=declared)
            if run.options.on_error == "null":
                yield None
        else:
            yield fitted


def _refuse(misfit: Misfit, row: int, batch: Batch, run: RouteRun, *, declared: bool) -> None:
    """Raise the error of the row, or keep it among the failures."""
    origin = batch.origin
    start, file = (batch.start, "") if origin is None else (origin.row, origin.file)
    error = misfit.as_error(start + row, file, declared=declared)
    if run.options.on_error == "raise":
        run.last_report.stopped(batch.start + row)
        raise error from None
    record = batch.records(np.array([row]))[0]
    program = run.route.parts[-1]
    run.last_report.failed(failure(error, record, batch.start + row, program))
