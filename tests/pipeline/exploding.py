"""Row functions of flat_map: every container that one can loop over, and some that one cannot."""

from __future__ import annotations

from tests.fuzz.statements import indent
from tests.pipeline.functions import MIDWAY, Body, Give, Shape, Written, draw_row

CONTAINERS = (
    (5, "list", "[{0}, {1}]"),
    (3, "tuple", "({0}, {1})"),
    (2, "list of one", "[{0}]"),
    (2, "empty list", "[]"),
    (2, "dict view", '{{"p": {0}, "q": {1}}}.values()'),
    (1, "iterator", "iter([{0}, {1}])"),
    (1, "generator expression", "({0} for n in range(2))"),
    (1, "list comprehension", "[{0} for n in range(2)]"),
    (1, "None is no iterable", "None"),
    (1, "a number is no iterable", "7"),
)  # fmt: skip
OF_SCALARS = (
    (2, "range", "range(3)"),
    (2, "text", '"ab"'),
)  # fmt: skip
OF_RECORD = (
    (2, "values of the record", "r.values()"),
    (1, "keys of the record", "r"),
    (1, "items of the record", "r.items()"),
    (1, "keys view of the record", "r.keys()"),
)  # fmt: skip


def exploding(body: Body, name: str, shape: Shape) -> Written:
    """A function whose result is looped over."""
    item, after = _item(body, shape)
    if body.choices.chance(35):
        return Written(_generator(body, name, item), after, body.labels)
    if not after.is_dict and shape.is_dict and body.choices.chance(60):
        return _view(body, name)
    options = (*CONTAINERS, *(() if after.is_dict else OF_SCALARS))
    body.give = lambda body, depth: _container(body, depth, item, options)
    return Written(body.function(name), after, body.labels)


def _item(body: Body, shape: Shape) -> tuple[Give, Shape]:
    if shape.is_dict and body.choices.chance(20):
        body._count("flat_map to the record itself")
        return lambda body, depth: "r", shape
    if body.choices.chance(70):
        row = draw_row(body.choices, shape)
        return row, row.shape
    return Body._scalar, Shape(None)


def _container(body: Body, depth: int, item: Give, options: tuple) -> str:
    label, text = body.choices.weighted([(w, (label, text)) for w, label, text in options])
    body._count(f"flat_map: {label}")
    return text.format(item(body, depth - 1), item(body, depth - 1))


def _view(body: Body, name: str) -> Written:
    label, text = body.choices.weighted([(w, (label, text)) for w, label, text in OF_RECORD])
    body._count(f"flat_map: {label}")
    body.give = lambda body, depth: text
    return Written(body.function(name), Shape(None, certain=False), body.labels)


def _generator(body: Body, name: str, item: Give) -> str:
    body._count("flat_map: generator")
    body.give = lambda body, depth: ""  # a bare return ends it
    lines = [f"yield {item(body, 1)}"]
    if body.choices.chance(40):
        body._count("flat_map: generator that raises midway")
        lines += [f"if {body._condition()}:", f"    {MIDWAY}"]
    if body.choices.chance(60):
        lines += [f"if {body._condition()}:", *indent([f"yield {item(body, 1)}"])]
    if body.choices.chance(30):
        lines.append(f"yield from [{item(body, 1)}]")
    return body.function(name, lines)
