"""`vectorize_loop`: a function that goes over its records in one loop, done in columns."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, Final, cast, overload

from batchprep.api.cost_messages import IN_SEQUENCE, OVER_COLUMNS, OVER_DICTS, measured_text
from batchprep.api.explain import Explanation
from batchprep.api.explaining import explain_program, tried_of
from batchprep.api.fallbacks import say_fallback
from batchprep.api.loop_explain import in_own_words
from batchprep.api.loop_parts import CompiledLoop
from batchprep.api.loop_records import BY_PLACE, ColumnRecords, rows_of_batch
from batchprep.api.loop_runs import Describing, LoopRun, Outcome
from batchprep.api.options import (
    OnUnsupported,
    Settings,
    in_use,
    on_unsupported,
    run_options,
)
from batchprep.api.pickling import found_by_name
from batchprep.api.programs import display_name
from batchprep.api.reports import Run, last_report_of, started
from batchprep.api.schemas import has_columns
from batchprep.api.sources import records_of
from batchprep.batch.batch import Batch
from batchprep.errors import Unsupported, messages
from batchprep.errors.messages import verdict_lines
from batchprep.loops.generate import driver
from batchprep.loops.messages import goes_by_row, state_text
from batchprep.loops.units import analyse, states_of
from batchprep.plan.stage import MathMode
from batchprep.records import Source
from batchprep.rowfn.source import Call, find_source, unwrap
from batchprep.run.program import BackendName
from batchprep.run.report import Report, ReportBuilder
from batchprep.run.runner import FASTER_IN_PYTHON

# Loops kept per method, each with its programs; they keep their objects alive.
BOUND_KEPT: Final = 8


@dataclass(frozen=True)
class LoopExplanation:
    """How a loop runs.

    states  how each variable that goes from row to row, or out of the loop, is computed
    rows    how what a row computes by itself is compiled; None where the loop runs as it stands
    """

    name: str
    compiled: bool
    reason: str
    hint: str
    where: str
    states: tuple[tuple[str, str], ...]
    rows: Explanation | None

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data, ready for JSON."""
        rows = None if self.rows is None else self.rows.to_dict()
        return {**vars(self), "states": dict(self.states), "rows": rows}

    def __str__(self) -> str:
        if not self.compiled:
            return f"{self.name}: runs in the interpreter\n{self.where}".rstrip()
        lines = [f"{self.name}: compiled"]
        lines += [state_text(name, text) for name, text in self.states]
        return "\n".join(lines if self.rows is None else [*lines, str(self.rows)])

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


class VectorizedLoop:
    """A function with a loop over its records: see vectorize_loop."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], settings: Settings) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._settings = settings
        self.name = display_name(function)
        self._bound: OrderedDict[int, VectorizedLoop] = OrderedDict()
        self._verdict: Unsupported | None = None
        self._compiled: CompiledLoop | None = None
        try:
            self._call = unwrap(function)
            self._compiled = _compiled(self._call)
        except Unsupported as verdict:
            self._verdict = verdict.with_traceback(None)
        else:
            self._driver = driver(self._call.function, self._compiled.analysis.split)

    def __call__(self, data: Any, /, *args: Any, **kwargs: Any) -> Any:
        """What the function gives for the records."""
        if type(data) is list and self._is_faster_as_written(cast("list[Any]", data)):
            return self._as_written(cast("list[Any]", data), args, kwargs)
        if isinstance(data, dict) or records_of(data, self.name) is None:
            return self.function(data, *args, **kwargs)
        source = None if _is_iterator(data) else records_of(data, self.name)
        around = in_use()
        policy = on_unsupported(self._settings, around)
        if self._compiled is None:
            return self._plain(data, source, policy, args, kwargs)
        runs: list[Run] = []

        def begin(described: Describing) -> ReportBuilder:
            report = ReportBuilder(described)
            runs.append(started(self, report))
            return report

        run = LoopRun(
            self._compiled,
            run_options(self._settings, around),
            begin,
            lambda verdict: say_fallback(self.name, self.function, verdict, policy),
        )
        try:
            result = self._run(run, self._records(data, source), args, kwargs)
            run.ended()
            return result
        finally:
            for one in runs:
                one.finish()

    def _is_faster_as_written(self, records: list[Any]) -> bool:
        compiled = self._compiled
        backend = run_options(self._settings, in_use()).backend
        if not records or compiled is None or compiled.trace is None or backend != "auto":
            return False
        ways, most = compiled.ways, rows_of_batch(compiled.analysis)
        return ways.is_faster_as_written(records, most, compiled.trace)

    def _as_written(
        self, records: list[Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """The function as it stands, since that takes less time."""
        assert self._compiled is not None  # noqa: S101  it was measured
        report = ReportBuilder(Describing(self.name, self._compiled.trace, None))
        report.ran_on(FASTER_IN_PYTHON)
        run, begun = started(self, report), time.perf_counter()
        try:
            result = self.function(records, *args, **kwargs)
            report.batch_done(len(records), len(records), time.perf_counter() - begun)
            return result
        finally:
            run.finish()

    def explain(self, data: Any, /, *args: Any, **kwargs: Any) -> LoopExplanation:
        """How the loop would run over these records; the code before it runs to find out."""
        if self._compiled is None:
            return self._refused(self._verdict)
        source = records_of(data, self.name)
        if source is None or source.kind == "iterator":
            raise TypeError(messages.explain_iterator_text(self.name))
        options = run_options(self._settings, in_use())
        run = _Looking(self._compiled, options, ReportBuilder, lambda _: None)
        try:
            self._run(run, self._records(data, source), args, kwargs)
        except _Seen as seen:
            return self._refused(seen.verdict) if seen.verdict else self._explained(run, source)
        return self._refused(None)

    def report(self) -> Report:
        """What this thread's last call of the function did."""
        return last_report_of(self, self.name)

    def __repr__(self) -> str:
        return f"<vectorized loop {self.name}>"

    def __get__(self, instance: Any, owner: type | None = None) -> VectorizedLoop:
        """The loop of an instance's method, as a plain function has one."""
        if instance is None or not hasattr(self.function, "__get__"):
            return self
        bound = self._bound.get(id(instance))
        if bound is None or getattr(bound.function, "__self__", None) is not instance:
            bound = VectorizedLoop(MethodType(self.function, instance), self._settings)
            self._bound[id(instance)] = bound
            while len(self._bound) > BOUND_KEPT:
                self._bound.popitem(last=False)
        return bound

    def __reduce__(self) -> Any:
        """By name where the name finds it, else with its function."""
        if found_by_name(self, self):
            return self.__qualname__
        return VectorizedLoop, (self.function, self._settings)

    def _run(
        self,
        run: Callable[[dict[str, Any]], Outcome],
        records: Any,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        keywords = {**self._call.keywords, **kwargs}
        return self._driver(run)(*self._call.args, records, *args, **keywords)

    def _records(self, data: Any, source: Source | None) -> Any:
        """What the function gets: the caller's own list or iterator, or what stands for columns."""
        if _is_own(data, source):
            return data
        assert source is not None  # noqa: S101  else the data are the records
        assert self._compiled is not None  # noqa: S101  else it runs as it stands
        loop = self._compiled.analysis.split.loop
        listed = loop.writes or loop.form in BY_PLACE
        if loop.measured and not listed and source.length is not None:
            return ColumnRecords(source)
        return _listed(source)

    def _asks_the_data(self) -> bool:
        """Whether the function asks its data for what records do not have, as in df.iterrows()."""
        try:
            call = unwrap(self.function)
            node = find_source(call.function, plain=False).node
        except Unsupported:
            return False
        names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
        data = next(iter(names[len(call.args) :]), None)
        asked = (n.value for n in ast.walk(node) if isinstance(n, ast.Attribute))
        return any(isinstance(value, ast.Name) and value.id == data for value in asked)

    def _plain(
        self,
        data: Any,
        source: Source | None,
        policy: OnUnsupported,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """The function as it stands."""
        assert self._verdict is not None  # noqa: S101  it says why there is nothing compiled
        if source is None or source.length != 0:
            say_fallback(self.name, self.function, self._verdict, policy)
        report = ReportBuilder(Describing(self.name, None, self._verdict))
        run = started(self, report)
        try:
            own = _is_own(data, source) or self._asks_the_data()
            result = self.function(data if own else _listed(source), *args, **kwargs)
            rows = 0 if source is None or source.length is None else source.length
            report.batch_done(rows, rows, 0.0)
        finally:
            run.finish()
        return result

    def _refused(self, verdict: Unsupported | None) -> LoopExplanation:
        verdict = verdict or Unsupported("the loop is not reached")
        where = "\n".join(verdict_lines(verdict))
        hint = messages.hint_of(verdict)
        return LoopExplanation(
            name=self.name, compiled=False, reason=verdict.reason, hint=hint, where=where,
            states=(), rows=None,
        )  # fmt: skip

    def _explained(self, run: _Looking, source: Source) -> LoopExplanation:
        assert self._compiled is not None  # noqa: S101  it ran
        known = self._compiled.last.known(source)
        assert known is not None  # noqa: S101  it was traced
        rows = explain_program(
            known.program, run.options, known.names, known.asked.values(),
            columns=has_columns(source),
        )  # fmt: skip
        analysis = self._compiled.analysis
        states = states_of(analysis)
        rows = in_own_words(rows, analysis, self._compiled.last.seams(source))
        rows = dataclasses.replace(rows, pays=self._pays(self._compiled, source))
        return LoopExplanation(
            name=self.name, compiled=True, reason="", hint="", where="", states=states, rows=rows
        )

    def _pays(self, compiled: CompiledLoop, source: Source) -> str:
        """Whether the columns are worth it, as measured or as a rule."""
        made = source.kind != "list"
        tried = tried_of(compiled.ways.known(made=made))
        if tried is not None:
            return measured_text(*tried[:2], wins=tried[2])
        if not made:
            return OVER_DICTS
        in_python = any(goes_by_row(how) for _, how in states_of(compiled.analysis))
        return IN_SEQUENCE if in_python else OVER_COLUMNS


class _Seen(Exception):  # noqa: N818  no error: what explain() wanted to know
    def __init__(self, verdict: Unsupported | None) -> None:
        super().__init__()
        self.verdict = verdict


class _Looking(LoopRun):
    """A run that ends at the loop, when its first batch is compiled."""

    def __call__(self, names: dict[str, Any]) -> Outcome:
        raise _Seen(self.verdict(names))


def _compiled(call: Call) -> CompiledLoop:
    function: FunctionType = call.function
    source = find_source(function)
    code = function.__code__
    parameters = code.co_varnames[len(call.args) : code.co_argcount]
    closure = inspect.getclosurevars(function)
    namespace = {**closure.globals, **closure.nonlocals}
    return CompiledLoop(function, analyse(source, next(iter(parameters), None), namespace))


def _is_own(data: Any, source: Source | None) -> bool:
    """Whether the data are the records that the function itself would go over."""
    return source is None or (source.kind == "list" and not isinstance(data, Batch))


def _is_iterator(data: Any) -> bool:
    return hasattr(data, "__next__") and not hasattr(data, "__arrow_c_stream__")


def _listed(source: Source | None) -> list[Any]:
    if source is None:
        return []
    return [record for batch in source.batches() for record in batch.records()]


@overload
def vectorize_loop(
    f: Callable[..., Any],
    /,
    *,
    backend: BackendName | None = ...,
    math: MathMode | None = ...,
    on_unsupported: OnUnsupported | None = ...,
) -> VectorizedLoop: ...
@overload
def vectorize_loop(
    f: None = ...,
    /,
    *,
    backend: BackendName | None = ...,
    math: MathMode | None = ...,
    on_unsupported: OnUnsupported | None = ...,
) -> Callable[[Callable[..., Any]], VectorizedLoop]: ...
def vectorize_loop(
    f: Callable[..., Any] | None = None,
    /,
    *,
    backend: BackendName | None = None,
    math: MathMode | None = None,
    on_unsupported: OnUnsupported | None = None,
) -> VectorizedLoop | Callable[[Callable[..., Any]], VectorizedLoop]:
    """The function of many records, its one loop over them done in columns, with its own results.

    The function's first argument is the records, and one `for` at its top level goes over them:
    `for r in records`, `for i, r in enumerate(records)` or `for i in range(len(records))`. What a
    row computes by itself is compiled as `vectorize` does it; lists, counts, sums, extremes,
    groups and first matches are then made of whole columns. Code before and after the loop runs
    as it stands. Any other loop runs in the interpreter, and a FallbackWarning says why; so does
    `explain(data)`, without going over the records. It pays over columns; over dicts in memory
    the loop as it is written mostly is faster, is timed too, and then gets the rest. Without a
    function it is a decorator.

    Takes:    a list or an iterator of records, Arrow, pandas and polars tables, Batch, scan; for
              tables the result is that over their records as dicts
    Nulls:    None, as in the records
    Options:  backend         "auto", "python", "numpy" or "numba"
              math            "exact" (bit-identical to Python) or "fast"
              on_unsupported  "warn", "raise" or "ignore" when the loop cannot be compiled
    Errors:   the loop's own: where a row raises, the loop itself runs from that batch on

    >>> @vectorize_loop
    ... def revenue(records):
    ...     total = {}
    ...     for r in records:
    ...         total[r["shop"]] = total.get(r["shop"], 0) + r["price"] * r["amount"]
    ...     return total
    >>> revenue([{"shop": "a", "price": 2.5, "amount": 4}, {"shop": "b", "price": 1, "amount": 2}])
    {'a': 10.0, 'b': 2}
    """
    settings = Settings(backend, math, None, on_unsupported)
    if f is None:
        return functools.partial(_vectorized, settings=settings)
    return _vectorized(f, settings)


def _vectorized(function: Callable[..., Any], settings: Settings) -> VectorizedLoop:
    if not callable(function):
        raise TypeError(messages.bad_type_text("f", function, "a function of many records"))
    return VectorizedLoop(function, settings)
