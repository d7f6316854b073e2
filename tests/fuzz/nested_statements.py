"""Statements of nested functions: loops, exceptions, matches, lists and dicts that grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.nested_rules import NESTED_BRANCHES, NESTED_LEAVES, NESTED_OPTIONS
from tests.fuzz.statements import Statements, indent

# Kind of a field -> what stands in place of None there.
OTHERWISE = {
    "ints": "lists_of_ints", "strs": "lists_of_strs", "dicts": "lists_of_dicts",
    "dict": "dicts_alone", "date": "days", "datetime": "moments", "timedelta": "waits",
}  # fmt: skip
NEW_DICT = '{"a": 1}'
LIST_KINDS = ("ints", "strs", "dicts")
EXCEPTIONS = (
    "Exception", "ValueError", "TypeError", "(KeyError, IndexError)", "ZeroDivisionError",
    "(TypeError, AttributeError, ValueError)", "LookupError", "ArithmeticError",
)  # fmt: skip


class NestedStatements(Statements):
    """Writes bodies with loops, try, match and growing lists; a value grows by steps only.

    Inside a loop no name that the loop carries is read, but by the step itself: a carried value
    that is squared in each turn would soon fill the memory.
    """

    branches = NESTED_BRANCHES
    leaves = NESTED_LEAVES
    options = NESTED_OPTIONS

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.lists: list[str] = []  # locals that hold lists

    # ------------------------------------------------------------------------------- fields

    def _own(self, kind: str) -> str:
        return self._guarded(self._field_of(kind), OTHERWISE[kind])

    def _ints(self, depth: int) -> str:
        return self._own("ints")

    def _strs(self, depth: int) -> str:
        return self._own("strs")

    def _dicts(self, depth: int) -> str:
        return self._own("dicts")

    def _dict(self, depth: int) -> str:
        return self._own("dict")

    def _date(self, depth: int) -> str:
        return self._own("date")

    def _datetime(self, depth: int) -> str:
        return self._own("datetime")

    def _timedelta(self, depth: int) -> str:
        return self._own("timedelta")

    def _field_of_lists(self, depth: int) -> str:
        return self.read(self._field_of(*LIST_KINDS, "dict"))

    def _field_of_dates(self, depth: int) -> str:
        return self.read(self._field_of("date", "datetime"))

    def _list_name(self, depth: int) -> str:
        return self.choices.pick(self.lists) if self.lists else self._field_of_lists(depth)

    # --------------------------------------------------------------------------- statements

    def _statement(self, depth: int) -> list[str]:
        if self.choices.chance(25):
            return super()._statement(depth)
        kinds: tuple[tuple[int, Callable[[int], list[str]]], ...] = (
            (2, self._assign_list),  # the simplest: without an operation
            (3, self._for_numbers),
            (3, self._for_dicts),
            (2, self._for_texts),
            (2, self._for_items),
            (1, self._for_range),
            (1, self._nested_for),
            (2, self._while),
            (5, self._try),
            (2, self._suppress),
            (2, self._match_value),
            (2, self._match_shape),
            (3, self._grow_list),
            (2, self._grow_dict),
            (1, self._inner_function),
            (1, self._generator),
        )
        return self.choices.weighted(kinds)(depth)

    def _carried(self, start: str = "0") -> tuple[str, list[str]]:
        name = self.new_name("c")
        return name, [f"{name} = {start}"]

    def _step(self, name: str, value: str) -> str:
        return self.choices.pick(
            (
                f"{name} += {value}",
                f"{name} = {name} + {value}",
                f"{name} -= {value}",
                f"{name} = max({name}, {value})",
                f"{name} = {value}",
            )
        )

    def _escape(self, test: str, name: str) -> list[str]:
        """A way out of the turn or of the loop."""
        label = self.choices.pick(("continue", "break", "return inside a loop", ""))
        if not label:
            return []
        self._count(label)
        leave = f"return ({name}, {test})" if label.startswith("return") else label
        if label.startswith("return") and self.returns == "record":
            leave = "return r"
        return [f"if {test}:", f"    {leave}"]

    def _loop(self, head: str, name: str, body: list[str]) -> list[str]:
        lines = [head, *indent(body)]
        if self.choices.chance(15):
            self._count("else of a loop")
            lines += ["else:", f"    {name} = {self.write('num', 1)}"]
        self.names.append(name)
        return lines

    def _for_numbers(self, depth: int) -> list[str]:
        self._count("for over ints")
        name, lines = self._carried(self.choices.pick(("0", "0.0", "None", "1")))
        test = self._fill("{n_test}", 0)
        value = self._fill(self.choices.pick(("n", "{of_n}", "n * {num}")), 1)
        body = [*self._escape(test, name), self._step(name, value)]
        return [*lines, *self._loop(f"for n in {self._ints(0)}:", name, body)]

    def _for_dicts(self, depth: int) -> list[str]:
        self._count("for over dicts")
        name, lines = self._carried()
        test, value = self._fill("{d_test}", 0), self._fill("{of_d}", 0)
        body = [*self._escape(test, name), self._step(name, value)]
        return [*lines, *self._loop(f"for d in {self._dicts(0)}:", name, body)]

    def _for_texts(self, depth: int) -> list[str]:
        self._count("for over strs")
        name = self.new_name("t")
        value, test = self._fill("{of_s}", 0), self._fill("{s_test}", 0)
        head = self.choices.pick(
            (f"for s in {self._strs(0)}:", f"for i, s in enumerate({self._strs(0)}):")
        )
        body = [f"if {test}:", f"    {name} += {value}", f'{name} += "."']
        self.texts.append(name)
        return [f'{name} = ""', head, *indent(body)]

    def _for_items(self, depth: int) -> list[str]:
        self._count("for over items of a dict")
        name, lines = self._carried("[]")
        test = self.choices.pick(("v", 'k == "n"', "v is None", "isinstance(v, str)"))
        grown = self.choices.pick((f"{name}.append(k)", f"{name}.append((k, v))", f"{name} += [v]"))
        self.lists.append(name)
        head = f"for k, v in {self._dict(0)}.items():"
        return [*lines, head, *indent([*self._escape(test, "k"), grown])]

    def _for_range(self, depth: int) -> list[str]:
        self._count("for over a range")
        name, lines = self._carried()
        count = self._fill("{small_count}", 0)
        step = self._step(name, self._fill("i * {num}", 1))
        body = [*self._escape(f"i == {self.choices.below(4)}", name), step]
        return [*lines, *self._loop(f"for i in range({count}):", name, body)]

    def _nested_for(self, depth: int) -> list[str]:
        self._count("for in a for")
        name, lines = self._carried()
        inner = [*self._escape("n == m", name), self._step(name, "n * m")]
        body = [f"for m in {self._ints(0)}[:3]:", *indent(inner)]
        return [*lines, *self._loop(f"for n in {self._ints(0)}:", name, body)]

    def _while(self, depth: int) -> list[str]:
        self._count("while")
        name, steps = self.new_name("c"), self.new_name("k")
        start = self.write("int", 1)
        change = self.choices.pick((f"{name} //= 2", f"{name} -= 7", f"{name} = 3 * {name} + 1"))
        test = self.choices.pick((f"{name} > 1", name, f"{name} != 1 and {name} is not None"))
        body = [*self._escape(f"{steps} == 3", name), change]
        loop = self._loop(f"while {steps} < 9 and {test}:", name, [f"{steps} += 1", *body])
        return [f"{name}, {steps} = {start}, 0", *loop]

    # --------------------------------------------------------------- exceptions and matches

    def _try(self, depth: int) -> list[str]:
        self._count("try")
        name = self.new_name()
        value = self.write(self.choices.pick(("num", "num", "str", "any")), 2)
        caught, named = self.choices.pick(EXCEPTIONS), self.choices.chance(40)
        if named:
            self._count("except as")
            kept = ("str(error)", "type(error).__name__", "error.args", "repr(error)")
            handler = [f"{name} = {self.choices.pick(kept)}"]
        else:
            handler = self._handler(name)
        head = f"except {caught} as error:" if named else f"except {caught}:"
        lines = ["try:", f"    {name} = {value}", head, *indent(handler)]
        if self.choices.chance(20):
            self._count("second except")
            lines += ["except Exception:", *indent(self._handler(name))]
        lines += self._after_try(name)
        self.names.append(name)
        return lines

    def _handler(self, name: str) -> list[str]:
        kind = self.choices.pick(("value", "value", "return", "raise"))
        if kind == "value":
            return [f"{name} = {self.write('any', 1)}"]
        self._count(f"{kind} in a handler")
        if kind == "return":
            return ["return r"] if self.returns == "record" else [self.return_line(0)]
        return [self._fill("raise ValueError(f'bad {{{plain}}}')", 0)]

    def _after_try(self, name: str) -> list[str]:
        lines: list[str] = []
        if self.choices.chance(20):
            self._count("else of a try")
            lines += ["else:", f"    {name} = ({name}, {self.write('num', 1)})"]
        if self.choices.chance(20):
            self._count("finally")
            done = self.new_name("c")
            lines += ["finally:", f"    {done} = {self.choices.pick(('1', 'None'))}"]
            self.names.append(done)
        return lines

    def _suppress(self, depth: int) -> list[str]:
        self._count("with suppress")
        name, lines = self._carried(self.choices.pick(("0", "None")))
        caught = self.choices.pick(("ValueError", "KeyError, TypeError", "Exception"))
        value = self.write("num", 2)
        self.names.append(name)
        return [*lines, f"with contextlib.suppress({caught}):", f"    {name} = {value}"]

    def _match_value(self, depth: int) -> list[str]:
        self._count("match on a value")
        name = self.new_name()
        subject = self.write(self.choices.pick(("any", "str", "num")), 1)
        lines = [f"match {subject}:", "    case 1 | 2:", f"        {name} = 1"]
        lines += ['    case "red" | "":', f"        {name} = {self.write('num', 1)}"]
        if self.choices.chance(50):
            lines += ["    case int(n) if n > 3:", f"        {name} = n + 1"]
        if self.choices.chance(50):
            lines += ["    case str():", f"        {name} = {self.write('num', 1)}"]
        lines += ["    case other:", f"        {name} = {self.choices.pick(('other', '0'))}"]
        self.names.append(name)
        return lines

    def _match_shape(self, depth: int) -> list[str]:
        name = self.new_name()
        if self.choices.chance(50):
            self._count("match on a mapping")
            cases = ('{"name": str(s), "n": int(n)}', '{"n": n}', "{}")
            values = ("(s, n)", "n", "0")
            subject = self._dict(0)
        else:
            self._count("match on a sequence")
            cases = ("[]", "[one]", "[first, *_, last]")
            values = ("0", "one", "(first, last)")
            subject = self._own(self.choices.pick(LIST_KINDS))
        lines = [f"match {subject}:"]
        for case, value in zip(cases, values, strict=True):
            lines += [f"    case {case}:", f"        {name} = {value}"]
        self.names.append(name)
        return [*lines, "    case _:", f"        {name} = {self.write('num', 0)}"]

    # ------------------------------------------------------------------ lists, dicts, functions

    def _grow_list(self, depth: int) -> list[str]:
        self._count("append to a new list")
        name = self.new_name("l")
        value = self.write(self.choices.pick(("any", "num", "str")), 1)
        start = self.choices.pick(
            ("[]", f"[{self.write('num', 0)}]", self._fill("list({ints})", 0))
        )
        lines = [f"{name} = {start}"]
        written = name
        if self.choices.chance(25):
            self._count("two names for a list")
            lines.append(f"{(written := self.new_name('l'))} = {name}")
        lines.append(f"{written}.append({value})")
        if self.choices.chance(50):
            lines += [f"if {self.write('bool', 1)}:", f"    {name}.append({self.write('any', 1)})"]
        if self.choices.chance(30):
            self._count("list methods")
            change = ("{n}.extend({ints})", "{n}.reverse()", "{n} += [1]", "{n}[0] = {any}")
            lines.append(self._fill(self.choices.pick(change).replace("{n}", name), 0))
        self.lists.append(name)
        return lines

    def _grow_dict(self, depth: int) -> list[str]:
        self._count("new dict by keys")
        name = self.new_name("o")
        lines = [f"{name} = {self.choices.pick(('{}', NEW_DICT))}"]
        key = self.choices.pick(("s", "len(s)"))
        change = self.choices.pick(
            (
                f"{name}[{key}] = {name}.get({key}, 0) + 1",
                f"{name}.setdefault({key}, []).append(s)",
                f"{name}[{key}] = s",
            )
        )
        lines += [f"for s in {self._strs(0)}:", f"    {change}"]
        self.lists.append(name)
        return lines

    def _assign_list(self, depth: int) -> list[str]:
        self._count("assignment of a list")
        name = self.new_name("l")
        value = self.write("list", 2)
        self.lists.append(name)
        return [f"{name} = {value}"]

    def _inner_function(self, depth: int) -> list[str]:
        self._count("function in a function")
        function, name = self.new_name("g"), self.new_name()
        body = self._fill(self.choices.pick(("n + {num}", "[n, {any}]", "{num} if n else None")), 1)
        lines = [f"def {function}(n, m=1):", f"    return {body}"]
        self.names.append(name)
        return [*lines, f"{name} = {function}({self.write('num', 1)})"]

    def _generator(self, depth: int) -> list[str]:
        self._count("iterator in a local")
        iterator, name = self.new_name("i"), self.new_name("l")
        value = self._fill("({of_n} for n in {ints})", 0)
        first = f"next({iterator}, None)"
        self.lists.append(name)
        return [f"{iterator} = {value}", f"{name} = [{first}, *{iterator}]"]

    # ------------------------------------------------------------------------------- results

    def return_line(self, depth: int) -> str:
        """A return of a list, a dict or a moment; else one of the core's."""
        if self.returns == "record" or not self.choices.chance(60):
            return super().return_line(depth)
        if self.lists and self.choices.chance(25):
            self._count("return a built list")
            return f"return {self.choices.pick(self.lists)}"
        self._count("return an object")
        symbol = self.choices.weighted(((9, "object"), (5, "moment"), (2, "list")))
        return f"return {self.write(symbol, depth + 1)}"
