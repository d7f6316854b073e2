"""A function being traced: its names, its path condition, and how both branch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CellType
from typing import TYPE_CHECKING, Any, NoReturn

from batchprep.errors import Span, Unsupported
from batchprep.plan.build import both, either, invert
from batchprep.plan.facts import simplify
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.stage import Deviation
from batchprep.plan.values import Cell, Slots, Sum
from batchprep.rowfn.sums import NOTHING, Heap, Lazy, Value, lifted, merge, merge_slots

if TYPE_CHECKING:
    from batchprep.rowfn.source import FunctionSource
    from batchprep.rowfn.tracer import Tracer


@dataclass(frozen=True)
class Binding:
    """The value of a local name, and the rows on which it is bound."""

    value: Value
    bound: Node


@dataclass
class State:
    """What changes along a path: local names, contents of dicts, the path condition."""

    names: dict[str, Binding]
    heap: dict[Cell, Slots]
    path: Node

    def fork(self, path: Node) -> State:
        """A copy for one branch."""
        return State(dict(self.names), dict(self.heap), path)


@dataclass(frozen=True)
class Return:
    """A return statement that was reached."""

    path: Node
    value: Value
    heap: dict[Cell, Slots]


@dataclass(frozen=True)
class Mark:
    """How far a trace had come: what an attempt adds from here on can be taken back."""

    state: State
    names: dict[str, Binding]
    heap: dict[Cell, Slots]
    path: Node
    returns: int
    deviations: int
    seams: int
    flags: tuple[bool, bool, int | None]


@dataclass
class Frame:
    """One call of a Python function, traced."""

    tracer: Tracer
    source: FunctionSource
    namespace: Mapping[str, Any]
    builtins: Mapping[str, Any]
    names: frozenset[str]  # that the code looks up outside
    cells: Mapping[str, CellType]
    local_names: frozenset[str]
    state: State
    callers: tuple[Span, ...] = ()
    given: tuple[Value, ...] = ()  # what the caller handed over, and may still hold
    rewritten_at: int | None = None  # returns that came before it wrote into its record
    returns: list[Return] = field(default_factory=list[Return])

    def mark(self) -> Mark:
        """Where the trace stands."""
        state, tracer = self.state, self.tracer
        return Mark(
            state,
            dict(state.names),
            dict(state.heap),
            state.path,
            len(self.returns),
            len(tracer.deviations),
            len(tracer.seams),
            (tracer.touched, tracer.wrote, self.rewritten_at),
        )

    def go_back(self, mark: Mark) -> None:
        """Forget what was traced since a mark, but for what was read from outside."""
        self.state, tracer = mark.state, self.tracer
        self.state.names, self.state.heap = dict(mark.names), dict(mark.heap)
        self.state.path = mark.path
        del self.returns[mark.returns :]
        del tracer.deviations[mark.deviations :]
        del tracer.seams[mark.seams :]
        tracer.touched, tracer.wrote, self.rewritten_at = mark.flags

    def fault(self, condition: Node, error: str, reason: str, node: ast.AST) -> None:
        """Rows of this path on which the condition holds raise the error here."""
        self._deviate(condition, reason, error, node)

    def escape(self, condition: Node, reason: str, node: ast.AST) -> None:
        """Rows of this path on which the condition holds are left to the interpreter."""
        self._deviate(condition, reason, None, node)

    def _deviate(self, condition: Node, reason: str, error: str | None, node: ast.AST) -> None:
        path = self.state.path
        guard = both(path, simplify(condition, path))
        if guard is not FALSE:
            spans = (self.source.span(node), *self.callers)
            self.tracer.deviations.append(Deviation(guard, reason, error, spans))

    def unsupported(self, node: ast.AST, reason: str, hint: str = "") -> NoReturn:
        """Give up: the whole function runs in the interpreter."""
        raise Unsupported(reason, self.source.span(node), hint)

    def branch(
        self, condition: Node, yes: Callable[[], Value], no: Callable[[], Value], node: ast.AST
    ) -> Value:
        """The merged value of two expressions, each evaluated under its own path."""
        before = self.state
        yes_path, no_path = both(before.path, condition), both(before.path, invert(condition))
        if no_path is FALSE:
            return yes()
        if yes_path is FALSE:
            return no()
        self.state = before.fork(yes_path)
        yes_value, yes_state = yes(), self.state
        self.state = before.fork(no_path)
        no_value, no_state = no(), self.state
        paths = yes_state.path, no_state.path
        yes_value, no_value = self.settled_apart(yes_value, no_value, paths, node)
        value = self.merged(condition, yes_value, no_value, yes_state.heap, no_state.heap, node)
        self.state = self.joined(condition, yes_state, no_state, node)
        self.state.path = before.path
        return value

    def joined(self, condition: Node, yes: State, no: State, node: ast.AST) -> State:
        """The state after two branches; their paths are joined."""
        if yes.path is FALSE:
            return no
        if no.path is FALSE:
            return yes
        names: dict[str, Binding] = {}
        for name in (*yes.names, *(n for n in no.names if n not in yes.names)):
            names[name] = self._join_binding(condition, name, yes, no, node)
        heap = merge_heaps(condition, yes.heap, no.heap)
        return State(names, heap, either(yes.path, no.path))

    def _join_binding(
        self, condition: Node, name: str, yes: State, no: State, node: ast.AST
    ) -> Binding:
        ours, theirs = yes.names.get(name), no.names.get(name)
        if ours is theirs and ours is not None:
            return ours
        if ours is None or theirs is None:
            known, guard = (ours, condition) if ours is not None else (theirs, invert(condition))
            assert known is not None  # noqa: S101  the name comes from one of the two
            return Binding(known.value, both(guard, known.bound))
        bound = either(both(condition, ours.bound), both(invert(condition), theirs.bound))
        owned = self._owned_in_both(name, yes, no)
        mine, other = self.settled_apart(ours.value, theirs.value, (yes.path, no.path), node)
        merged = self.merged(condition, mine, other, yes.heap, no.heap, node)
        if owned and isinstance(merged, Sum) and merged.kinds == ("any",):
            payload = merged.alternatives[0].payload
            assert isinstance(payload, Node)  # noqa: S101  an object of the pool
            self.tracer.owned[payload] = owned
        return Binding(merged, bound)

    def _owned_in_both(self, name: str, yes: State, no: State) -> int:
        """How deep the object that the name alone holds in both branches is its own."""
        from batchprep.rowfn.owners import owned_depth

        kept = self.state
        depths: list[int] = []
        for self.state in (yes, no):
            depths.append(owned_depth(self, self.state.names, name))
        self.state = kept
        return min(depths)

    def merged(
        self, condition: Node, yes: Value, no: Value, yes_heap: Heap, no_heap: Heap, node: ast.AST
    ) -> Value:
        """As sums.merge, with the place in the message where it cannot be done."""
        if yes is no:
            return yes
        try:
            return merge(condition, yes, no, yes_heap, no_heap)
        except Unsupported as refused:
            self.unsupported(node, refused.reason)

    def pick(self, condition: Node, yes: Sum, no: Sum, node: ast.AST) -> Sum:
        """Merge two values of the current state."""
        heap = self.state.heap
        merged = self.merged(condition, yes, no, heap, heap, node)
        return merged if isinstance(merged, Sum) else NOTHING

    def lift(self, value: Value, node: ast.AST) -> Sum:
        """The value as a sum; unsupported for an object that has none."""
        value = self.settled(value, node)
        try:
            return lifted(value)
        except Unsupported as refused:
            self.unsupported(node, refused.reason)

    def settled(self, value: Value, node: ast.AST) -> Value:
        """The value itself, or as nodes where it is known only as a function of them."""
        if not isinstance(value, Lazy):
            return value
        from batchprep.rowfn.lazy import settle

        return settle(self, value, node)

    def held(self, value: Value, node: ast.AST) -> Sum:
        """The value as part of a dict, a tuple or a result; see lazy.held."""
        from batchprep.rowfn.lazy import held

        return held(self, value, node)

    def settled_apart(
        self, yes: Value, no: Value, paths: tuple[Node, Node], node: ast.AST
    ) -> tuple[Value, Value]:
        """Both as nodes, unless they are one: what no column holds deviates on its own path."""
        if yes is no:
            return yes, no
        path = self.state.path
        self.state.path = paths[0]
        yes = self.held(yes, node) if isinstance(yes, Lazy) else yes
        self.state.path = paths[1]
        no = self.held(no, node) if isinstance(no, Lazy) else no
        self.state.path = path
        return yes, no

    def assign(self, name: str, value: Value) -> None:
        """Bind a local name on this path."""
        self.state.names[name] = Binding(value, TRUE)

    def slots(self, payload: object) -> Slots | None:
        """The content of a dict, tuple or list made by the function; None for other payloads."""
        if isinstance(payload, Cell):
            return self.state.heap[payload]
        return payload if isinstance(payload, Slots) else None


def merge_heaps(
    condition: Node, yes: dict[Cell, Slots], no: dict[Cell, Slots]
) -> dict[Cell, Slots]:
    """Contents of dicts after two branches; a dict made in one branch is kept as it is."""
    heap = dict(no)
    for cell, slots in yes.items():
        other = no.get(cell)
        heap[cell] = slots if other is None else merge_slots(condition, slots, other, yes, no)
    return heap
