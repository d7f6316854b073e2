"""Random row functions as source text: expressions by the rules, then statements around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from tests.fuzz.choices import Choices
from tests.fuzz.records import FieldSpec, Form
from tests.fuzz.rules import BRANCHES, CONSTANTS, LEAVES, OPTIONS
from tests.fuzz.texts import DOCUMENTS, Flavour

SYMBOL = re.compile(r"\{\{|\}\}|\{(\w+)\}")


class Expressions:
    """Writes expressions over a record, local names and helpers; counts the constructs used."""

    branches = BRANCHES
    leaves = LEAVES
    options = OPTIONS

    def __init__(
        self, choices: Choices, fields: tuple[FieldSpec, ...], form: Form, labels: Counter[str]
    ) -> None:
        self.choices = choices
        self.fields = fields
        self.form = form
        self.labels = labels
        self.names: list[str] = []  # locals that hold numbers
        self.texts: list[str] = []  # locals that hold strings
        self.constants: tuple[str, ...] = CONSTANTS
        self.helpers: list[Callable[[Expressions, int], str]] = []
        self.text_helpers: list[Callable[[Expressions, int], str]] = []
        self.fresh = 0

    def new_name(self, stem: str = "v") -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def write(self, symbol: str, depth: int) -> str:
        """An expression of that symbol: num, int, bool, str or any."""
        return self._fill(self._template(symbol, depth), depth - 1)

    def _template(self, symbol: str, depth: int) -> str:
        branch = depth > 0 and self.choices.chance(90)  # shrinks to a leaf
        rules = self.choices.weighted(self.branches[symbol]) if branch else self.leaves[symbol]
        label, template = self.choices.weighted(
            [(weight, (label, template)) for weight, label, template in rules]
        )
        self._count(label)
        return template

    def _count(self, label: str) -> None:
        if label:
            self.labels[label] += 1

    def _fill(self, template: str, depth: int) -> str:
        return SYMBOL.sub(
            lambda found: self._symbol(found[1], depth) if found[1] else found[0][0], template
        )

    def _symbol(self, symbol: str, depth: int) -> str:
        if symbol in self.leaves:
            return self.write(symbol, depth)
        if symbol in self.options:
            return self._fill(self.choices.pick(self.options[symbol]), depth - 1)
        return getattr(self, f"_{symbol}")(depth)

    # ------------------------------------------------------------------------------- fields

    def _field_of(self, *mains: str) -> FieldSpec | None:
        found = [field for field in self.fields if field.main in mains]
        return self.choices.pick(found) if found else None

    def _number_field(self, depth: int) -> str:
        return self._guarded(self._field_of("int", "float", "bool"), "number")

    def _int_field(self, depth: int) -> str:
        return self._guarded(self._field_of("int", "bool"), "whole")

    def _word_field(self, depth: int) -> str:
        return self._guarded(self._field_of("str"), "word")

    def _key_word(self, depth: int) -> str:
        """A string that is a key of the tables, on most rows."""
        words = [f for f in self.fields if f.main == "str" and f.flavour == "words"]
        if not words or self.choices.chance(20):
            return self.write("str", depth)
        return self._guarded(self.choices.pick(words), "word")

    def _text_name(self, depth: int) -> str:
        if not self.texts:
            return self._word_field(depth)
        self._count("text local")
        return self.choices.pick(self.texts)

    def _row_text(self, depth: int) -> str:
        """A string that is no constant."""
        text = self._text_name(depth)
        return self.choices.pick((text, f"{text}.strip()", f"({text} + {text})"))

    def _plain(self, depth: int) -> str:
        """What may stand inside an f-string."""
        return self.choices.weighted(
            ((3, self._any_field), (1, self._number_name), (2, self._text_name))
        )(depth)

    def _of_flavour(self, flavours: tuple[Flavour, ...], depth: int) -> str:
        fields = [f for f in self.fields if f.main == "str" and f.flavour in flavours]
        if not fields or self.choices.chance(20):
            return self._row_text(depth)
        return self._guarded(self.choices.pick(fields), flavours[0])

    def _list_text(self, depth: int) -> str:
        return self._of_flavour(("lists", "pairs", "dates"), depth)

    def _pair_text(self, depth: int) -> str:
        return self._of_flavour(("pairs", "lists"), depth)

    def _number_text(self, depth: int) -> str:
        return self._of_flavour(("numbers",), depth)

    def _json_text(self, depth: int) -> str:
        if self.choices.chance(70) and any(f.flavour == "json" for f in self.fields):
            return self._of_flavour(("json",), min(depth, 0))
        shape = self.choices.pick(DOCUMENTS)
        return f"({shape!r} % ({self._any_field(min(depth, 0))},))"

    def _match_group(self, depth: int) -> str:
        name = self.new_name("m")
        text = self._row_text(depth)
        group = self.choices.pick(OPTIONS["group"])
        other = self.write("str", depth)
        return f"({name}.group({group}) if ({name} := PAIR.search({text})) else {other})"

    def _any_field(self, depth: int) -> str:
        field = self._field_of("int", "float", "bool", "str")
        if field:
            return self.read(field)
        return self._text_name(depth) if self.texts else self._number_name(depth)

    def _small(self, depth: int) -> str:
        fields = [f for f in self.fields if f.main == "int" and f.reach == "small"]
        return self.read(self.choices.pick(fields)) if fields else "2"

    def _guarded(self, field: FieldSpec | None, otherwise: str) -> str:
        if field is None:
            return self.choices.pick(self.options[otherwise])
        if "none" not in field.kinds or self.choices.chance(40):
            return self.read(field)
        default = self.choices.pick(self.options[otherwise][:3])
        self._count(guard := self.choices.pick(("or value", "is not None")))
        value = self.read(field)
        if guard == "or value":
            return f"({value} or {default})"
        return f"({value} if {value} is not None else {default})"

    def read(self, field: FieldSpec) -> str:
        """The field of the record, mostly with a default where it may be absent."""
        if self.choices.chance(1):
            self._count("field that no record has")
            return 'r["nothing"]' if self.form == "dict" else "r.nothing"
        if self.form != "dict":
            self._count("r.name")
            return f"r.{field.name}"
        if "absent" in field.kinds and not self.choices.chance(30):
            return self._with_default(field)
        if self.choices.chance(8):
            self._count("r.get(name)")
            return f'r.get("{field.name}")'
        self._count("r[name]")
        return f'r["{field.name}"]'

    def _with_default(self, field: FieldSpec) -> str:
        default = self.choices.pick(OPTIONS["word" if field.main == "str" else "number"][:4])
        if self.choices.chance(25):
            self._count("key in record")
            return f'(r["{field.name}"] if "{field.name}" in r else {default})'
        self._count("r.get(name, default)")
        return f'r.get("{field.name}", {default})'

    def _key_test(self, depth: int) -> str:
        if self.form != "dict" or not self.fields:
            return self._flag_test(depth)
        name = self.choices.pick([*(field.name for field in self.fields), "nothing"])
        return f'("{name}" {self.choices.pick(("in", "not in"))} r)'

    # -------------------------------------------------------------- names, tables and helpers

    def _number_name(self, depth: int) -> str:
        if not self.names:
            return self._number_field(depth)
        self._count("local")
        return self.choices.pick(self.names)

    def _maybe(self, depth: int) -> str:
        # No literal: CPython warns of `1 is None` when it compiles the module.
        named = self.names and self.choices.chance(40)
        return self.choices.pick(self.names) if named else self._any_field(depth)

    def _constant(self, depth: int) -> str:
        self._count("global or closure")
        return self.choices.pick(self.constants)

    def _flag_test(self, depth: int) -> str:
        self._count("<")
        return f"({self._number_name(depth)} < {self.choices.pick(OPTIONS['number'])})"

    def _table_item(self, depth: int) -> str:
        if self.choices.chance(40):
            return f"LEVELS[{self.write('int', 0)}{self.choices.pick((' & 1', ''))}]"
        return f"PRICES[{self._key_word(0)}]"

    def _table_get(self, depth: int) -> str:
        if self.choices.chance(40):
            return f"LEVELS.get({self.write('num', 0)}, 0)"
        default = self.choices.pick((", 0", ", 1.5", "", ", None"))
        return f"PRICES.get({self._key_word(depth - 1)}{default})"

    def _word_item(self, depth: int) -> str:
        return f"NAMES[{self._key_word(0)}]"

    def _word_get(self, depth: int) -> str:
        default = self.choices.pick((', "none"', ', ""', "", f", {self.write('str', 0)}"))
        return f"NAMES.get({self._key_word(0)}{default})"

    def _helper(self, depth: int) -> str:
        if not self.helpers:
            return self.write("num", depth)
        return self.choices.pick(self.helpers)(self, depth)

    def _text_helper(self, depth: int) -> str:
        if not self.text_helpers:
            return self.write("str", depth)
        self._count("text helper")
        return self.choices.pick(self.text_helpers)(self, depth)

    def _walrus(self, depth: int) -> str:
        name = self.new_name("w")
        value = self.write("num", depth)
        test = self.choices.pick((f"({name} := {value}) > 2", f"({name} := {value}) is not None"))
        return f"({name} * 2 if {test} else {self.write('num', depth)})"
