"""Random chains: steps whose functions fit what the steps before them pass on."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.choices import Choices
from tests.fuzz.functions import IMPORTS
from tests.fuzz.records import FieldSpec, draw_fields
from tests.fuzz.rules import MODULE
from tests.pipeline import functions
from tests.pipeline.columns import draw_expression
from tests.pipeline.example import FUNCTION_KINDS, KINDS, LOOP, Kind, Step
from tests.pipeline.functions import Shape, Written

WEIGHTS: dict[Kind, int] = {"map": 4, "with_columns": 4}  # of the others: 3
DEFAULT_WEIGHT = 3
MOST_FLAT_MAPS = 3
COLUMNS = ("ratio", "a", "band", "b", "flag")
RENAMED = ("p", "q", "a", "x", "old")
FUNCTIONS: dict[Kind, Callable[[Choices, str, Shape], Written]] = {
    "filter": functions.filter_function,
    "map": functions.map_function,
    "filter_map": functions.filter_map_function,
    "flat_map": functions.flat_map_function,
}


@dataclass
class Chain:
    """A random chain, the fields of its records, and what it is made of."""

    fields: tuple[FieldSpec, ...]
    plain: bool  # columns of one kind, which every container of columns can hold
    shape: Shape  # of what comes out
    seed: int = 0  # of the rows
    steps: list[Step] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, kind: Kind, given: Any, shape: Shape) -> None:
        self.steps.append(Step(kind, given))
        self.shape = shape

    def write(self, name: str, written: Written) -> None:
        self.sources.append(written.source)
        self.labels.update(written.labels)
        self.copies += [name] if written.copies else []
        self.effects += [name] if written.effect else []

    @property
    def source(self) -> str:
        """The module, with the constants that it needs."""
        text = "\n\n\n".join(self.sources)
        used = [line for line in MODULE.splitlines() if re.search(rf"\b{line.split()[0]}\b", text)]
        code = "\n".join([*used, text])
        imports = [f"import {name}" for name in IMPORTS if re.search(rf"\b{name}\.", code)]
        imports += ["import batchprep as bp"] if "bp." in text else []
        imports += ["LOG = []"] if "LOG." in text else []
        return "\n".join(["", *imports, *used, *([""] if imports or used else []), text, ""])


def draw_chain(choices: Choices, most_steps: int = 6) -> Chain:
    """A chain of 1 to 6 steps over random fields."""
    count = choices.weighted([(1 + (n > 1), n + 1) for n in range(most_steps)])
    plain = choices.chance(60)
    fields = draw_fields(choices, "dict")
    fields = tuple(map(_plain, fields)) if plain else fields
    chain = Chain(fields, plain, Shape(fields))
    logged = choices.chance(10)
    for number in range(count):
        kind = _kind(choices, chain)
        if kind in FUNCTION_KINDS:
            _add_function(choices, chain, kind, f"f{number}", logged=logged)
        else:
            _COLUMN_STEPS[kind](choices, chain, number)
    chain.seed = choices.seed()
    return chain


def _plain(spec: FieldSpec) -> FieldSpec:
    kinds = tuple(kind for kind in spec.kinds if kind in {spec.main, "none"})
    return dataclasses.replace(spec, kinds=kinds, reach=spec.reach.replace("huge", "wide"))


def _kind(choices: Choices, chain: Chain) -> Kind:
    kinds = KINDS if chain.shape.is_dict and chain.shape.fields else FUNCTION_KINDS
    flat_maps = sum(step.kind == "flat_map" for step in chain.steps)
    return choices.weighted([
        (WEIGHTS.get(kind, DEFAULT_WEIGHT), kind)
        for kind in kinds
        if kind != "flat_map" or flat_maps < MOST_FLAT_MAPS
    ])  # fmt: skip


def _add_function(choices: Choices, chain: Chain, kind: Kind, name: str, *, logged: bool) -> None:
    written = FUNCTIONS[kind](choices, name, chain.shape)
    if logged and choices.chance(50):
        written = _logging(written, name)
    chain.write(name, written)
    chain.add(kind, name, written.shape)


def _logging(written: Written, name: str) -> Written:
    """The same function, which writes down each value that it is called with."""
    head = re.search(rf"^def {name}\((\w)\):\n", written.source, re.MULTILINE)
    if head is None:
        return written
    line = f'    LOG.append(("{name}", repr({head[1]})))\n'
    source = written.source[: head.end()] + line + written.source[head.end() :]
    labels = written.labels + Counter({"logs what it sees": 1})
    return dataclasses.replace(written, source=source, labels=labels)


# ------------------------------------------------------------------------------ steps of columns


def _with_columns(choices: Choices, chain: Chain, number: int) -> None:
    shape, named = chain.shape, {}
    start, fields = choices.below(len(COLUMNS)), {f.name: f for f in shape.fields or ()}
    for offset in range(1 + choices.below(3)):
        column, name = COLUMNS[(start + offset) % len(COLUMNS)], f"c{number}_{offset}"
        expression = draw_expression(choices, shape, chain.fields) if choices.chance(35) else None
        if expression is None:
            chain.write(name, functions.column_function(choices, name, shape))
            fields[column] = FieldSpec(column, ("float", "none"), "calm")
        else:
            text, loop, kinds, label = expression
            chain.sources.append(f"{name} = {text}\n{name}{LOOP} = lambda r: {loop}")
            chain.labels[label] += 1
            fields[column] = FieldSpec(column, kinds, "calm")
        named[column] = name
    chain.add("with_columns", named, Shape(tuple(fields.values())))


def _some(choices: Choices, names: tuple[str, ...], most: int) -> tuple[str, ...]:
    start, count = choices.below(len(names)), 1 + choices.below(most)
    return tuple((names * 2)[start : start + count])


def _select(choices: Choices, chain: Chain, number: int) -> None:
    names = chain.shape.names()
    kept = _some(choices, names, len(names))
    fields = {f.name: f for f in chain.shape.fields or ()}
    chain.add("select", kept, Shape(tuple(fields[name] for name in kept)))


def _drop(choices: Choices, chain: Chain, number: int) -> None:
    names = chain.shape.names()
    dropped = _some(choices, names, max(1, len(names) - 1))
    rest = tuple(f for f in chain.shape.fields or () if f.name not in dropped)
    chain.add("drop", dropped, Shape(rest))


def _rename(choices: Choices, chain: Chain, number: int) -> None:
    names = chain.shape.names()
    old = _some(choices, names, min(2, len(names)))
    if len(old) == 2 and choices.chance(20):
        chain.labels["rename: swap"] += 1
        new = {old[0]: old[1], old[1]: old[0]}
    else:
        free = [name for name in RENAMED if name not in names]
        new = dict(zip(old, free, strict=False))
    fields = (dataclasses.replace(f, name=new.get(f.name, f.name)) for f in chain.shape.fields)
    chain.add("rename", new, Shape(tuple(fields)))


_COLUMN_STEPS: dict[Kind, Callable[[Choices, Chain, int], None]] = {
    "with_columns": _with_columns,
    "select": _select,
    "drop": _drop,
    "rename": _rename,
}
