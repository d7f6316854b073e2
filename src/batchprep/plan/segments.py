"""Stages cut into pieces that a backend can compile, and ops that only Python can evaluate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from batchprep.plan.node import Node, in_order
from batchprep.plan.order import COMMUTATIVE
from batchprep.plan.stage import Stage

LEAVES: Final = frozenset({"const", "kind", "buffer", "ref", "object", "regular", "text"})
TABLES: Final = frozenset({"word", "call", "find", "gather"})

# numba compiles at 4-5 ms a node, and faster than linear beyond a few hundred.
LARGEST: Final = 400


@dataclass(frozen=True)
class Segment:
    """A run of nodes that one kernel computes, or (host) that Python evaluates one by one.

    nodes   what is computed, arguments first; no leaves
    reads   arrays that come from outside: leaves of the stage, and temporaries
    writes  arrays that are wanted elsewhere: outputs of the stage, and temporaries
    guards  (deviation byte, node): a byte is written where none that is smaller was
    """

    nodes: tuple[Node, ...]
    reads: tuple[Node, ...]
    writes: tuple[Node, ...]
    guards: tuple[tuple[int, Node], ...]
    host: bool


@dataclass(frozen=True)
class _Piece:
    nodes: list[Node]
    guards: list[tuple[int, Node]]
    copies: list[Node]  # outputs of the stage that are leaves
    host: bool


def cut(
    stage: Stage, is_host: Callable[[Node], bool], *, largest: int = LARGEST
) -> tuple[Segment, ...]:
    """The stage as segments to run in order, each of at most `largest` nodes.

    Host ops lie between kernels; a node is computed as early as its arguments allow.
    """
    guards = [(1 + place, deviation.guard) for place, deviation in enumerate(stage.deviations)]
    order = in_order((*stage.outputs, *(guard for _, guard in guards)))
    phases = _phases(order, is_host)
    pieces = _pieces(stage, guards, phases, largest)
    return _connected(stage, pieces, {node: place for place, node in enumerate(order)})


def _phases(order: Iterable[Node], is_host: Callable[[Node], bool]) -> dict[Node, int]:
    # Kernels are even and host ops odd: each starts at the first phase after its arguments.
    phases: dict[Node, int] = {}
    for node in order:
        if node.op in LEAVES:
            continue
        earliest = max((phases.get(arg, 0) for arg in node.args), default=0)
        phases[node] = earliest + (earliest % 2 != is_host(node))
    return phases


def _pieces(
    stage: Stage, guards: list[tuple[int, Node]], phases: dict[Node, int], largest: int
) -> list[_Piece]:
    members: dict[int, list[Node]] = defaultdict(list)
    for node, phase in phases.items():
        members[phase].append(node)
    loose = _loose(guards, phases)
    copies = [node for node in stage.outputs if node.op in LEAVES]
    pieces: list[_Piece] = []
    first: set[int] = {0} if copies else set()
    for phase in sorted({*members, *loose} | first):
        host = phase % 2 == 1
        for nodes in _slices(members[phase], len(members[phase]) if host else largest):
            held = [] if host else [(byte, guard) for byte, guard in guards if guard in nodes]
            pieces.append(_Piece(nodes, sorted([*held, *loose.pop(phase, [])]), copies, host))
            copies = []
    return pieces


def _loose(
    guards: list[tuple[int, Node]], phases: dict[Node, int]
) -> dict[int, list[tuple[int, Node]]]:
    """Guards that no kernel computes, by the first phase in which one can read them."""
    loose: dict[int, list[tuple[int, Node]]] = defaultdict(list)
    for byte, guard in guards:
        phase = phases.get(guard, -1)
        if phase % 2:
            loose[phase + 1].append((byte, guard))
    return loose


def _slices(nodes: list[Node], largest: int) -> list[list[Node]]:
    return [nodes[at : at + largest] for at in range(0, len(nodes), largest or 1)] or [[]]


def _connected(
    stage: Stage, pieces: list[_Piece], places: Mapping[Node, int]
) -> tuple[Segment, ...]:
    wanted: set[Node] = set(stage.outputs)
    segments: list[Segment] = []
    for piece in reversed(pieces):
        own = set(piece.nodes)
        needed = [arg for node in piece.nodes for arg in _operands(node, places)]
        needed += [guard for _, guard in piece.guards] + piece.copies
        reads = dict.fromkeys(node for node in needed if _is_read(node, own))
        writes = (*(node for node in piece.nodes if node in wanted), *piece.copies)
        wanted.update(reads)
        nodes, guards = tuple(piece.nodes), tuple(piece.guards)
        segments.append(Segment(nodes, tuple(reads), writes, guards, piece.host))
    return tuple(reversed(segments))


def _operands(node: Node, places: Mapping[Node, int]) -> Sequence[Node]:
    """The arguments, those of `and` and `or` by where they stand."""
    return sorted(node.args, key=places.__getitem__) if node.op in COMMUTATIVE else node.args


def _is_read(node: Node, own: set[Node]) -> bool:
    # Constants and refs are part of the kernel's text or its scalar arguments.
    return node not in own and node.op not in {"const", "ref"}
