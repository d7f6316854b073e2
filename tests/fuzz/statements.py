"""The body of a random row function: statements and what it returns."""

from __future__ import annotations

from tests.fuzz.text_statements import TextStatements


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
        return [f"if {self._condition()}:", *indent([self.return_line(1)])]

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
        lines = [f"if {self._condition()}:", *indent(self._inner(depth - 1))]
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
        return [f"if {self._condition()}:", *indent(inner)]

    def _walrus_if(self, depth: int) -> list[str]:
        self._count("walrus")
        name = self.new_name("w")
        value = self.write("num", 2)
        self.names.append(name)
        test = f"({name} := {value}) > {self.write('num', 0)}"
        return [f"if {test}:", *indent([self.return_line(1)])]

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
        written = self.choices.pick(("out", "chosen", ""))
        lines += [f'{written}["last"] = 1'] if written else []
        result = self.choices.pick(("chosen", "out", '{"p": chosen}', "(out, chosen)"))
        return [*lines, f"return {result}"]

    def _key(self, depth: int) -> str:
        return self.choices.pick(("new", "a", "x", "b", "other"))


def indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
