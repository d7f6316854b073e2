"""Which steps array code may do, and which must run one after the other."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from batchprep.errors import Unsupported
from batchprep.loops import messages
from batchprep.loops.checks import FUNCTIONS, check_steps
from batchprep.loops.go_on import GoOn
from batchprep.loops.idioms import without_key_errors
from batchprep.loops.inner import Inner, inner_loops
from batchprep.loops.levels import Slice, slices
from batchprep.loops.loop import Loop, find_loop
from batchprep.loops.names import Names
from batchprep.loops.shapes import Shape, shapes_of
from batchprep.loops.split import Split, Step, check_caught, split
from batchprep.rowfn.source import FunctionSource

BUILTINS: Final = FUNCTIONS | {"enumerate", "locals", "zip"}
COMPUTES: Final = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr, ast.UnaryOp, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.For, ast.While, ast.Try, ast.Dict, ast.Tuple,
)  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """Steps that share state, and their forms where array code may do them together."""

    steps: tuple[Step, ...]
    names: frozenset[str]
    shapes: tuple[Shape, ...] | None

    @property
    def state(self) -> str:
        """The state that array code computes; "" of an exit."""
        return "" if self.shapes is None else self.shapes[0].state


@dataclass(frozen=True)
class Level:
    """What the row part can be told of, found first: by one step, or by a slice of the loop."""

    state: str
    split: Split
    step: Step | None = None
    shape: Shape | None = None
    part: Slice | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """The names that are told."""
        return (self.state,) if self.part is None else (*self.part.states, *self.part.taps)


@dataclass(frozen=True)
class Rounds:
    """An inner loop ready to be run in columns, over the elements of all rows."""

    inner: Inner
    split: Split
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class Analysis:
    """A loop ready to be run in columns: the levels first, each with the states before it."""

    levels: tuple[Level, ...]
    split: Split
    units: tuple[Unit, ...]
    rounds: tuple[Rounds, ...] = ()

    @property
    def ends_early(self) -> bool:
        """Whether a row may end the loop."""
        return any(_ends(step) for step in self.split.steps)


def analyse(
    source: FunctionSource, parameter: str | None, namespace: Mapping[str, object]
) -> Analysis:
    """The parts of a function's loop, and how each is done.

    Errors:  Unsupported, with the place and the reason
    """
    loop = find_loop(source, parameter)
    _check_builtins(loop, namespace)
    before = loop.node.body[: loop.position]
    loop = dataclasses.replace(loop, body=without_key_errors(loop.body, before, namespace))
    together = set[int]()
    while True:
        levels, parts = _resolved(loop, together)
        units = units_of(parts)
        rounds = [Rounds(s.inner, p, units_of(p)) for s, p in _inner_parts(parts) if s.inner]
        refused = _no_rounds(parts, units, rounds)
        if not refused:
            break
        together |= refused
    splits = [parts, *(one.split for one in rounds)]
    for own in [*splits, *(level.split for level in levels if level.part is not None)]:
        check_steps(own, namespace)
    every = [*units, *(unit for one in rounds for unit in one.units)]
    for unit in every:
        for step in unit.steps:
            if unit.shapes is None:
                check_caught(loop, step)
    if all(u.shapes is None for u in every) and not any(
        map(_computes, [parts, *(r.split for r in rounds)])
    ):
        loop.refuse(messages.ALL_IN_SEQUENCE)
    return Analysis(levels, parts, units, tuple(rounds))


def units_of(parts: Split) -> tuple[Unit, ...]:
    """The steps that share state, but for those that are inner loops by themselves."""
    shapes = shapes_of(parts)
    return tuple(_unit(steps, parts, shapes) for steps in _together(parts))


def _inner_parts(parts: Split) -> Iterator[tuple[Step, Split]]:
    for step in parts.steps:
        if step.inner is not None:
            yield step, split(step.inner.loop)


def _no_rounds(parts: Split, units: Sequence[Unit], rounds: Sequence[Rounds]) -> set[int]:
    """The inner loops, by id, of which columns do nothing, or that must wait for other steps."""
    found: set[int] = set()
    in_sequence = any(unit.shapes is None for unit in units)
    for one in rounds:
        left = any(unit.shapes is None for unit in one.units)
        idle = all(unit.shapes is None for unit in one.units) and not _computes(one.split)
        # What raises first in two sequences could not be told.
        if idle or (left and in_sequence):
            found.add(id(one.inner.loop.loop))
        in_sequence = in_sequence or left
    found |= {id(step.original) for step in parts.steps if step.inner and step.controlled}
    return found


def _check_builtins(loop: Loop, namespace: Mapping[str, object]) -> None:
    """enumerate, max and the like must be Python's own."""
    names = Names(loop.node.body)
    arguments = {a.arg for a in ast.walk(loop.node.args) if isinstance(a, ast.arg)}
    own = names.stored | arguments
    for name in sorted(BUILTINS & names.loaded):
        if name in own or namespace.get(name, vars(builtins)[name]) is not vars(builtins)[name]:
            loop.refuse(messages.SHADOWED, loop.loop, name)
    if loop.form == "pairwise" and not _is_pairwise(loop.loop.iter, namespace, own):
        loop.refuse(messages.OTHER_ITERABLE, loop.loop.iter)


def _is_pairwise(node: ast.expr, namespace: Mapping[str, object], own: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            found = namespace.get(name)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            found = getattr(namespace.get(name), attr, None)
        case _:
            return False
    return found is itertools.pairwise and name not in own


def _resolved(loop: Loop, together: Collection[int]) -> tuple[tuple[Level, ...], Split]:
    """Running values that other steps read, one after the other, and the loop without them."""
    levels: list[Level] = []
    resolved = frozenset[str]()
    while True:
        parts = split(loop, resolved, together)
        found = _resolvable(parts) or _sliced(loop, resolved)
        if found is None:
            return tuple(levels), parts
        levels.append(found)
        if found.part is not None:
            loop = found.part.rest
        resolved |= {found.state} if found.part is None else {*found.part.states}


def _sliced(loop: Loop, resolved: frozenset[str]) -> Level | None:
    """The next states that a slice of the loop keeps."""
    for part in slices(loop, resolved):
        whole = frozenset(map(id, inner_loops(part.loop.body)))
        own = split(part.loop, resolved, whole)
        if own.steps and not any(step.caught for step in own.steps):
            return Level(part.loop.source.function, own, part=part)
    return None


def _resolvable(parts: Split) -> Level | None:
    shapes = shapes_of(parts)
    for state in sorted(parts.loop.states & parts.tainted):
        names = [(step, Names(step.statements)) for step in parts.steps]
        writers = [step for step, own in names if state in own.stored | own.written]
        readers = [step for step, own in names if state in own.all and step not in writers]
        shape = shapes.get(writers[0].number) if len(writers) == 1 else None
        if shape is None or not readers or shape.kind not in messages.RUNNING:
            continue
        if Names(writers[0].statements).all & parts.tainted == {state}:
            return Level(state, parts, writers[0], shape)
    return None


def _together(parts: Split) -> list[list[Step]]:
    """The steps grouped by the names that they share."""
    groups: list[tuple[set[str], list[Step]]] = []
    for step in (step for step in parts.steps if step.inner is None):
        names, steps = set(Names(step.statements).all & parts.tainted), [step]
        for known in [group for group in groups if group[0] & names]:
            groups.remove(known)
            names |= known[0]
            steps = [*known[1], *steps]
        groups.append((names, steps))
    return [sorted(steps, key=lambda step: step.number) for _, steps in groups]


def _unit(steps: Iterable[Step], parts: Split, shapes: Mapping[int, Shape]) -> Unit:
    steps = tuple(steps)
    names = frozenset(Names(s for step in steps for s in step.statements).all & parts.tainted)
    found = tuple(shapes[step.number] for step in steps if step.number in shapes)
    alike = len({(shape.kind, shape.state) for shape in found}) == 1
    bound = {shape.state for shape in found} | {n for s in found for n, _ in s.others}
    whole = len(found) == len(steps) and alike and names - {""} <= bound
    return Unit(steps, names, found if whole else None)


def _ends(step: Step) -> bool:
    return any(isinstance(n, ast.Break | ast.Return) for s in step.statements for n in ast.walk(s))


def _computes(parts: Split) -> bool:
    """Whether the row part does more than to read fields."""
    for statement in parts.row_part:
        for node in ast.walk(statement):
            if isinstance(node, COMPUTES) and not (isinstance(node, ast.Dict) and not node.keys):
                return True
            if isinstance(node, ast.Call) and not _is_get(node):
                return True
    return False


def _is_get(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "get"


def states_of(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """How each state is computed, in words."""
    levels = [item for level in analysis.levels for item in _told(level)]
    units = [*analysis.units, *(unit for one in analysis.rounds for unit in one.units)]
    return (*levels, *(item for unit in units for item in _how(unit).items()))


def _told(level: Level) -> Iterator[tuple[str, str]]:
    if level.part is None:
        assert level.shape is not None  # noqa: S101  it has a step or a slice
        yield level.state, messages.RUNNING[level.shape.kind]
        return
    for name in (*level.part.states, *level.part.held):
        yield name, messages.CARRIED


def _how(unit: Unit) -> dict[str, str]:
    """How each name of a unit is computed, in words."""
    if unit.shapes is None:
        return dict.fromkeys(sorted(unit.names) or ["(end)"], messages.IN_SEQUENCE)
    shape, step = unit.shapes[0], unit.steps[0]
    text = messages.HOW[shape.kind]
    if shape.kind in {"sum", "group_sum"} and all(_is_one(s.value.constant) for s in unit.shapes):
        text = messages.COUNTED if shape.kind == "sum" else messages.COUNTED_GROUPS
    if shape.key is not None and shape.key.slot is not None:
        text = messages.by_key_text(text, ast.unparse(step.slots[shape.key.slot]))
    if shape.kind == "write" and shape.key is not None:
        record = ast.unparse(step.slots[str(shape.others[0][1].slot)])
        return {f"{record}[{shape.key.constant!r}]": text}
    names = [shape.state or "(end)", *(name for name, _ in shape.others)]
    return dict.fromkeys(names, text)


def _is_one(constant: Any) -> bool:
    return type(constant) is int and constant == 1


def refuse(analysis: Analysis, reason: tuple[str, str]) -> NoReturn:
    """Let the loop itself run, and say so of the whole of it.

    Errors:  GoOn
    """
    loop = analysis.split.loop
    raise GoOn(reason[0], Unsupported(reason[0], loop.source.span(loop.loop), reason[1]))
