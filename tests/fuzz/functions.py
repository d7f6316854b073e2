"""Random modules with a row function `f`: statements, helpers, closures, arguments."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.callables import Helpers
from tests.fuzz.choices import Choices
from tests.fuzz.examples import Via
from tests.fuzz.nested_statements import NestedStatements
from tests.fuzz.records import (
    FORMS,
    FieldSpec,
    Form,
    Grammar,
    draw_fields,
    draw_nested_fields,
)
from tests.fuzz.rules import MODULE, REBOUND
from tests.fuzz.statements import Statements, indent

IMPORTS = ("contextlib", "datetime", "hashlib", "json", "math", "re", "zlib")


@dataclass(frozen=True)
class Case:
    """A random row function, the fields of its records, and how it is called."""

    source: str
    fields: tuple[FieldSpec, ...]
    form: Form
    seed: int  # of the rows
    via: Via
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    rebind: dict[str, Any] = field(default_factory=dict)
    effect: bool = False
    labels: Counter[str] = field(default_factory=Counter, repr=False)


@st.composite
def cases(
    draw: Any,
    *,
    grammar: Grammar = "core",
    via: tuple[Via, ...] = ("list", "list", "list", "iterator", "arrow"),
) -> Case:
    """Row functions with the records that they take."""
    choices = Choices(draw)
    form = choices.weighted(FORMS)
    if grammar == "core":
        body = Statements(choices, draw_fields(choices, form), form, Counter())
    else:
        fields = draw_nested_fields(choices, form)
        body = NestedStatements(choices, fields, form, Counter())
    return _case(body, choices.pick(via) if form == "dict" else "list")


def _case(body: Statements, via: Via) -> Case:
    choices = body.choices
    writer = Helpers(body)
    helpers = {f"h{n}": writer.write(n) for n in range(choices.below(3))}
    closes = choices.chance(20)
    arguments, keywords, parameters = _parameters(body)
    if closes:
        body.constants = (*body.constants, "closed", "closed")
    function = _function(body, parameters)
    if closes:
        function = _closure(body, function)
    rebind = _rebind(body)
    return Case(
        source=_module(helpers, function, rebind),
        fields=body.fields,
        form=body.form,
        seed=choices.seed(),
        via=via,
        arguments=arguments,
        keywords=keywords,
        rebind=rebind,
        effect=body.returns == "effect",
        labels=body.labels,
    )


def _module(helpers: dict[str, str], function: str, rebind: dict[str, Any]) -> str:
    """The function with the helpers and constants that it needs, and no others."""
    parts = [function]
    for name, helper in reversed(helpers.items()):
        if any(f"{name}(" in part for part in parts):
            parts.insert(0, helper)
    text = "\n\n\n".join(parts)
    used = [
        line
        for line in MODULE.splitlines()
        if (name := line.split()[0]) in rebind or re.search(rf"\b{name}\b", text)
    ]
    constants = "".join(f"{line}\n" for line in used)
    code = f"{constants}\n\n{text}\n"
    imports = (f"import {name}\n" for name in IMPORTS if re.search(rf"\b{name}\.", code))
    return f"{''.join(imports)}\n{code}"


def _parameters(body: Statements) -> tuple[tuple[Any, ...], dict[str, Any], str]:
    if not body.choices.chance(20):
        return (), {}, ""
    body._count("call arguments")
    body.constants = (*body.constants, "extra", "option")
    extra = body.choices.pick((3, 0.5, -7, None, 2**53 + 1, True))
    keywords = body.choices.pick(({}, {"option": 4}, {"option": 1.5}))
    return (extra,), keywords, ", extra, *, option=2"


def _function(body: Statements, parameters: str) -> str:
    shapes = [(80, "value"), (12, "lambda")]
    if body.form == "dict":
        shapes += [(18, "record"), (1, "effect")]
    shape = body.choices.weighted(shapes)
    if shape == "lambda":
        body._count("lambda")
        symbol = body.choices.pick(("num", "str"))
        return f"f = lambda r{parameters}: {body.write(symbol, 3)}"
    body.returns = shape
    lines = body.block(2, 1 + body.choices.below(4))
    if shape == "record":
        lines += [*body._write(0), "return r"]
    elif shape == "effect":
        lines += [*body._write(0), f"return {body.write('num', 2)}"]
    elif body.choices.chance(14):
        lines += body.built_dict()
    elif not body.choices.chance(8):  # else the function falls off its end
        lines.append(body.return_line(1))
    return "\n".join([f"def f(r{parameters}):", *indent(lines)])


def _closure(body: Statements, function: str) -> str:
    body._count("closure")
    value = body.choices.pick(("3", "0.5", "-2", "None", "True"))
    inner = textwrap.indent(function, "    ")
    return f"def make(closed):\n{inner}\n    return f\n\n\nf = make({value})"


def _rebind(body: Statements) -> dict[str, Any]:
    if not body.choices.chance(30):
        return {}
    body._count("changed global")
    name = body.choices.pick(tuple(REBOUND))
    return {name: body.choices.pick(REBOUND[name])}
