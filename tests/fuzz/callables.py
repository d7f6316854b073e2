"""Plain functions of a random module, and spellings of calls of them."""

from __future__ import annotations

from typing import Any

from tests.fuzz.grammar import Expressions
from tests.fuzz.statements import Statements, indent


class Helpers:
    """Plain functions of the module, and spellings of calls of them."""

    def __init__(self, body: Statements) -> None:
        self.body = body
        self.of_numbers: list[Any] = []  # those that a helper can call: it has no record

    def write(self, number: int) -> str:
        """Source of one helper; calls of it become an expression of the body."""
        kind = self.body.choices.weighted(
            ((4, self._of_numbers), (4, self._of_texts), (1, self._of_record))
        )
        return kind(f"h{number}")

    def _of_numbers(self, name: str) -> str:
        inner = Statements(self.body.choices, (), self.body.form, self.body.labels)
        inner.names = ["x", "y"]
        inner.helpers = list(self.of_numbers)
        lines = [f"def {name}(x, y=2, *, scale=0.5):", *indent(_helper_body(inner))]
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
        lines = [f'def {name}(s, sep=","):', *indent(_text_helper_body(inner))]
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
        lines = [f"def {name}(r):", *indent(_helper_body(inner))]
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
