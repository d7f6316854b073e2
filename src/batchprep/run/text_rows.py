"""Texts of a stage that are worked out row by row over their bytes, instead of by code.

A column of texts that are read only in ways that the kernels of byte_texts know is never encoded:
no string of it is looked up, and none becomes a Python object but what the kernels leave to Python.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from batchprep.dtypes import DType
from batchprep.plan.build import rebuild
from batchprep.plan.finish import substitute
from batchprep.plan.node import Node, in_order, intern
from batchprep.plan.order import Structured
from batchprep.plan.stage import Stage
from batchprep.plan.tables import Outcome
from batchprep.run.byte_steps import Step, bytes_of, steps_of
from batchprep.run.byte_texts import LOOKUP
from batchprep.run.text_chains import chain_of, pieces_of

VALUES: Final[frozenset[DType]] = frozenset({"b", "i"})
# A step takes 5 to 10 ns a row, encoding a column that hardly repeats 100, one of few words 15.
MOST_STEPS: Final = 8


@dataclass(frozen=True)
class Reading(Structured):
    """The attr of a leaf "text": what is worked out before the kernel runs, of which node.

    text   the text itself: as a result it never gets a code; where a kernel chooses between it
           and another, each row has a code of its own
    fixed  the code of the constant that it equals, of those that it is compared with; else -1
    value  the bool or int that a function of a text gives
    """

    node: Node
    what: Literal["text", "fixed", "value"]

    @property
    def structure(self) -> tuple[Any, ...]:
        """The node's, and what is worked out of it."""
        return self.node, self.what


Chain = tuple[Step, ...]


class Sum(NamedTuple):
    """A text made of constants and of what steps make of texts."""

    pieces: tuple[str | tuple[Node, Chain], ...]


class Steps(NamedTuple):
    """What steps make of a text."""

    of: Node
    steps: tuple[Step, ...]


class Choice(NamedTuple):
    """One text where a condition holds, else another; constants are nodes, too."""

    condition: Node
    yes: Node
    no: Node


Made = Sum | Steps | Choice | None  # None: the field's own text

LOGIC: Final = frozenset({"and", "or", "not"})
EQUALITIES: Final = frozenset({"seq", "sne"})


@dataclass(frozen=True)
class TextRows:
    """A stage whose leaves "text" stand for texts of these fields, and how each is made.

    `compared` are the constants that a node's text is compared with.
    """

    stage: Stage
    fields: frozenset[str]
    made: Mapping[Node, Made]
    compared: Mapping[Node, tuple[str, ...]]
    leaves: tuple[Node, ...]
    kernels: frozenset[str]

    def names(self) -> Iterator[str]:
        """What is made, as the plan calls it."""
        for leaf in self.leaves:
            node = cast("Reading", leaf.attr).node
            yield node.attr.pure.name if isinstance(node.attr, Outcome) else _NAMES[node.op]


_NAMES: Final = {"buffer": "==", "select": "if"}  # of nodes that are no call


def text_rows(stage: Stage, fields: Iterable[str]) -> TextRows | None:
    """The stage with what can be read by row of these fields; None where nothing is."""
    kept = frozenset(fields)
    while kept:
        found = _Texts(stage, kept)
        if not found.lost:
            return found.rows()
        kept -= found.lost
    return None


class _Texts:
    """The texts of some fields in a stage; `lost` are fields with a text that must have a code."""

    def __init__(self, stage: Stage, fields: frozenset[str]) -> None:
        self._stage = stage
        self._fields = fields
        self._nodes = in_order((*stage.outputs, *(d.guard for d in stage.deviations)))
        self._handed_on = _handed_on(stage, self._nodes)
        self._sources: dict[Node, frozenset[str]] = {}
        self.made: dict[Node, Made] = {}
        self.compared: defaultdict[Node, dict[str, None]] = defaultdict(dict)
        self._values: dict[Node, Steps] = {}
        self.lost: set[str] = set()
        for node in self._nodes:
            self._look_at(node)
        self._refuse_long_ways()

    def _look_at(self, node: Node) -> None:
        if node.op == "buffer" and node.dtype == "s":
            name = cast("tuple[str, str]", node.attr)[0]
            if name in self._fields:
                self._sources[node], self.made[node] = frozenset({name}), None
            return
        texts = [arg for arg in node.args if arg in self._sources]
        if not texts or self._is_made(node, texts) or self._is_known(node):
            return
        for text in texts:
            self.lost |= self._sources[text]

    def _is_made(self, node: Node, texts: list[Node]) -> bool:
        """Whether the kernels make the text or value of a node."""
        if not isinstance(node.attr, Outcome) or len(texts) < len(node.args):
            return False
        outcome = node.attr
        if outcome.kind != outcome.pure.kind:
            return False
        chain = chain_of(outcome.pure) if len(texts) == 1 else None
        steps = None if chain is None else steps_of(chain)
        if steps and steps[-1].gives_texts == (node.dtype == "s"):
            if node.dtype == "s":
                self.made[node] = Steps(texts[0], steps)
                self._sources[node] = self._sources[texts[0]]
            else:
                self._values[node] = Steps(texts[0], steps)
            return node.dtype == "s" or node.dtype in VALUES
        return node.dtype == "s" and self._is_sum(node, outcome)

    def _is_sum(self, node: Node, outcome: Outcome) -> bool:
        pieces = pieces_of(outcome.pure)
        if pieces is None:
            return False
        parts: list[str | tuple[Node, Chain]] = []
        for piece in pieces:
            if isinstance(piece, str):
                if bytes_of(piece) is None:
                    return False
                parts.append(piece)
                continue
            steps = steps_of(piece.chain)
            if steps is None or (steps and not steps[-1].gives_texts):
                return False
            parts += self._spread(node.args[piece.spot], steps)
        self.made[node] = Sum(tuple(parts))
        self._sources[node] = frozenset().union(*(self._sources[arg] for arg in node.args))
        return True

    def _spread(self, node: Node, steps: tuple[Step, ...]) -> list[str | tuple[Node, Chain]]:
        """What a part of a sum is made of, where it puts constants around a text itself."""
        made = self.made[node]
        if isinstance(made, Steps):
            node, steps = made.of, made.steps + steps
        before, after = "", ""
        while steps and steps[-1].around is not None:
            before, after = steps[-1].around[0] + before, after + steps[-1].around[1]
            steps = steps[:-1]
        return [before, (node, steps), after]

    def _is_known(self, node: Node) -> bool:
        """Whether a kernel reads the texts in a way that needs no codes of their own."""
        if node.op == "select" and node.dtype == "s":
            return self._is_choice(node) or node in self._handed_on
        compared = self._compared(node)
        if compared is None:
            return False
        text, constant = compared
        self.compared[text][constant] = None
        return True

    def _compared(self, node: Node) -> tuple[Node, str] | None:
        """The text and the constant that a node compares."""
        if node.op not in EQUALITIES:
            return None
        texts = [arg for arg in node.args if arg in self._sources]
        constants = [arg for arg in node.args if _is_constant(arg)]
        if len(texts) != 1 or len(constants) != 1:
            return None
        return texts[0], cast("str", constants[0].attr)

    def _is_choice(self, node: Node) -> bool:
        """Whether what is chosen between, and by, is there before the kernel runs."""
        condition, *branches = node.args
        texts = [branch for branch in branches if branch in self._sources]
        if not all(branch in self._sources or _is_constant(branch) for branch in branches):
            return False
        if not self._is_told(condition):
            return False
        self.made[node] = Choice(condition, *branches)
        self._sources[node] = frozenset().union(*(self._sources[text] for text in texts))
        return True

    def _is_told(self, condition: Node) -> bool:
        """Whether a condition asks only where texts are None, and which constants they equal."""
        if condition.op in LOGIC:
            return all(map(self._is_told, condition.args))
        if condition.op == "has_kind":
            (kind,) = condition.args
            return kind.op == "kind" and kind.attr in self._fields
        return self._compared(condition) is not None

    def _refuse_long_ways(self) -> None:
        """Columns with many steps are the faster by code where their texts repeat."""
        counts: Counter[str] = Counter()
        made = [(self._sources[node], one) for node, one in self.made.items()]
        made += [(self._sources[one.of], one) for one in self._values.values()]
        for names, one in made:
            steps = len(one.steps) if isinstance(one, Steps) else 1
            counts.update(dict.fromkeys(names, steps))
        self.lost |= {name for name, steps in counts.items() if steps > MOST_STEPS}

    def rows(self) -> TextRows | None:
        """The stage with the leaves in place; None where there are no texts of the fields."""
        if not self._sources:
            return None
        stage = substitute(self._stage, self._replacement)
        made = {**self.made, **self._values}
        leaves = stage.inputs + stage.texts
        leaves = tuple(dict.fromkeys(leaf for leaf in leaves if leaf.op == "text"))
        constants = {cast("str", node.attr) for node in stage.strings}
        compared = {
            node: tuple(text for text in texts if text in constants)
            for node, texts in self.compared.items()
            if text_leaf(node, "fixed") in leaves
        }
        return TextRows(
            stage=stage,
            fields=self._fields,
            made=made,
            compared=compared,
            leaves=leaves,
            kernels=frozenset(_kernels(made.values(), compared)),
        )

    def _replacement(self, node: Node) -> Node | None:
        if node in self._values:
            return text_leaf(node, "value")
        if node in self.made:
            return text_leaf(node, "text")
        if node.op in EQUALITIES and any(arg in self._sources for arg in node.args):
            args = (text_leaf(a, "fixed") if a in self._sources else a for a in node.args)
            return rebuild(node, tuple(args))
        return None


def _is_constant(node: Node) -> bool:
    return node.op == "const" and bytes_of(node.attr) is not None


def text_leaf(node: Node, what: Literal["text", "fixed", "value"]) -> Node:
    """The leaf that stands for what is worked out of a node."""
    return intern("text", (), Reading(node, what), node.dtype)


def _kernels(made: Iterable[Made], compared: Mapping[Node, object]) -> Iterator[str]:
    if compared:
        yield from LOOKUP
    for one in made:
        if isinstance(one, Choice):
            yield from LOOKUP
            continue
        if isinstance(one, Steps):
            chains = [one.steps]
        elif isinstance(one, Sum):
            yield from ("join", "surround")
            chains = [piece[1] for piece in one.pieces if not isinstance(piece, str)]
        else:
            continue
        for chain in chains:
            for step in chain:
                yield from step.kernels
    yield "surround"  # which packs texts


def _handed_on(stage: Stage, nodes: Iterable[Node]) -> frozenset[Node]:
    """Selects of texts that become results, perhaps through other such selects."""
    read: set[Node] = {deviation.guard for deviation in stage.deviations}
    chosen: set[Node] = set()
    for node in reversed(list(nodes)):  # users come after what they use
        if node.op == "select" and node.dtype == "s" and node not in read:
            chosen.add(node)
            read.update(node.args[:1])
        else:
            read.update(node.args)
    return frozenset(chosen - read)
