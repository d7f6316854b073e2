"""Programs of one row function: traced once per kinds of fields and per further arguments."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Final

from batchprep.api.arguments import arguments_fingerprint, bind
from batchprep.api.schemas import AskedSchema, same_fields
from batchprep.dtypes import Kind
from batchprep.errors import Unsupported
from batchprep.plan.stage import MathMode
from batchprep.records.arrow import ArrowSource
from batchprep.records.arrow_schemas import ArrowFields
from batchprep.records.list import ListSource
from batchprep.rowfn.effects import record_effects
from batchprep.rowfn.record_reads import reads_fields_only
from batchprep.rowfn.source import Call, FunctionSource, find_source, function_name, unwrap
from batchprep.rowfn.trace import Trace, trace
from batchprep.run.either_way import interpreter_is_settled
from batchprep.run.program import Copies, Program
from batchprep.schema import Field, Schema

# Programs kept per function: an ETL job calls one function with a handful of thresholds or schemas.
KEPT: Final = 16
FEW: Final = 16  # records that show whether others than before have come
# Kinds of values that a function may change in place.
MUTABLE: Final[frozenset[Kind]] = frozenset({"list", "struct", "other"})


@dataclass(eq=False)
class Known:
    """A program and what it holds for; `fitted` are the last fields of Arrow data that it fits."""

    program: Program
    arguments: object
    math: MathMode
    asked: Mapping[str, Field]
    names: tuple[str, ...]
    form: str
    surroundings: tuple[object, ...]
    fitted: ArrowFields | None = None

    def current(
        self, schema: Schema, function: Callable[..., Any], *, at_a_glance: bool = False
    ) -> bool:
        """Whether tracing again would give the same program.

        `at_a_glance`: a few records may show it where the interpreter is to answer all of them.
        All of them are looked at again when the compiled form is tried again.
        """
        if self.form != schema.form:
            return False
        trace = self.program.trace
        if trace is not None:
            if isinstance(schema, ArrowSource):
                return self._fits(trace, schema)
            if at_a_glance and self._needs_no_kinds(trace, schema):
                return trace.unchanged()
            return trace.current(schema)
        # A verdict that is out of date costs time, never a value: what is cheap to see is enough.
        unchanged = same(self.surroundings, surroundings(function))
        return unchanged and same_fields(self.asked, schema)

    def _fits(self, trace: Trace, source: ArrowSource) -> bool:
        """The same of Arrow data; the fields of one schema are looked at once."""
        if source.fields is self.fitted:
            return trace.unchanged()
        if not trace.current(source):
            return False
        self.fitted = source.fields
        return True

    def _needs_no_kinds(self, trace: Trace, schema: Schema) -> bool:
        """Whether the interpreter is to answer all records, of kinds that are none too new."""
        return (
            isinstance(schema, ListSource)
            and interpreter_is_settled(trace, schema.length)
            and trace.covers(schema.glance(FEW))
            and self._takes_originals
        )

    @cached_property
    def _takes_originals(self) -> bool:
        """Whether the interpreter needs no copies, whatever the records hold."""
        return copies_of(self.program.function, mutable=True) == "no"


class Programs:
    """The programs of one row function, the last used first. Thread-safe."""

    def __init__(self, function: Callable[..., Any], copies: Copies | None = None) -> None:
        self.function = function
        self._copies: Copies | None = copies  # where it is known what the interpreter gets
        self.name = display_name(function)
        self.file = file_of(function)
        self._lock = threading.RLock()
        self._known: tuple[Known, ...] = ()

    @property
    def last(self) -> Known | None:
        """The program that was used last."""
        return next(iter(self._known), None)

    def get(
        self,
        schema: Schema,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        math: MathMode,
        *,
        at_a_glance: bool = False,
    ) -> Program:
        """The program for records of that schema and these further arguments."""
        known = self.known(schema, args, kwargs, math, at_a_glance=at_a_glance)
        if not args and not kwargs:
            return known.program
        # Equal arguments may be other objects: the interpreter gets those of this call.
        return replace(known.program, function=bind(self.function, args, kwargs))

    def known(
        self,
        schema: Schema,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        math: MathMode,
        *,
        at_a_glance: bool = False,
    ) -> Known:
        """The same with what it holds for; traced now where it is not known yet."""
        arguments = arguments_fingerprint(args, kwargs) if args or kwargs else ()
        known = self._find(schema, arguments, math, at_a_glance=at_a_glance)
        if known is None:
            with self._lock:  # two threads that need the same program trace it once
                known = self._find(schema, arguments, math)
                if known is None:
                    known = self._make(schema, args, kwargs, math)
                    self._keep(known)
        return known

    def is_known(
        self, schema: Schema, args: tuple[Any, ...], kwargs: Mapping[str, Any], math: MathMode
    ) -> bool:
        """Whether get() would trace nothing."""
        return self._find(schema, arguments_fingerprint(args, kwargs), math) is not None

    def _find(
        self, schema: Schema, arguments: object, math: MathMode, *, at_a_glance: bool = False
    ) -> Known | None:
        for position, known in enumerate(self._known):
            if (
                known.math == math
                and known.arguments == arguments
                and known.current(schema, self.function, at_a_glance=at_a_glance)
            ):
                if position:
                    with self._lock:
                        self._keep(known)
                return known
        return None

    def _keep(self, known: Known) -> None:
        others = (k for k in self._known if k is not known)
        self._known = (known, *others)[:KEPT]

    def _make(
        self, schema: Schema, args: tuple[Any, ...], kwargs: Mapping[str, Any], math: MathMode
    ) -> Known:
        asked = AskedSchema(schema)
        program = make_program(self.function, asked, args, kwargs, math, self._copies)
        return Known(
            program,
            arguments_fingerprint(args, kwargs),
            math,
            asked.asked,
            schema.names(),
            schema.form,
            surroundings(self.function),
        )


def make_program(
    function: Callable[..., Any],
    schema: Schema,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    math: MathMode,
    known_copies: Copies | None = None,
) -> Program:
    """The function traced for a schema, or the reason why the interpreter runs it."""
    call, found, unsupported, source = None, None, None, None
    try:
        call = unwrap(function)
        source = find_source(call.function)
        found = trace(call, schema, args, kwargs, math, target=function)
    except Unsupported as verdict:
        # Without its traceback, which would keep the tracer's frames alive.
        unsupported = verdict.with_traceback(None)
    copies: Copies = known_copies or "no"
    spared = None
    if found is not None:
        copies = found.writes
        if call is not None and source is not None and _writes_deep(call, source, schema):
            copies = "deep"
    elif known_copies is None and call is not None and source is not None:
        copies = _copies(call, source, lambda: has_mutable(schema))
        spared = None if copies == "no" else cache(partial(_is_spared, call, source))
    return Program(
        function=bind(function, args, kwargs),
        name=display_name(function),
        trace=found,
        unsupported=unsupported,
        copies=copies,
        spared=spared,
        source=source,
    )


def _is_spared(call: Call, source: FunctionSource, class_: type) -> bool:
    """Whether records of that class need no copies: what their methods do is known."""
    return _copies(call, source, lambda: True, record_class=class_) == "no"


def _writes_deep(call: Call, source: FunctionSource, schema: Schema) -> bool:
    """Whether rows that the interpreter answers may write into what their record holds."""
    if reads_fields_only(call):  # what is not returned is not copied
        return False
    return _copies(call, source, lambda: has_mutable(schema), certain=True) == "deep"


def copies_of(function: Callable[..., Any], *, mutable: bool) -> Copies:
    """What a function may be given so that the caller's own records stay as they are.

    `mutable` says whether records hold values that can be written into.
    """
    try:
        call = unwrap(function)
        return _copies(call, find_source(call.function, plain=False), lambda: mutable)
    except Unsupported:  # of a function without a source there is no knowing
        return "no"


def _copies(
    call: Call,
    source: FunctionSource,
    has_mutable: Callable[[], bool],
    *,
    certain: bool = False,
    record_class: type | None = None,
) -> Copies:
    """What the interpreter may be given of a function that cannot be compiled.

    One that writes into its record and does not return it lives by that: it gets the originals.
    """
    names = call.function.__code__.co_varnames[len(call.args) :]
    closure = inspect.getclosurevars(call.function)
    namespace = {**closure.builtins, **closure.globals, **closure.nonlocals}
    first = next(iter(names), None)
    effects = record_effects(source, first, namespace, record_class=record_class)
    if not effects.returns_record:
        return "no"
    # What is called may write into what it is given; numbers and texts cannot be written into.
    of_parts = effects.augments or effects.passes_part
    if effects.writes_deep or (effects.augments and has_mutable()):
        return "deep"
    if not certain and (effects.passes_record or (of_parts and has_mutable())):
        return "deep"
    return "shallow" if effects.writes_record else "no"


def has_mutable(schema: Schema) -> bool:
    """Whether a field may hold values that can be written into."""
    return any(MUTABLE & schema.field(name).kinds for name in schema.names())


def display_name(function: Callable[..., Any]) -> str:
    """The function's name for messages and reports."""
    try:
        return function_name(unwrap(function).function)
    except Unsupported:
        return str(getattr(function, "__name__", type(function).__qualname__))


def file_of(function: Callable[..., Any]) -> str:
    """The file that the function was written in; "" if it is no Python function."""
    try:
        return unwrap(function).function.__code__.co_filename
    except Unsupported:
        return ""


def surroundings(function: Callable[..., Any]) -> tuple[object, ...]:
    """The code and the closure and global values that a function's own body names."""
    try:
        inner = unwrap(function).function
    except Unsupported:
        return (function,)
    cells = tuple(map(_content, inner.__closure__ or ()))
    values = tuple(inner.__globals__.get(name) for name in inner.__code__.co_names)
    return (inner.__code__, *cells, *values)


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # bound only later
        return cell


def same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether two surroundings hold the same objects."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
