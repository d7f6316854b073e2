"""Fitting a pipeline's transforms, and batches for training loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from batchprep.api import pipeline_messages as messages
from batchprep.api.given import is_scan, source_of
from batchprep.api.options import in_use, run_options
from batchprep.api.reports import started
from batchprep.api.result_tables import result_tables
from batchprep.api.steps import Steps
from batchprep.rowfn.steps import Drop, Rename, Select, Step, WithColumns
from batchprep.run.report_chain import ChainReport
from batchprep.transforms import Transform

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.api.pipeline import Pipeline
    from batchprep.feed import Loader


def row_steps(steps: Steps) -> list[Step]:
    """The steps with the expressions of fitted transforms in their place.

    Errors:  NotFittedError for a transform that was not fitted
    """
    return [
        WithColumns(tuple(step.expressions().items())) if isinstance(step, Transform) else step
        for step in steps
    ]


def functions_of(steps: Steps) -> Iterator[Callable[..., Any]]:
    """The row functions that steps hold."""
    for step in steps:
        if isinstance(step, WithColumns):
            yield from (value for _, value in step.columns)
        elif not isinstance(step, (Transform, Select, Drop, Rename)):
            yield step.function


def fitted(pipe: Pipeline, steps: Steps, source: Any) -> Steps:
    """The steps with every transform fitted; neighbours that work on other columns share a pass."""
    done: Steps = ()
    groups = list(_groups(steps))
    passes = sum(isinstance(group[0], Transform) for group in groups)
    if passes > 1 and source_of(source).kind == "iterator" and not is_scan(source):
        raise TypeError(messages.passes_text(passes))
    for group in groups:
        are_transforms = all(isinstance(step, Transform) for step in group)
        new = tuple(_fit(pipe.with_steps(done), group, source)) if are_transforms else group
        done = (*done, *new)
    return done


def _groups(steps: Steps) -> Iterator[Steps]:
    """Neighbouring transforms that do not read what another of them writes, and single steps."""
    group: list[Any] = []
    columns: set[str] = set()
    for step in steps:
        joins = isinstance(step, Transform) and columns.isdisjoint(step.columns)
        if group and not joins:
            yield tuple(group)
            group, columns = [], set()
        if isinstance(step, Transform):
            group.append(step)
            columns.update(step.columns)
        else:
            yield (step,)
    if group:
        yield tuple(group)


def _fit(before: Pipeline, transforms: Steps, source: Any) -> list[Transform]:
    states = [step.fresh() for step in transforms if isinstance(step, Transform)]
    for table in tables_of(before, source):
        states = [state.fit_batch(table) for state in states]
    return [state.finish() for state in states]


def tables_of(pipe: Pipeline, source: Any) -> Iterator[pa.Table]:
    """The results of a pipeline as tables of one schema, one for each batch of the source."""
    from batchprep.api.pipeline_runs import narrowed

    report = ChainReport()
    opened = source_of(source)
    run = pipe.route_run(opened, run_options(pipe.settings, in_use()), report.stage)
    noted = started(pipe, report)
    try:
        opened = narrowed(opened, run.route)
        yield from result_tables(run, opened.batches(), opened)
    finally:
        noted.finish()


def loader(pipe: Pipeline, source: Any, **options: Any) -> Loader:
    """The loader of a pipeline's results.

    Errors:  TypeError for a source that can be read only once
    """
    from batchprep.adapters.loader import open_loader

    opened = source_of(source)
    if is_scan(source):
        source = opened.data  # what the scan learns of the files serves every epoch
    elif opened.kind == "iterator":
        raise TypeError(messages.one_pass_text())
    given = {name: value for name, value in options.items() if value is not None}
    return open_loader(lambda: tables_of(pipe, source), schema=pipe.schema(source), **given)
