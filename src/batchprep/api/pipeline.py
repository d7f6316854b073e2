"""`Pipeline`: steps over rows that give what nested loops over the records would."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from batchprep.api import pipeline_runs, training
from batchprep.api.explain import Explanation
from batchprep.api.fallbacks import say_fallback
from batchprep.api.given import (
    column_names,
    early_source_of,
    is_scan,
    new_names,
    row_count,
    row_function,
    source_of,
)
from batchprep.api.options import (
    OnUnsupported,
    Returns,
    Settings,
    in_use,
    on_unsupported,
    run_options,
)
from batchprep.api.pickling import reduced
from batchprep.api.reports import last_report_of
from batchprep.api.routes import Router
from batchprep.api.steps import Steps
from batchprep.columns import Expression
from batchprep.errors import messages
from batchprep.plan.stage import MathMode
from batchprep.records.scan import settled, tried
from batchprep.records.source import Source
from batchprep.rowfn.chain import step_name
from batchprep.rowfn.steps import (
    Drop,
    Filter,
    FilterMap,
    FlatMap,
    Map,
    Rename,
    RowFunction,
    Select,
    WithColumns,
)
from batchprep.run.program import BackendName, OnError, Options
from batchprep.run.report import Report
from batchprep.run.report_chain import ChainReport
from batchprep.run.route import RouteRun
from batchprep.transforms import Transform

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.feed import Loader

Path = str | os.PathLike[str]


class Pipeline:
    """Steps over rows: filter, map, and so on, as nested loops over the records would run them.

    Immutable: each method gives a new pipeline, and one may be used from several threads. It has
    no source of its own. Neighbouring steps that compile run as one fused kernel; from the first
    step on that does not, the interpreter runs the loops, and a FallbackWarning says so once.

    Options:  as vectorize has them; on_error="drop" leaves out rows that fail, "null" gives None

    >>> pipe = Pipeline().filter(lambda r: r["price"] > 1)
    >>> pipe = pipe.map(lambda r: {"root": r["price"] ** 0.5})
    >>> pipe([{"price": 4.0}, {"price": 0.5}, {"price": 9.0}])
    [{'root': 2.0}, {'root': 3.0}]
    """

    def __init__(
        self,
        *,
        backend: BackendName | None = None,
        math: MathMode | None = None,
        on_error: OnError | None = None,
        on_unsupported: OnUnsupported | None = None,
        returns: Returns | None = None,
    ) -> None:
        self._settings = Settings(backend, math, on_error, on_unsupported, None, returns)
        self._steps: Steps = ()
        self._router: Router | None = None

    # ------------------------------------------------------------------------------------- steps

    def filter(self, function: RowFunction) -> Self:
        """Keep the rows for which the function's answer is true, as `if` takes it.

        >>> Pipeline().filter(lambda r: r["n"])([{"n": 0}, {"n": 2}, {"n": None}])
        [{'n': 2}]
        """
        return self._with(Filter(row_function("filter", function)))

    def map(self, function: RowFunction) -> Self:
        """The function's answer goes on instead of the row.

        >>> Pipeline().map(lambda r: r["n"] + 1).map(lambda n: n * 2)([{"n": 1}])
        [4]
        """
        return self._with(Map(row_function("map", function)))

    def filter_map(self, function: RowFunction) -> Self:
        """The same, and a row for which the answer is None is left out.

        >>> Pipeline().filter_map(lambda r: r["n"] or None)([{"n": 0}, {"n": 2}])
        [2]
        """
        return self._with(FilterMap(row_function("filter_map", function)))

    def flat_map(self, function: RowFunction) -> Self:
        """Each item of the function's answer, any iterable, goes on as a row of its own.

        This step and those after it run in the interpreter.

        >>> twice = Pipeline(on_unsupported="ignore").flat_map(lambda r: [r["n"], -r["n"]])
        >>> twice([{"n": 1}, {"n": 2}])
        [1, -1, 2, -2]
        """
        return self._with(FlatMap(row_function("flat_map", function)))

    def with_columns(self, /, **columns: RowFunction | Expression) -> Self:
        """The row with further columns, from column expressions or row functions.

        All of them see the row as it came in; a column that is there already keeps its place.

        >>> import batchprep as bp
        >>> Pipeline().with_columns(half=bp.col("n") / 2, n=lambda r: -r["n"])([{"n": 3}])
        [{'n': -3, 'half': 1.5}]
        """
        for name, value in columns.items():
            if not isinstance(value, Expression):
                row_function(f"with_columns({name}=...)", value)
        return self._with(WithColumns(tuple(columns.items()))) if columns else self

    def select(self, *names: str) -> Self:
        """The row with these columns alone, in this order.

        Errors:  KeyError where no row has one of them, before any row runs

        >>> Pipeline().select("b", "a")([{"a": 1, "b": 2, "c": 3}])
        [{'b': 2, 'a': 1}]
        """
        return self._with(Select(column_names("select", names)))

    def drop(self, *names: str) -> Self:
        """The row without these columns; KeyError as for select.

        >>> Pipeline(on_unsupported="ignore").drop("a")([{"a": 1, "b": 2}])
        [{'b': 2}]
        """
        return self._with(Drop(column_names("drop", names)))

    def rename(self, names: Mapping[str, str]) -> Self:
        """The row with columns under other names, {"old": "new"}; KeyError as for select.

        >>> Pipeline(on_unsupported="ignore").rename({"a": "x"})([{"a": 1, "b": 2}])
        [{'x': 1, 'b': 2}]
        """
        return self._with(Rename(new_names("rename", names)))

    def transform(self, *transforms: Transform) -> Self:
        """Fitted steps such as StandardScaler: fit(source) learns what they need.

        >>> import batchprep as bp
        >>> pipe = Pipeline().transform(bp.StandardScaler(["n"])).fit([{"n": 1.0}, {"n": 3.0}])
        >>> pipe([{"n": 5.0}])
        [{'n': 3.0}]
        """
        for found in transforms:
            if not isinstance(found, Transform):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(messages.bad_type_text("transform", found, "transforms"))
        return self._with(*transforms)

    # --------------------------------------------------------------------------------------- runs

    def __call__(self, data: Any, /) -> Any:
        """All results, in the container that corresponds to the data's.

        A list gives a list, an iterator a lazy iterator, Arrow and files a pyarrow.Table (a
        ChunkedArray where the rows are scalars), pandas and polars their own; pandas results keep
        the index labels of their rows.
        """
        source = early_source_of(data)
        options = self._options()
        if source.kind == "iterator" and not is_scan(data):
            return self._stream(source, options)
        return tried(source, lambda source: self._answer(source, options, data))

    def _answer(self, source: Source, options: Options, data: Any) -> Any:
        run, report = self._run(source, options)
        return pipeline_runs.answer_in_memory(self, run, report, source, data)

    def run(
        self,
        source: Any,
        sink: Path,
        *,
        progress: bool = False,
        overwrite: bool = False,
        compression: str | None = None,
        row_group_rows: int | None = None,
        rows_per_file: int | None = None,
        format: Literal["parquet", "csv", "ndjson", "ipc"] | None = None,  # noqa: A002  as scan has it
        failures: Path | None = None,
    ) -> Report:
        r"""Stream the source through the steps into a file or a folder of files.

        Memory stays bounded by a few batches. The result is written under a temporary name and
        renamed at the end, so that there is never half a file. Reading, computing and writing
        overlap.

        sink            its suffix says the format: .parquet, .csv, .ndjson, .arrow, also with .gz
                        or .zst for texts; a folder of parts where it ends in "/" or rows_per_file
                        is given
        overwrite       replace what is there; else that is FileExistsError, before any row runs
        failures        a file for the rows that fail under on_error="null" or "drop"

        >>> import pathlib, tempfile
        >>> target = pathlib.Path(tempfile.mkdtemp(), "out.csv")
        >>> report = Pipeline().select("a").run([{"a": 1, "b": 2}], target)
        >>> target.read_text()
        'a\n1\n'
        """
        writing = pipeline_runs.Writing(
            os.fspath(sink),
            {
                "format": format,
                "overwrite": overwrite,
                "compression": compression,
                "row_group_rows": row_group_rows,
                "rows_per_file": rows_per_file,
            },
            None if failures is None else os.fspath(failures),
        )
        writing.check()
        options = self._options()
        # What a bar has shown cannot be taken back: it begins when the types are known for sure.
        opened = source_of(source) if progress else early_source_of(source)
        return tried(
            opened,
            lambda source: pipeline_runs.run_to_sink(
                self, self.route_run, source, options, writing, progress=progress
            ),
        )

    def head(self, count: int, source: Any) -> Any:
        """The first results, at most so many, of the kind that a call gives.

        No more batches are read than they take.

        >>> Pipeline().map(lambda r: r["n"] * 2).head(2, [{"n": 1}, {"n": 2}, {"n": 3}])
        [2, 4]
        """
        row_count("count", count)
        opened = source_of(source)
        run, report = self._run(opened, self._options())
        return pipeline_runs.noted(self, report, lambda: pipeline_runs.head(run, opened, count))

    def schema(self, source: Any) -> pa.Schema:
        """Names and Arrow types of the results; nothing is run where they follow from the steps.

        >>> Pipeline().map(lambda r: {"half": r["n"] / 2}).schema([{"n": 1}])
        half: double
        """
        options = self._options()
        opened = source_of(source)
        run, _ = self._run(opened, options)
        return pipeline_runs.result_schema(run, opened)

    def explain(self, source: Any) -> Explanation:
        """How the steps would run on a source: what is compiled, line by line."""
        opened = source_of(source)
        route, _ = self.router.route(opened, (options := self._options()).math)
        return pipeline_runs.explained(RouteRun(route, options, ()), opened)

    @property
    def transforms(self) -> tuple[Transform, ...]:
        """Its transforms, in order: of a fitted pipeline with what they learned (mean_, ...)."""
        return tuple(step for step in self._steps if isinstance(step, Transform))

    def report(self) -> Report:
        """What this thread's last run of the pipeline did."""
        return last_report_of(self, self.router.name)

    # ----------------------------------------------------------------------------------- training

    def fit(self, source: Any) -> Self:
        """The pipeline with its transforms fitted: one pass over the source for each of them.

        Neighbouring transforms share a pass. The pipeline itself stays as it was.
        """
        return self._of(training.fitted(self, self._steps, source))

    def loader(
        self,
        source: Any,
        *,
        batch_size: int,
        features: Iterable[str] | None = None,
        label: str | list[str] | None = None,
        shuffle: bool = False,
        seed: int = 0,
        to: Literal["numpy", "torch"] = "numpy",
        drop_last: bool = False,
        device: str = "auto",
        window_rows: int | None = None,
    ) -> Loader:
        """Batches for a training loop, anew for each epoch: `x`, or `(x, y)` with a label.

        x is float32, (rows, features), row-major, in memory of its own; see Loader.

        >>> pipe = Pipeline().map(lambda r: {"half": r["n"] / 2, "n": r["n"]})
        >>> [(x.tolist(), y.tolist()) for x, y in pipe.loader([{"n": 4}], batch_size=2, label="n")]
        [([[2.0]], [4])]
        """
        return training.loader(
            self,
            source,
            to=to,
            device=device,
            batch_size=batch_size,
            features=None if features is None else list(features),
            label=label,
            shuffle=shuffle,
            seed=seed,
            drop_last=drop_last,
            window_rows=window_rows,
        )

    # ------------------------------------------------------------------------------------- inside

    @property
    def router(self) -> Router:
        """The routes of the steps. Two threads may make one each, which does no harm."""
        if self._router is None:
            self._router = Router(training.row_steps(self._steps))
        return self._router

    @property
    def settings(self) -> Settings:
        """The options that it was made with."""
        return self._settings

    def with_steps(self, steps: Steps) -> Self:
        """A pipeline of other steps, with the same options."""
        return self._of(steps)

    def _with(self, *steps: Any) -> Self:
        return self._of((*self._steps, *steps))

    def _of(self, steps: Steps) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, _steps=steps, _router=None)
        return made

    def _options(self) -> Options:
        return run_options(self._settings, in_use())

    def _run(self, source: Source, options: Options) -> tuple[RouteRun, ChainReport]:
        """A run in memory over a source, and its report."""
        report = ChainReport()
        return self.route_run(source, options, report.stage), report

    def route_run(self, source: Source, options: Options, stage: Callable[[Any], Any]) -> RouteRun:
        """The route of the steps over a source, ready to run; says what is not compiled."""
        route, verdicts = self.router.route(source, options.math)
        if route.interpreted:
            settled(source)
        policy = on_unsupported(self._settings, in_use())
        # Of no records there is no knowing whether they are dicts or objects: nothing is said.
        for verdict in verdicts if source.length != 0 else ():
            step: Any = verdict.step
            say_fallback(step_name(step), getattr(step, "function", self), verdict.reason, policy)
        reports = [stage(part) for part in route.parts]
        remake = functools.partial(self.router.whole, math=options.math)
        return RouteRun(route, options, reports, remake)

    def _stream(self, source: Source, options: Options) -> Iterator[Any]:
        # A generator: the first batch, which decides the kinds, is read by the first next().
        run, report = self._run(source, options)
        yield from pipeline_runs.streamed(self, run, report, source)

    def __repr__(self) -> str:
        names = [repr(s) if isinstance(s, Transform) else step_name(s) for s in self._steps]
        return f"<Pipeline {' > '.join(names) or 'without steps'}>"

    def __reduce__(self) -> Any:
        state = {"_steps": self._steps, "_settings": self._settings, "_router": None}
        return reduced(type(self), state, list(training.functions_of(self._steps)))
