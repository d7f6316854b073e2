"""Inlines calls: each function's body is traced with its arguments in place."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Hashable, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from batchprep.dtypes import EMPTY, INT64_MAX, INT64_MIN, TIME_BOUNDS, Kind, payload_dtype
from batchprep.errors import Unsupported
from batchprep.plan.boolean import conjunction
from batchprep.plan.build import either, has_kind, invert
from batchprep.plan.facts import simplify
from batchprep.plan.node import FALSE, TRUE, Node, intern
from batchprep.plan.stage import Deviation, MathMode
from batchprep.plan.values import Alternative, Cell, Slots, Sum
from batchprep.rowfn.dependencies import MISSING, CellRead, CodeRead, Dependency, NameRead
from batchprep.rowfn.dicts import thawed
from batchprep.rowfn.frame import Binding, Frame, Return, State, merge_heaps
from batchprep.rowfn.owners import is_rewritten
from batchprep.rowfn.places import holds_twice, makes_twice
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.source import FunctionSource, find_source
from batchprep.rowfn.sums import COLUMNS, Lazy, Static, Value, constant, frozen, literal
from batchprep.schema import Field, Schema

_GENERATOR: Final = 0x20  # inspect.CO_GENERATOR, without the import
_SPECIAL: Final = 0x20 | 0x80 | 0x100 | 0x200  # generator, coroutine and their relatives
_DEEPEST: Final = 40  # inlined calls inside each other


class MadeTwiceError(Exception):
    """An object of a result would be made twice where functions are composed."""


class Tracer:
    """State of one trace: deviations in program order, and what it depends on.

    `composes` says whether a function of what another one gives evaluates that by itself, where
    nobody knows its kind; else it is handed on as one object.
    """

    def __init__(self, schema: Schema, math: MathMode, *, composes: bool = True) -> None:
        """Start with a schema and an arithmetic mode."""
        self.composes = composes
        self.schema = schema
        self.math = math
        self.deviations: list[Deviation] = []
        self.dependencies: list[Dependency] = []
        self.reads: dict[str, Field] = {}
        self.sources: dict[CodeType, FunctionSource] = {}
        self.fields: dict[Sum, str] = {}  # what reading a field gives -> its name
        self.names: tuple[str, ...] | None = None  # of the record, where its keys were listed
        self.record = Cell()
        self.wrote = False
        self.touched = False  # it was written into on some path, though that may not return
        # Functions that Python may run on their own; whether they may give outer objects.
        self.pure: dict[CodeType, bool] = {}
        self.owned: dict[Node, int] = {}  # objects that one name alone holds, and how deep
        self.fresh: set[Lazy] = set()  # what makes a new object, which one name was given
        self.rewritten: set[Node] = set()  # records that a piece of code wrote into
        self.seams: list[Seam] = []
        self._counts: dict[Hashable, int] = {}
        self._running: list[CodeType] = []
        self._known: dict[Any, tuple[Value, list[Deviation]]] = {}

    def depend(self, dependency: Dependency) -> None:
        """Remember something read from outside."""
        self.dependencies.append(dependency)

    def count(self, evaluation: Hashable) -> int:
        """How often such an evaluation was traced before."""
        before = self._counts.get(evaluation, 0)
        self._counts[evaluation] = before + 1
        return before

    def record_sum(self) -> Sum:
        """The record itself, as an argument."""
        return Sum((Alternative("struct", TRUE, self.record),))

    # ---- fields of the record

    def field(self, name: str) -> tuple[Sum, Node]:
        """(value, rows that have it) of a field of the caller's record."""
        known = self.reads.get(name)
        if known is None:
            known = self.reads[name] = self.schema.field(name)
        guards = _kind_guards(known)
        present = invert(guards.pop("absent", FALSE))
        alternatives = (
            Alternative(kind, guard, _payload(known, kind))  # pyright: ignore[reportArgumentType]
            for kind, guard in guards.items()
        )
        value = Sum(tuple(alternatives))
        if value.alternatives:  # a field that no record has gives nothing to hand on
            self.fields[value] = name
        return value, present

    def all_names(self) -> tuple[str, ...] | None:
        """The keys of every record, in order; None where they are not known."""
        if not self.schema.closed:
            return None
        self.names = self.schema.names()
        return self.names

    # ---- calls

    def run(
        self, function: FunctionType, arguments: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> tuple[Value, dict[Cell, Slots]]:
        """(result, contents of its dicts) of the row function itself."""
        state = State({}, {}, TRUE)
        value = self._inline(function, arguments, keywords, None, None, state)
        return value, state.heap

    def call(
        self,
        function: FunctionType,
        arguments: tuple[Value, ...],
        keywords: Mapping[str, Value],
        caller: Frame,
        node: ast.AST,
    ) -> Value:
        """The value of a call inside the row function, its deviations under the caller's path."""
        key = (function, arguments, tuple(keywords.items()))
        if not _is_pure(arguments, keywords):
            return self._inline(function, arguments, keywords, caller, node, caller.state)
        if key not in self._known:
            self._known[key] = self._apart(function, arguments, keywords, caller, node)
        value, deviations = self._known[key]
        if not _is_repeatable(value):  # it makes a new object at each call
            del self._known[key]
        self._repeat(deviations, caller, node)
        # A dict that it made is a new one at each call, and nobody else holds it.
        return thawed(caller, value) if isinstance(value, Sum) else value

    def _apart(
        self,
        function: FunctionType,
        arguments: tuple[Value, ...],
        keywords: Mapping[str, Value],
        caller: Frame,
        node: ast.AST,
    ) -> tuple[Value, list[Deviation]]:
        """The value of a call under a true path, and the deviations inside of it."""
        outer, self.deviations = self.deviations, []
        apart = State({}, {}, TRUE)
        try:
            value = self._inline(function, arguments, keywords, caller, node, apart)
            return _settled(value, apart), self.deviations
        finally:
            self.deviations = outer

    def _repeat(self, deviations: list[Deviation], caller: Frame, node: ast.AST) -> None:
        # Traced once under a true path: here the caller's path is added.
        path = caller.state.path
        site = (caller.source.span(node), *caller.callers)
        for deviation in deviations:
            guard = conjunction(path, simplify(deviation.guard, path))
            if guard is not FALSE:
                own = deviation.spans[: len(deviation.spans) - len(site)] or deviation.spans
                moved = dataclasses.replace(deviation, guard=guard, spans=(*own, *site))
                self.deviations.append(moved)

    def _inline(
        self,
        function: FunctionType,
        arguments: tuple[Value, ...],
        keywords: Mapping[str, Value],
        caller: Frame | None,
        node: ast.AST | None,
        state: State,
    ) -> Value:
        code = function.__code__
        self._check_callable(function, caller, node)
        source = self.source(function)
        names = self._bound(function, arguments, keywords, caller, node)
        callers = (
            () if caller is None or node is None else (caller.source.span(node), *caller.callers)
        )
        inner = State(names, dict(state.heap), state.path)
        if caller is None:
            inner.heap[self.record] = Slots((), base=TRUE)
        frame = Frame(
            tracer=self,
            source=source,
            namespace=function.__globals__,
            builtins=function.__builtins__,
            names=frozenset(code.co_names),
            cells=dict(zip(code.co_freevars, function.__closure__ or (), strict=True)),
            local_names=frozenset(code.co_varnames) | frozenset(code.co_cellvars),
            state=inner,
            callers=callers,
            given=(*arguments, *keywords.values()) if callers else (),
        )
        self._running.append(code)
        try:
            self._body(frame, source)
        finally:
            self._running.pop()
        return self._returned(frame, state)

    def _check_callable(
        self, function: FunctionType, caller: Frame | None, node: ast.AST | None
    ) -> None:
        code, name = function.__code__, function.__name__
        if code.co_flags & _SPECIAL:
            word = "generator" if code.co_flags & _GENERATOR else "coroutine"
            self._refuse(f"{name} is a {word} function", caller, node)
        if code in self._running:
            self._refuse(f"{name} calls itself", caller, node)
        if len(self._running) >= _DEEPEST:
            self._refuse(f"calls are nested more than {_DEEPEST} deep", caller, node)

    def _refuse(self, reason: str, caller: Frame | None, node: ast.AST | None) -> None:
        if caller is not None and node is not None:
            caller.unsupported(node, reason)
        raise Unsupported(reason)

    def source(self, function: FunctionType) -> FunctionSource:
        """The source of a function, which is watched for changes."""
        code = function.__code__
        if code not in self.sources:
            self.sources[code] = find_source(function)
        keyword_defaults = dict(function.__kwdefaults__ or {})
        reading = CodeRead(function, code, function.__defaults__, keyword_defaults)
        if reading not in self.dependencies:
            self.depend(reading)
        return self.sources[code]

    def _bound(
        self,
        function: FunctionType,
        arguments: tuple[Value, ...],
        keywords: Mapping[str, Value],
        caller: Frame | None,
        node: ast.AST | None,
    ) -> dict[str, Binding]:
        code = function.__code__
        count, only = code.co_argcount, code.co_kwonlyargcount
        if code.co_flags & 0x0C:  # *args, **kwargs
            self._refuse(f"{function.__name__} takes *args or **kwargs", caller, node)
        names = code.co_varnames[: count + only]
        found: dict[str, Value] = dict(zip(names[:count], arguments, strict=False))
        wrong = len(arguments) > count or any(
            name in found or name not in names[code.co_posonlyargcount :] for name in keywords
        )
        found.update(keywords)
        defaults = function.__defaults__ or ()
        with_default = zip(names[count - len(defaults) : count], defaults, strict=True)
        for name, value in (*with_default, *(function.__kwdefaults__ or {}).items()):
            found.setdefault(name, constant(value))
        if wrong or set(found) != set(names):
            self._refuse(f"{function.__name__} is called with the wrong arguments", caller, node)
        return {name: Binding(found[name], TRUE) for name in names}

    def _body(self, frame: Frame, source: FunctionSource) -> None:
        from batchprep.rowfn.expressions import evaluate
        from batchprep.rowfn.statements import run_block

        if isinstance(source.node, ast.Lambda):
            value = evaluate(frame, source.node.body)
            if not frame.callers:
                value = frame.held(value, source.node.body)
            frame.returns.append(Return(frame.state.path, value, frame.state.heap))
            return
        run_block(frame, source.node.body)
        if frame.state.path is not FALSE:  # it can fall off the end
            frame.returns.append(Return(frame.state.path, literal(None), frame.state.heap))

    def _returned(self, frame: Frame, state: State) -> Value:
        returns = frame.returns
        if not returns:
            return Sum(())
        if not frame.callers:
            self._check_writes(frame, returns)
        value, heap = returns[-1].value, returns[-1].heap
        for earlier in reversed(returns[:-1]):
            paths = earlier.path, returns[-1].path
            node = frame.source.node
            ours, value = frame.settled_apart(earlier.value, value, paths, node)
            value = frame.merged(earlier.path, ours, value, earlier.heap, heap, node)
            heap = merge_heaps(earlier.path, earlier.heap, heap)
        state.heap = heap
        return value

    def _check_writes(self, frame: Frame, returns: list[Return]) -> None:
        """A function that writes into its record must return it on those paths."""
        if self.touched:
            returned = (r.value for r in returns if isinstance(r.value, Sum))
            self.wrote = any([a.payload for a in v] == [self.record] for v in returned)
        for place, reached in enumerate(returns):
            self._check_distinct(frame, reached)
            if frame.rewritten_at is not None and place >= frame.rewritten_at:
                self._check_rewritten(frame, reached)
                continue
            if not reached.heap[self.record].slots:
                continue
            self.wrote = True
            payloads = [a.payload for a in reached.value] if isinstance(reached.value, Sum) else []
            if payloads != [self.record]:
                reason = f"{frame.source.function} writes into its record without returning it"
                raise Unsupported(reason, frame.source.span(frame.source.node))

    def _check_rewritten(self, frame: Frame, reached: Return) -> None:
        """After a piece of code wrote into the record, every return must give that back."""
        self.wrote = True
        if not is_rewritten(frame, reached.value):
            reason = f"{frame.source.function} writes into its record without returning it"
            raise Unsupported(reason, frame.source.span(frame.source.node))

    def _check_distinct(self, frame: Frame, reached: Return) -> None:
        """A result that holds one new dict or list in two places would be given two."""
        if not isinstance(reached.value, Sum):
            return
        if self.composes and makes_twice(reached.value, reached.heap):
            raise MadeTwiceError
        if holds_twice(reached.value, reached.heap, self.record):
            reason = f"the result of {frame.source.function} holds one dict or list in two places"
            raise Unsupported(reason, frame.source.span(frame.source.node))

    # ---- names

    def outer_name(self, frame: Frame, name: str, node: ast.AST) -> Value:
        """The value of a name that is not local: closure, global or builtin."""
        if name in frame.cells:
            cell = frame.cells[name]
            try:
                value = cell.cell_contents
            except ValueError:
                frame.unsupported(node, f"{name} has no value yet in the enclosing function")
            self.depend(CellRead(cell, value))
            return constant(value)
        value = frame.namespace.get(name, MISSING)
        self.depend(NameRead(frame.namespace, name, value))
        if value is MISSING:
            value = frame.builtins.get(name, MISSING)
            self.depend(NameRead(frame.builtins, name, value))
        if value is MISSING:
            frame.unsupported(node, f"{name} is not defined")
        return constant(value)


def _kind_guards(known: Field) -> dict[Kind, Node]:
    kinds: list[Kind] = sorted(known.kinds)
    if len(kinds) == 1:
        return {kinds[0]: TRUE}
    code = intern("kind", (), known.name, "k")
    # The last kind is "none of the others": guards of a field cancel, and fewer tests run.
    ordered = sorted(kinds, key=lambda kind: kind not in EMPTY)
    guards: dict[Kind, Node] = {}
    others = FALSE
    for kind in ordered[:-1]:
        guards[kind] = has_kind(code, kind)
        others = either(others, guards[kind])
    guards[ordered[-1]] = invert(others)
    return guards


def _payload(known: Field, kind: Kind) -> Node | None:
    dtype = payload_dtype(kind)
    if dtype is None:
        return None
    if dtype == "r":
        return intern("ref", (), known.name, "r")
    bounds = TIME_BOUNDS.get(kind, (known.low, known.high))
    bounded = dtype == "i" and bounds != (INT64_MIN, INT64_MAX)
    attr = (known.name, kind, *bounds) if bounded else (known.name, kind)
    return intern("buffer", (), attr, dtype)


def _is_pure(arguments: tuple[Value, ...], keywords: Mapping[str, Value]) -> bool:
    """Whether no argument can be written into or hold the record."""
    values = (*arguments, *keywords.values())
    return all(
        isinstance(value, Sum) and all(not isinstance(a.payload, Cell | Slots) for a in value)
        for value in values
    )


def _is_repeatable(value: Value) -> bool:
    """Whether a second call may give the very same value: nobody can change it."""
    if isinstance(value, Sum):
        return "any" not in value.kinds and "list" not in value.kinds
    return isinstance(value, Static) or (
        value.kinds is not None and COLUMNS.issuperset(value.kinds)
    )


def _settled(value: Value, state: State) -> Value:
    return frozen(value, state.heap) if isinstance(value, Sum) else value
