"""Random fields and the records that have them."""

from __future__ import annotations

import collections
import copy
import dataclasses
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import PurePosixPath
from random import Random
from typing import Any, Literal

from tests.fuzz.choices import Choices
from tests.fuzz.nested_values import KINDS, nested_value
from tests.fuzz.texts import FLAVOURS, Flavour, text_of

Form = Literal["dict", "dataclass", "namedtuple"]
Range = Literal["calm", "small", "wide", "huge"]

FORMS: tuple[tuple[int, Form], ...] = ((70, "dict"), (15, "dataclass"), (15, "namedtuple"))
NAMES = ("a", "b", "c", "d", "e", "g")
FIRST_WORD = "c"
ABSENT = object()

EDGES = tuple(
    sign * power + offset
    for power in (2**31, 2**53, 2**62, 2**63 - 1)
    for offset in (-1, 0, 1)
    for sign in (1, -1)
    if -(2**63) <= sign * power + offset < 2**63
)
BEYOND = (2**63, -(2**63) - 1, 2**64, 10**30, -(2**70))
FLOAT_EDGES = (
    0.0, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324, 1e308, -1e308, 1e20,
    2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63), 2.0**62, 0.5, 1.5, 2.5, -2.5, -0.5, 1e-9,
)  # fmt: skip
OTHERS = (
    Decimal("1.5"), b"x", date(2024, 2, 29), [1, 2], {"x": 1}, (1, "x"), PurePosixPath("x"),
    [PurePosixPath("x")],
)  # fmt: skip

NESTED_NAMES = {
    "nums": "ints", "tags": "strs", "items": "dicts", "info": "dict",
    "day": "date", "at": "datetime", "wait": "timedelta",
}  # fmt: skip
Grammar = Literal["core", "nested"]

MAIN_KINDS = ((4, "int"), (4, "float"), (1, "bool"), (3, "str"))
MIXED_WITH = ((3, "int"), (3, "float"), (2, "bool"), (2, "str"), (3, "other"))


@dataclasses.dataclass(frozen=True)
class FieldSpec:
    """A field: its kinds, the main one first, and how far its numbers reach."""

    name: str
    kinds: tuple[str, ...]
    reach: Range
    flavour: Flavour = "words"  # of its strings

    @property
    def main(self) -> str:
        return self.kinds[0]


def draw_nested_fields(choices: Choices, form: Form) -> tuple[FieldSpec, ...]:
    """Those of `draw_fields`, and fields of lists, of dicts and of dates."""
    nested = [_draw_nested_field(choices, *named) for named in NESTED_NAMES.items()]
    return (*draw_fields(choices, form)[:4], *nested)


def _draw_nested_field(choices: Choices, name: str, main: str) -> FieldSpec:
    kinds = [main]
    if choices.chance(30):
        kinds.append("none")
    if choices.chance(25):
        kinds.append(f"stray {main}")
    reach = choices.weighted(((6, "calm"), (2, "wide")))
    return FieldSpec(name, tuple(kinds), reach)


def draw_fields(choices: Choices, form: Form) -> tuple[FieldSpec, ...]:
    """Fields of at least one int, one float, one word and one text: every construct can occur."""
    extra = [choices.weighted(MAIN_KINDS) for _ in range(choices.below(3))]
    mains = ["int", "float", "str", "str", *extra]
    return tuple(
        _draw_field(choices, name, main, form) for name, main in zip(NAMES, mains, strict=False)
    )


def _draw_field(choices: Choices, name: str, main: str, form: Form) -> FieldSpec:
    kinds = [main]
    if choices.chance(35):
        kinds.append("none")
    if form == "dict" and choices.chance(20):
        kinds.append("absent")
    if choices.chance(12):
        kinds.append(choices.weighted(MIXED_WITH))
    reaches = ((4, "calm"), (3, "small"), (3, "wide"), (1, "huge"))
    reach = choices.weighted(reaches)
    flavour = choices.weighted(FLAVOURS) if main == "str" and name != FIRST_WORD else "words"
    return FieldSpec(name, tuple(dict.fromkeys(kinds)), reach, flavour)


def _int(random: Random, reach: Range) -> int:
    if reach == "small":
        return random.randrange(-3, 9)
    if reach == "calm" or random.random() < 0.4:
        return random.randrange(-200, 1000)
    if reach == "huge" and random.random() < 0.2:
        return random.choice(BEYOND)
    return random.choice(EDGES) if random.random() < 0.7 else random.randrange(-(2**63), 2**63)


def _float(random: Random, reach: Range) -> float:
    if reach == "small":
        return random.choice((0.0, 1.0, -1.0, 0.5, 2.5, -0.0, 3.0))
    if reach == "calm" or random.random() < 0.4:
        return round(random.uniform(-50, 500), random.choice((0, 2, 15)))
    return random.choice(FLOAT_EDGES)


def _value(random: Random, field: FieldSpec, kind: str) -> Any:
    match kind:
        case "int":
            return _int(random, field.reach)
        case "float":
            return _float(random, field.reach)
        case "bool":
            return random.random() < 0.5
        case "str":
            return text_of(random, field.flavour)
        case "none":
            return None
        case "absent":
            return ABSENT
        case _ if kind.removeprefix("stray ") in KINDS:
            return nested_value(random, kind, field.reach)
        case _:
            return random.choice(OTHERS)


def _kind(random: Random, field: FieldSpec) -> str:
    return field.main if random.random() < 0.75 else random.choice(field.kinds)


def rows_of(random: Random, fields: tuple[FieldSpec, ...], count: int) -> list[dict[str, Any]]:
    """Rows in which every kind of every field occurs: the schema is the same for each batch.

    A batch of another set of kinds would be another kernel, 0.4 to 2 seconds of compiling.
    """
    anchors = max(len(field.kinds) for field in fields)
    rows = [
        _row(random, fields, lambda field, n=n: field.kinds[n % len(field.kinds)])
        for n in range(anchors)
    ]
    rows += [
        _row(random, fields, lambda field: _kind(random, field)) for _ in range(count - anchors)
    ]
    random.shuffle(rows)
    return rows


def _row(random: Random, fields: tuple[FieldSpec, ...], kind_of: Any) -> dict[str, Any]:
    fields = fields if random.random() < 0.8 else tuple(random.sample(fields, len(fields)))
    values = {field.name: _value(random, field, kind_of(field)) for field in fields}
    return {name: value for name, value in values.items() if value is not ABSENT}


@cache
def _row_class(form: Form, names: tuple[str, ...]) -> type:
    if form == "dataclass":
        return dataclasses.make_dataclass("Row", names)
    return collections.namedtuple("Row", names)


def as_records(rows: list[dict[str, Any]], form: Form) -> list[Any]:
    """The rows as records of that form, which share no list and no dict."""
    own = [copy.deepcopy(row) for row in rows]
    if form == "dict":
        return own
    return [_row_class(form, tuple(sorted(row)))(**row) for row in own]
