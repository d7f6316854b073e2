"""`vectorize`: a row function that takes tables."""

from __future__ import annotations

import functools
import pickle
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, overload

from batchprep.api.arguments import takes
from batchprep.api.calls import answer, stream
from batchprep.api.explain import Explanation
from batchprep.api.explaining import explain_program
from batchprep.api.fallbacks import say_fallback
from batchprep.api.options import (
    ALLOWED,
    OnUnsupported,
    Returns,
    Rows,
    Settings,
    check_choice,
    in_use,
    on_unsupported,
    run_options,
)
from batchprep.api.pickling import by_value, cloudpickled, found_by_name
from batchprep.api.postponed import POSTPONED, Postponed, is_postponed
from batchprep.api.programs import Programs
from batchprep.api.reports import Run, last_report_of, started
from batchprep.api.respecialise import Remake
from batchprep.api.schemas import has_columns, schema_of
from batchprep.api.sources import records_of
from batchprep.errors import messages
from batchprep.plan.stage import MathMode
from batchprep.records.source import Source
from batchprep.run.program import BackendName, OnError, Options, Program
from batchprep.run.report import Report, ReportBuilder

# Bound methods kept per vectorized method, each with its programs; they keep their objects alive.
BOUND_KEPT: Final = 8


class Vectorized:
    """A row function that takes one record, or many: see vectorize."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], settings: Settings) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.__row_function__ = function  # what a call with one record runs: it is inlined
        self._settings = settings
        self._programs = Programs(function)
        self._postponed = Postponed(function)
        self._bound: OrderedDict[int, Vectorized] = OrderedDict()
        self._resolved: tuple[Settings, Options] | None = None

    def __call__(self, data: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The function's results, in the container that corresponds to the data's."""
        source = records_of(data, self._programs.name)
        if source is None:
            return self.function(data, *args, **kwargs)
        around = in_use()
        options = self._options(around)
        # Of no records there is no knowing whether they are dicts or objects: nothing is said.
        policy = on_unsupported(self._settings, around) if source.length != 0 else "ignore"
        if source.kind == "iterator":
            return self._stream(source, args, kwargs, options, policy)
        program = self._program(source, args, kwargs, options, policy)
        report, run = self._started(program)
        postponed = is_postponed(program)
        if postponed:
            report.remark(POSTPONED)
        try:
            remake = self._remake(args, kwargs, options)
            return answer(program, source, options, report, remake=remake)
        except Exception as error:
            error.__traceback__ = self._users_frames(error)
            raise  # not "from": the exception's own context stays what it was
        finally:
            run.finish()
            if postponed:
                self._postponed.took(report.build().seconds)

    def explain(self, data: Any = None) -> Explanation:
        """How the function runs, line by line: on this data or schema, else as it ran last.

        `data` may be records, an Arrow, pandas or polars table, a pyarrow.Schema, or a dict of
        types such as {"price": float, "note": str | None}.
        """
        options = self._options(in_use())
        known, columns = self._programs.last, False
        if data is not None:
            schema = schema_of(data, self._programs.name)
            columns = has_columns(schema)
            known = self._programs.known(schema, (), {}, options.math)
        elif known is None and self._postponed.seen is not None:
            known = self._programs.known(*self._postponed.seen, options.math)
        if known is None:
            raise LookupError(messages.no_schema_text(self._programs.name))
        asked = known.asked.values()
        return explain_program(known.program, options, known.names, asked, columns=columns)

    def program_for(self, source: Source) -> tuple[Program, MathMode]:
        """What a call with these records would run, and how it would compute."""
        math = self._options(in_use()).math
        return self._programs.get(source, (), {}, math), math

    def report(self) -> Report:
        """What this thread's last call of the function did."""
        return last_report_of(self, self._programs.name)

    def _stream(
        self,
        source: Source,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        options: Options,
        policy: OnUnsupported,
    ) -> Iterator[Any]:
        # A generator: the first batch, which decides the kinds, is read by the first next().
        program = self._program(source, args, kwargs, options, policy)
        report, run = self._started(program)
        try:
            remake = self._remake(args, kwargs, options)
            yield from stream(program, source, options, report, remake)
        except Exception as error:
            error.__traceback__ = self._users_frames(error)
            raise  # not "from": the exception's own context stays what it was
        finally:
            run.finish()

    def _users_frames(self, error: Exception) -> types.TracebackType | None:
        """The traceback from the row function on: our own frames tell a user nothing."""
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename != self._programs.file:
            frames = frames.tb_next
        return frames or error.__traceback__

    def _started(self, program: Program) -> tuple[ReportBuilder, Run]:
        report = ReportBuilder(program)
        return report, started(self, report)

    def _options(self, around: Settings) -> Options:
        resolved = self._resolved
        if resolved is None or resolved[0] is not around:
            resolved = self._resolved = (around, run_options(self._settings, around))
        return resolved[1]

    def _program(
        self,
        source: Source,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        options: Options,
        policy: OnUnsupported,
    ) -> Program:
        program = self._postponable(source, args, kwargs, options, policy)
        if program.trace is None and not takes(self.function, args, kwargs):
            if source.length or source.names():  # a loop over no records calls nothing
                self.function(None, *args, **kwargs)  # raises: the call's fault, and no row's
            return program
        if program.unsupported is not None:
            say_fallback(self._programs.name, self.function, program.unsupported, policy)
        return program

    def _postponable(
        self,
        source: Source,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        options: Options,
        policy: OnUnsupported,
    ) -> Program:
        """The program, or the function as it is while tracing it would take longer than it."""
        lenient = options.backend == "auto" and policy != "raise"
        if lenient and source.kind == "list":
            later = self._postponed.program(source, args, kwargs)
            known = self._programs.is_known
            if later is not None and not known(source, args, kwargs, options.math):
                return later
        return self._programs.get(source, args, kwargs, options.math, at_a_glance=lenient)

    def _remake(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Options) -> Remake:
        return lambda source: self._programs.get(source, args, kwargs, options.math)

    def __get__(self, instance: Any, owner: type | None = None) -> Vectorized:
        """The vectorized method of an instance, as a plain function has one."""
        if instance is None or not hasattr(self.function, "__get__"):
            return self
        bound = self._bound.get(id(instance))
        if bound is None or getattr(bound.function, "__self__", None) is not instance:
            bound = Vectorized(types.MethodType(self.function, instance), self._settings)
            self._bound[id(instance)] = bound
            while len(self._bound) > BOUND_KEPT:
                self._bound.popitem(last=False)
        return bound

    def __repr__(self) -> str:
        return f"<vectorized {self._programs.name}>"

    def __reduce__(self) -> Any:
        """By name where the name finds it, else with its function; a lambda takes cloudpickle."""
        owner = getattr(self.function, "__self__", None)
        if owner is not None and getattr(owner, self.__name__, None) is self:
            return getattr, (owner, self.__name__)
        if found_by_name(self, self):
            return self.__qualname__
        if found_by_name(self.function, self.function) or not by_value([self.function]):
            return Vectorized, (self.function, self._settings)
        is_main = getattr(self.function, "__module__", None) == "__main__"
        pickled = cloudpickled(self.function, is_main=is_main)
        return _unpickled, (pickled, self._settings)


def _unpickled(pickled: bytes, settings: Settings) -> Vectorized:
    return Vectorized(pickle.loads(pickled), settings)  # noqa: S301  part of a pickle already


@overload
def vectorize(
    f: Callable[..., Any],
    /,
    *,
    backend: BackendName | None = ...,
    math: MathMode | None = ...,
    on_error: OnError | None = ...,
    on_unsupported: OnUnsupported | None = ...,
    rows: Rows = ...,
    returns: Returns | None = ...,
) -> Vectorized: ...
@overload
def vectorize(
    f: None = ...,
    /,
    *,
    backend: BackendName | None = ...,
    math: MathMode | None = ...,
    on_error: OnError | None = ...,
    on_unsupported: OnUnsupported | None = ...,
    rows: Rows = ...,
    returns: Returns | None = ...,
) -> Callable[[Callable[..., Any]], Vectorized]: ...
def vectorize(
    f: Callable[..., Any] | None = None,
    /,
    *,
    backend: BackendName | None = None,
    math: MathMode | None = None,
    on_error: OnError | None = None,
    on_unsupported: OnUnsupported | None = None,
    rows: Rows = "record",
    returns: Returns | None = None,
) -> Vectorized | Callable[[Callable[..., Any]], Vectorized]:
    """The row function, compiled to run over many records at once, with the row loop's results.

    A list gives a list, an iterator a lazy iterator, Arrow gives Arrow, pandas and polars their
    own; one record calls the function itself. Further arguments are constants of the call.
    Without a function it is a decorator.

    Records stay as they were: a function that writes into its record and returns it works on a
    copy of each, so a dict that stands in the list twice is two records. The loop would write
    into the one dict twice.

    Options:  backend         "auto", "python", "numpy" or "numba"
              math            "exact" (bit-identical to Python) or "fast"
              on_error        "raise" the failing row's exception, or give "null", or "drop" the row
              on_unsupported  "warn", "raise" or "ignore" when the function cannot be compiled
              rows            "record": rows are dicts, dataclass instances or named tuples
              returns         Arrow type of the results, where the function's own is not wanted:
                              a narrower float type rounds, else each value must fit exactly
    Errors:   the failing row's own exception, with a note of its row, line and values

    >>> vectorize(lambda r: r["price"] * r["volume"])([{"price": 2.5, "volume": 4}])
    [10.0]
    """
    check_choice("rows", rows, ALLOWED["rows"])
    settings = Settings(backend, math, on_error, on_unsupported, None, returns)
    if f is None:
        return functools.partial(_vectorized, settings=settings)
    return _vectorized(f, settings)


def _vectorized(function: Callable[..., Any], settings: Settings) -> Vectorized:
    if not callable(function):
        raise TypeError(messages.bad_type_text("f", function, "a function of one record"))
    if isinstance(function, Vectorized):
        function = function.function
    return Vectorized(function, settings)
