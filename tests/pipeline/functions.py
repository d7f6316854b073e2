"""The row functions of the steps: statements of the fuzzer, and results of a wanted shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fuzz.callables import Helpers
from tests.fuzz.choices import Choices
from tests.fuzz.records import FieldSpec
from tests.fuzz.statements import Statements, indent

MAIN = {"num": "float", "int": "int", "str": "str", "bool": "bool", "any": "float"}
KEYS = ("a", "x", "b", "y", "c", "new")
MIDWAY = 'raise ValueError("midway")'


@dataclass(frozen=True)
class Shape:
    """What values a step passes on: dicts with these fields, else scalars or a mix."""

    fields: tuple[FieldSpec, ...] | None
    certain: bool = True  # always a dict, or never one

    @property
    def is_dict(self) -> bool:
        return self.fields is not None

    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields or ())


@dataclass(frozen=True)
class Written:
    """A row function's source, and what its results are."""

    source: str
    shape: Shape
    labels: Counter[str]
    copies: bool = False
    effect: bool = False


Give = Callable[["Body", int], str]


class Body(Statements):
    """Writes a row function whose results are of one shape."""

    def __init__(self, choices: Choices, shape: Shape, labels: Counter[str]) -> None:
        super().__init__(choices, shape.fields or (), "dict", labels)
        self.parameter = "r" if shape.is_dict else "x"
        self.names = [] if shape.is_dict else ["x"]
        self.give: Give = Body._scalar

    def return_line(self, depth: int) -> str:
        return f"return {self.give(self, depth)}".rstrip()

    def function(self, name: str, end: list[str] | None = None) -> str:
        """The whole function; `end` are its last lines where no return gives the result."""
        size = self.choices.weighted(((6, 0), (3, 1), (1, 2)))
        depth = self.choices.weighted(((3, 1), (2, 2)))  # of deep ones most rows fail
        helper = [self._helper_source(name)] if self.choices.chance(10) else []
        if end is None and size == 0 and not helper and self.choices.chance(40):
            self._count("lambda")
            return f"{name} = lambda {self.parameter}: {self.give(self, depth)}"
        lines = self.block(1, size)
        lines += [self.return_line(depth)] if end is None else end
        text = "\n".join([f"def {name}({self.parameter}):", *indent(lines)])
        return "\n\n\n".join([*helper, text])

    def _helper_source(self, name: str) -> str:
        """A plain function of the module, which expressions call from now on."""
        writer = Helpers(self)
        return writer.write(name) if self.fields else writer._of_numbers(f"h{name}")

    def _maybe(self, depth: int) -> str:
        # No literal: CPython warns of `7 is None` when it compiles the module.
        text = super()._maybe(depth)
        return text if text in self.names or "r" in text else self.parameter

    # ------------------------------------------------------------------------------- results

    def test(self, depth: int) -> str:
        """What a filter returns: anything has a truth."""
        symbol = self.choices.weighted(((6, "bool"), (2, "num"), (1, "any"), (1, "str")))
        return self.write(symbol, depth)

    def maybe(self, give: Give, depth: int) -> str:
        if self.choices.chance(30):
            self._count("None of a filter_map")
            return "None"
        return give(self, depth)

    def value(self, depth: int) -> str:
        """A value of a column."""
        symbol = self.choices.weighted(
            ((4, "num"), (1, "int"), (1, "bool"), (1, "str"), (1, "any"))
        )
        return self.write(symbol, depth)

    def anything(self, depth: int) -> str:
        return super().return_line(depth).removeprefix("return ")


@dataclass(frozen=True)
class Row:
    """How a function spells the dict that it returns."""

    symbols: dict[str, str]  # by key
    spread: bool
    shape: Shape

    def __call__(self, body: Body, depth: int) -> str:
        body._count("{**r, ...}" if self.spread else "return a dict")
        items = [f'"{key}": {body.write(s, depth)}' for key, s in self.symbols.items()]
        return "{" + ", ".join((["**r"] if self.spread else []) + items) + "}"


def draw_row(choices: Choices, shape: Shape) -> Row:
    """Some keys, on top of those of the record or alone."""
    spread = shape.is_dict and choices.chance(35)
    count = 1 + choices.below(3)
    start = choices.below(len(KEYS))
    keys = [KEYS[(start + n) % len(KEYS)] for n in range(count)]
    picks = ((4, "num"), (2, "int"), (2, "str"), (1, "bool"), (1, "any"))
    symbols = {key: choices.weighted(picks) for key in keys}
    base = shape.fields or () if spread else ()
    return Row(symbols, spread, Shape(widened(base, symbols)))


def widened(fields: tuple[FieldSpec, ...], symbols: dict[str, str]) -> tuple[FieldSpec, ...]:
    """The fields with those that are written on top, in the order that a dict has."""
    found = {field.name: field for field in fields}
    for key, symbol in symbols.items():
        kinds = (MAIN[symbol], "none") if symbol == "any" else (MAIN[symbol],)
        found[key] = FieldSpec(key, kinds, "calm")
    return tuple(found.values())


# --------------------------------------------------------------------------- functions of each step


def filter_function(choices: Choices, name: str, shape: Shape) -> Written:
    body = Body(choices, shape, Counter())
    body.give = Body.test
    if shape.is_dict and choices.chance(4):
        return _effect(body, name, shape)
    return Written(body.function(name), shape, body.labels)


def _effect(body: Body, name: str, shape: Shape) -> Written:
    """A function that lives by its side effect on the record."""
    body._count("writes into the record, returns something else")
    key = body.choices.pick(("new", *shape.names()))
    end = [f'r["{key}"] = {body.write("num", 1)}', f"return {body.give(body, 1)}"]
    after = Shape(widened(shape.fields or (), {key: "num"}))
    return Written(body.function(name, end), after, body.labels, effect=True)


def map_function(choices: Choices, name: str, shape: Shape) -> Written:
    body = Body(choices, shape, Counter())
    kinds: list[tuple[int, Any]] = [(8, _row_map), (3, _scalar_map), (1, _any_map)]
    if shape.is_dict:
        kinds += [(3, _written_record), (1, _identity), (2, _built)]
    return choices.weighted(kinds)(body, name, shape)


def _row_map(body: Body, name: str, shape: Shape) -> Written:
    row = draw_row(body.choices, shape)
    body.give = row
    return Written(body.function(name), row.shape, body.labels)


def _scalar_map(body: Body, name: str, shape: Shape) -> Written:
    body._count("map to a scalar")
    return Written(body.function(name), Shape(None), body.labels)


def _any_map(body: Body, name: str, shape: Shape) -> Written:
    body._count("map to anything")
    body.give = Body.anything
    return Written(body.function(name), Shape(None, certain=False), body.labels)


def _written_record(body: Body, name: str, shape: Shape) -> Written:
    body._count("writes into the record and returns it")
    body.give = lambda body, depth: "r"
    key = body.choices.pick(("new", "x", *shape.names()))
    end = [f'r["{key}"] = {body.write("num", 2)}', "return r"]
    after = Shape(widened(shape.fields or (), {key: "num"}))
    return Written(body.function(name, end), _maybe_absent(after, key), body.labels, copies=True)


def _maybe_absent(shape: Shape, key: str) -> Shape:
    """An early return leaves the key out."""
    return Shape(tuple(
        FieldSpec(f.name, (*f.kinds, "absent"), f.reach) if f.name == key else f
        for f in shape.fields or ()
    ))  # fmt: skip


def _identity(body: Body, name: str, shape: Shape) -> Written:
    body._count("return the record")
    body.give = lambda body, depth: body.choices.pick(("r", "dict(r)", "r"))
    return Written(body.function(name), shape, body.labels)


def _built(body: Body, name: str, shape: Shape) -> Written:
    body._count("dict built by statements")
    body.give = lambda body, depth: "dict(r)"
    key = body.choices.pick(("last", "b", *shape.names()))
    end = [
        "out = dict(r)",
        f"if {body._condition()}:",
        f'    out["{key}"] = {body.write("num", 1)}',
        "return out",
    ]
    after = Shape(widened(shape.fields or (), {key: "num"}))
    return Written(body.function(name, end), _maybe_absent(after, key), body.labels)


def filter_map_function(choices: Choices, name: str, shape: Shape) -> Written:
    body = Body(choices, shape, Counter())
    row = draw_row(choices, shape) if choices.chance(70) else None
    give = row or Body._scalar
    if shape.is_dict and choices.chance(15):
        row, give = Row({}, spread=False, shape=shape), lambda body, depth: "r"
    body.give = lambda body, depth: body.maybe(give, depth)
    return Written(body.function(name), row.shape if row else Shape(None), body.labels)


def flat_map_function(choices: Choices, name: str, shape: Shape) -> Written:
    from tests.pipeline.exploding import exploding

    return exploding(Body(choices, shape, Counter()), name, shape)


def column_function(choices: Choices, name: str, shape: Shape) -> Written:
    body = Body(choices, shape, Counter())
    body.give = Body.value if choices.chance(90) else Body.anything
    return Written(body.function(name), shape, body.labels)
