"""Random modules with a row function `f`: statements, helpers, closures, arguments."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.choices import Choices
from tests.fuzz.examples import Via
from tests.fuzz.grammar import Expressions
from tests.fuzz.text_statements import TextStatements
from tests.fuzz.records import FORMS, FieldSpec, Form, draw_fields
from tests.fuzz.rules import MODULE, REBOUND


IMPORTS = ("hashlib", "json", "math", "re", "zlib")


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


class Statements(TextStatements):
    """Writes the body of a row function as lines."""

    def block(self, depth: int, size: int) -> list[str]:
        """Statements; names that they bind are known afterwards only where they must be."""
        return [line for _ in range(size) for line in self._statement(depth)]

    def _statement(self, depth: int) -> list[str]:
        kinds = [
            (6, self._assign),
            (3, self._augment),
            (2, self._unpack),
            (4, self._early_return),
            (1, self._raising),
            (3, self._branches),
            (1, self._walrus_if),
            (3, self._assign_text),
            (1, self._grow_text),
            (1, self._unpack_text),
            (1, self._parts),
            (1, self._match),
            (1, self._parsed),
        ]
        if depth > 0:
            kinds.append((2, self._nested))
        if self.returns == "record":
            kinds.append((6, self._write))
        return self.choices.weighted(kinds)(depth)

    def _bind(self) -> str:
        if self.names and self.choices.chance(25):
            return self.choices.pick(self.names)
        self.names.append(name := self.new_name())
        return name

    def _assign(self, depth: int) -> list[str]:
        value = self.write("num", 2 + self.choices.below(2))
        self._count("assignment")
        return [f"{self._bind()} = {value}"]

    def _augment(self, depth: int) -> list[str]:
        if not self.names:
            return self._assign(depth)
        op, value = self.choices.pick(
            (("+", "num"), ("-", "num"), ("*", "num"), ("//", "divisor"), ("%", "divisor"))
        )
        self._count("augmented assignment")
        return [f"{self.choices.pick(self.names)} {op}= {self._symbol(value, 2)}"]

    def _unpack(self, depth: int) -> list[str]:
        self._count("tuple unpacking")
        if len(self.names) > 1 and self.choices.chance(25):
            first, second = self.names[-2:]
            return [f"{first}, {second} = {second}, {first}"]
        values = self.choices.pick(("divmod({num}, {divisor})", "{num}, {num}", "({num}, {num})"))
        filled = self._fill(values, 2)
        return [f"{self._bind()}, {self._bind()} = {filled}"]

    def _early_return(self, depth: int) -> list[str]:
        self._count("early return")
        return [f"if {self._condition()}:", *_indent([self.return_line(1)])]

    def _raising(self, depth: int) -> list[str]:
        test, value = self._condition(), self.write("num", 1)
        if self.choices.chance(50):
            self._count("assert")
            return [f"assert {test}, {value}"]
        self._count("raise")
        return [f"if {test}:", f'    raise ValueError("bad", {value})']

    def _condition(self) -> str:
        if self.choices.chance(20):
            self._count("truthiness")
            return self.write("any", 1)
        return self.write("bool", 2)

    def _branches(self, depth: int) -> list[str]:
        self._count("if/elif/else")
        lines = [f"if {self._condition()}:", *_indent(self._inner(depth - 1))]
        name = self._known_after(lines)
        if self.choices.chance(50):
            lines += [f"elif {self._condition()}:", f"    {name} = {self.write('num', 2)}"]
        lines += ["else:", f"    {name} = {self.write('num', 2)}"]
        if name not in self.names:
            self.names.append(name)
        return lines

    def _known_after(self, lines: list[str]) -> str:
        name = self.choices.pick(self.names) if self.names and self.choices.chance(50) else ""
        name = name or self.new_name()
        lines.append(f"    {name} = {self.write('num', 2)}")
        return name

    def _inner(self, depth: int) -> list[str]:
        before = list(self.names), list(self.texts)
        lines = self.block(depth, self.choices.below(2))
        self.names, self.texts = before
        return lines

    def _nested(self, depth: int) -> list[str]:
        self._count("nested if")
        names, texts = list(self.names), list(self.texts)
        inner = self.block(depth - 1, 1 + self.choices.below(2))
        if len(self.names) > len(names) and self.choices.chance(8):
            self._count("name that may be unbound")
        else:
            self.names, self.texts = names, texts
        return [f"if {self._condition()}:", *_indent(inner)]

    def _walrus_if(self, depth: int) -> list[str]:
        self._count("walrus")
        name = self.new_name("w")
        value = self.write("num", 2)
        self.names.append(name)
        test = f"({name} := {value}) > {self.write('num', 0)}"
        return [f"if {test}:", *_indent([self.return_line(1)])]

    def _write(self, depth: int) -> list[str]:
        self._count("r[name] = value")
        name = self.choices.pick([*(f.name for f in self.fields), "new", "other"])
        return [f'r["{name}"] = {self.write("any", 2)}']

    # ------------------------------------------------------------------------------- results

    def return_line(self, depth: int) -> str:
        """A return of a value, of a dict, a tuple, None, or of the record."""
        if self.returns == "record" and self.choices.chance(85):
            self._count("return the record")
            return "return r"
        kinds = [
            (5, self._scalar),
            (2, self._tuple),
            (2, self._dict),
            (1, self._list),
            (1, self._none),
        ]
        if self.form == "dict" and self.fields and self.returns == "value":
            kinds.append((2, self._record))
        return f"return {self.choices.weighted(kinds)(depth)}"

    def _scalar(self, depth: int) -> str:
        symbol = self.choices.weighted(((5, "num"), (1, "bool"), (4, "str"), (1, "any")))
        self._count("return a scalar")
        return self.write(symbol, depth + 1)

    def _tuple(self, depth: int) -> str:
        self._count("return a tuple")
        return f"({self.write('num', depth)}, {self.write('any', depth)})"

    def _dict(self, depth: int) -> str:
        self._count("return a dict")
        keys = self.choices.pick((("x",), ("x", "y"), ("y", "x"), ("a", "x", "z")))
        items = ", ".join(f'"{key}": {self.write("any", depth)}' for key in keys)
        return f"{{{items}}}"

    def _list(self, depth: int) -> str:
        self._count("return a list")
        return self._fill(self.choices.pick(("[{num}, {any}]", "[{any}]", "[1, 2.5]", "[]")), depth)

    def _none(self, depth: int) -> str:
        self._count("return None")
        return "None"

    def _record(self, depth: int) -> str:
        label, value = self.choices.pick(
            (("{**r, ...}", '{{**r, "{key}": {any}}}'), ("dict(r)", "dict(r)"), ("return r", "r"))
        )
        self._count(label)
        return self._fill(value, depth)

    def built_dict(self) -> list[str]:
        """A dict that statements fill, some of them only on some rows and through another name."""
        self._count("dict built by statements")
        starts = ["dict(r)", "{{**r}}"] if self.form == "dict" and self.fields else []
        start = self._fill(self.choices.pick(['{{"x": {num}, "a": {num}, "y": 1}}', *starts]), 1)
        alias = self.choices.pick(("out", "out", "other"))
        lines = [f"out = {start}", *(["other = out"] if alias == "other" else [])]
        lines.append(f'{alias}["{self._key(0)}"] = {self.write("any", 2)}')
        lines.append(f"if {self._condition()}:")
        lines.append(f'    out["{self._key(0)}"] = {self.write("num", 1)}')
        if self.choices.chance(60):
            return [*lines, *self._joined_dicts()]
        return [*lines, 'out["last"] = 1', "return out"]

    def _joined_dicts(self) -> list[str]:
        """Two dicts of which a branch chooses one; a write through either name must be seen."""
        self._count("dicts joined by a branch")
        lines = ["chosen = out", f"if {self._condition()}:"]
        lines.append(f'    chosen = {{"k": {self.write("num", 1)}}}')
        written = self.choices.pick(("out", "chosen", "out"))
        result = self.choices.pick(("chosen", "out", '{"p": chosen}', "(out, chosen)"))
        return [*lines, f'{written}["last"] = 1', f"return {result}"]

    def _key(self, depth: int) -> str:
        return self.choices.pick(("new", "a", "x", "b", "other"))


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class _Helpers:
    """Plain functions of the module, and spellings of calls of them."""

    def __init__(self, body: Statements) -> None:
        self.body = body
        self.of_numbers: list[Any] = []  # those that a helper can call: it has no record

    def write(self, number: int) -> str:
        """Source of one helper; calls of it become an expression of the body."""
        kind = self.body.choices.weighted(
            ((4, self._of_numbers), (2, self._of_texts), (1, self._of_record))
        )
        return kind(f"h{number}")

    def _of_numbers(self, name: str) -> str:
        inner = Statements(self.body.choices, (), self.body.form, self.body.labels)
        inner.names = ["x", "y"]
        inner.helpers = list(self.of_numbers)
        lines = [f"def {name}(x, y=2, *, scale=0.5):", *_indent(_helper_body(inner))]
        spellings = (
            "{name}({num})", "{name}({num}, {num})", "{name}({num}, scale={num})",
            "{name}(y={num}, x={num})",
        )  # fmt: skip
        self.of_numbers.append(_spell(name, spellings))
        self.body.helpers.append(self.of_numbers[-1])
        return "\n".join(lines)

    def _of_texts(self, name: str) -> str:
        inner = Statements(self.body.choices, (), self.body.form, self.body.labels)
        inner.texts = ["s", "sep"]
        lines = [f'def {name}(s, sep=","):', *_indent(_text_helper_body(inner))]
        spellings = (
            "{name}({str})",
            "{name}({str}, {str})",
            "{name}({any})",
            "{name}(sep={sep}, s={str})",
        )
        self.body.text_helpers.append(_spell(name, spellings))
        return "\n".join(lines)

    def _of_record(self, name: str) -> str:
        inner = Statements(self.body.choices, self.body.fields, self.body.form, self.body.labels)
        lines = [f"def {name}(r):", *_indent(_helper_body(inner))]
        self.body.helpers.append(_spell(name, ("{name}(r)",)))
        return "\n".join(lines)


def _helper_body(inner: Statements) -> list[str]:
    if "x" in inner.names:
        inner.names.append("scale")
    lines: list[str] = []
    if inner.choices.chance(60):
        inner._count("early return in a helper")
        test = inner.write("bool", 1)
        lines += [f"if {test}:", f"    return {inner.write('num', 1)}"]
    if inner.choices.chance(40):
        lines += inner._assign(0)
    return [*lines, f"return {inner.write('num', 2)}"]


def _text_helper_body(inner: Statements) -> list[str]:
    lines: list[str] = []
    if inner.choices.chance(50):
        lines += [f"if {inner.write('bool', 1)}:", f"    return {inner.write('str', 1)}"]
    statement = inner.choices.pick((inner._grow_text, inner._parts, inner._unpack_text, None))
    lines += [] if statement is None else statement(0)
    return [*lines, f"return {inner.write('str', 2)}"]


def _spell(name: str, spellings: tuple[str, ...]) -> Any:
    def call(expressions: Expressions, depth: int) -> str:
        spelling = expressions.choices.pick(spellings).replace("{name}", name)
        return expressions._fill(spelling, min(depth, 1))

    return call


@st.composite
def cases(
    draw: Any, *, via: tuple[Via, ...] = ("list", "list", "list", "iterator", "arrow")
) -> Case:
    """Row functions with the records that they take."""
    choices = Choices(draw)
    form = choices.weighted(FORMS)
    fields = draw_fields(choices, form)
    body = Statements(choices, fields, form, Counter())
    return _case(body, choices.pick(via) if form == "dict" else "list")


def _case(body: Statements, via: Via) -> Case:
    choices = body.choices
    writer = _Helpers(body)
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
    return "\n".join([f"def f(r{parameters}):", *_indent(lines)])


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
