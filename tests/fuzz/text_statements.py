"""Statements of text work: locals that hold strings, unpacking, matches, parsed JSON."""

from __future__ import annotations

from tests.fuzz.grammar import Expressions


class TextStatements(Expressions):
    """Writes statements about strings as lines."""

    returns = "value"  # or record: writes into it and returns it; effect: writes into it only

    def _bind_text(self) -> str:
        if self.texts and self.choices.chance(25):
            return self.choices.pick(self.texts)
        return self._new_text()

    def _new_text(self) -> str:
        self.texts.append(name := self.new_name("t"))
        return name

    def _assign_text(self, depth: int) -> list[str]:
        self._count("text assignment")
        value = self.write("str", 2)
        return [f"{self._bind_text()} = {value}"]

    def _grow_text(self, depth: int) -> list[str]:
        """A text that grows on some rows."""
        self._count("text +=")
        name = self.choices.pick(self.texts) if self.texts else ""
        lines = [] if name else [f'{(name := self._new_text())} = ""']
        lines += [f"if {self.write('bool', 1)}:", f"    {name} += {self.write('str', 1)}"]
        return [*lines, f"{name} += {self.write('str', 1)}"]

    def _unpack_text(self, depth: int) -> list[str]:
        self._count("text unpacking")
        count, value = self.choices.pick(
            (
                (2, '{pair_text}.split("=", 1)'),
                (2, "{list_text}.split({sep})"),
                (3, "{pair_text}.partition({sep})"),
                (3, '{list_text}.split(",")'),
                (2, "{str}[:2]"),
                (2, "({str}, {str})"),
            )
        )
        filled = self._fill(value, 1)
        return [f"{', '.join(self._new_text() for _ in range(count))} = {filled}"]

    def _parts(self, depth: int) -> list[str]:
        """The item of a split where there is one."""
        self._count("parts of a split")
        parts, place = self.new_name("p"), self.choices.below(3)
        value = self._fill("{list_text}.split({sep})", 1)
        other = self.write("str", 1)
        test = self.choices.pick((f"len({parts}) > {place}", f"{parts}[{place}:]", parts))
        name = self._new_text()
        lines = [f"{parts} = {value}", f"if {test}:", f"    {name} = {parts}[{place}]"]
        return [*lines, "else:", f"    {name} = {other}"]

    def _match(self, depth: int) -> list[str]:
        self._count("match object")
        match = self.new_name("m")
        pattern = self.choices.pick(
            ("PAIR.search({})", "LETTERS.match({})", 're.search("(.)=(.)", {})')
        )
        lines = [f"{match} = {pattern.replace('{}', self._row_text(1))}"]
        if self.choices.chance(70):
            test = self.choices.pick((f"{match} is None", f"not {match}"))
            early = "r" if self.returns == "record" else self.write("any", 0)
            lines += [f"if {test}:", f"    return {early}"]
        group = self.choices.pick((".group(1)", "[2]", ".group()", '.group("k")', '.group("v")'))
        if self.choices.chance(25):
            first, second = self._new_text(), self._new_text()
            return [*lines, f"{first}, {second} = {match}.groups()"]
        if self.choices.chance(25):
            self.names.append(name := self.new_name())
            return [
                *lines,
                f"{name} = {match}.{self.choices.pick(('start()', 'end(1)', 'span()[1]'))}",
            ]
        return [*lines, f"{self._new_text()} = {match}{group}"]

    def _parsed(self, depth: int) -> list[str]:
        self._count("parsed JSON")
        parsed = self.new_name("j")
        lines = [f"{parsed} = json.loads({self._symbol('json_text', 0)})"]
        item = self.choices.pick(('["a"]', '.get("a")', '.get("b", 0)', '["a"]["b"]'))
        self.names.append(name := self.new_name())
        return [*lines, f"{name} = {parsed}{item}"]
