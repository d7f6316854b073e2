"""The text to write in the place of a row loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from batchprep.lint.evidence import Evidence
from batchprep.lint.finding import Edit, Verdict
from batchprep.lint.functions import is_plain
from batchprep.lint.row_code import within
from batchprep.lint.row_loop import DataForm
from batchprep.lint.scopes import Names
from batchprep.lint.unit import Unit, with_edits


@dataclass(frozen=True)
class Written:
    """An expression that gives the loop's results, and what it needs elsewhere in the file."""

    text: str
    edits: tuple[Edit, ...] = ()


class Writer:
    """Writes calls of row functions, with names that the file does not use yet."""

    def __init__(self, unit: Unit, names: Names, evidence: Evidence) -> None:
        self._unit = unit
        self._names = names
        self._evidence = evidence
        self._imported = _imported_as(unit.tree)
        self._taken: set[str] = set()
        self._vectorized: dict[ast.AST, str] = {}
        fresh = "batchprep" if "bp" in names.words else "bp"
        self.batchprep = self._imported or fresh

    def unused(self, name: str) -> str:
        """The name, or one like it that the file does not use."""
        found, number = name, 2
        while found in self._names.words or found in self._taken:
            found, number = f"{name}_{number}", number + 1
        self._taken.add(found)
        return found

    def begins_line(self, node: ast.stmt) -> bool:
        """Whether a statement is the first of its line, and in no class body."""
        line, column, _, _ = self._unit.span(node)
        in_class = isinstance(self._names.scope_of(node).node, ast.ClassDef)
        return not in_class and not self._unit.lines[line - 1][:column].strip()

    def fits(self, node: ast.AST) -> bool:
        """Whether an expression may be rewritten: not in an f-string, nor in a class body."""
        in_class = isinstance(self._names.scope_of(node).node, ast.ClassDef)
        in_text = any(isinstance(outer, ast.JoinedStr) for outer in self._names.enclosing(node))
        return not in_class and not in_text

    def chain(
        self,
        row: str,
        value: ast.expr,
        tests: Sequence[ast.expr],
        edits: Sequence[Edit],
        data: ast.expr,
        form: DataForm,
        verdict: Verdict,
        near: ast.AST,
    ) -> Written:
        """`value` of each row of the data that passes the tests."""
        named = _called_on(value, row)
        if tests:
            steps = "".join(f".filter({self._function(row, t, edits)})" for t in tests)
            if not (isinstance(value, ast.Name) and value.id == row):
                mapped = ast.unparse(named) if named else self._function(row, value, edits)
                steps += f".map({mapped})"
            return Written(self._on(f"{self.batchprep}.Pipeline(){steps}", data, form, None))
        if named is not None:
            function = self.vectorized(named, near)
            return Written(self._on(function.text, data, form, verdict), function.edits)
        function = f"{self.batchprep}.vectorize({self._function(row, value, edits)})"
        return Written(self._on(function, data, form, verdict))

    def def_call(
        self, name: str, data: ast.expr, form: DataForm, verdict: Verdict, *, drops: bool
    ) -> str:
        """A function of its own on the data; with `drops`, without the rows that give None."""
        if drops:
            return self._on(f"{self.batchprep}.Pipeline().filter_map({name})", data, form, None)
        return self._on(name, data, form, verdict)

    def vectorized(self, function: ast.expr, near: ast.AST) -> Written:
        """A function of many rows; of a def of the file it is made once, below the def."""
        found = self._evidence.function_of(function)
        plain = isinstance(found, ast.FunctionDef) and is_plain(found)
        if not isinstance(found, ast.FunctionDef) or not plain or self._around(found, near):
            return Written(f"{self.batchprep}.vectorize({self._unit.source(function)})")
        if found.decorator_list:
            return Written(found.name)
        if found not in self._vectorized:
            self._vectorized[found] = self.unused(f"{found.name}_rows")
        name = self._vectorized[found]
        indent, end = self._unit.indent(found.lineno), found.end_lineno or found.lineno
        gap = "\n" if indent else "\n\n"
        column = len(self._unit.lines[end - 1].rstrip("\r\n"))
        text = f"\n{gap}{indent}{name} = {self.batchprep}.vectorize({found.name})"
        return Written(name, (Edit(end, column, end, column, text),))

    def _around(self, found: ast.FunctionDef, near: ast.AST) -> bool:
        return any(outer is found for outer in self._names.enclosing(near))

    def import_edits(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The import of batchprep that edits need, at the top of the file or cell."""
        if self._imported or not any(f"{self.batchprep}." in edit.text for edit in edits):
            return ()
        return (_import_edit(self._unit, self.batchprep, min(edit.line for edit in edits)),)

    def _function(self, row: str, value: ast.expr, edits: Sequence[Edit]) -> str:
        return f"lambda {row}: {self.text(value, edits)}"

    def text(self, value: ast.expr, edits: Sequence[Edit] = ()) -> str:
        """An expression as edited, on one line."""
        line, column, end_line, end_column = span = self._unit.span(value)
        lines = list(self._unit.lines[line - 1 : end_line])
        lines[-1] = lines[-1][:end_column]
        text = with_edits(lines, [e for e in edits if within(e, span)], line)[column:]
        if "\n" not in text and "\r" not in text:
            return f"({text})" if isinstance(value, ast.NamedExpr | ast.GeneratorExp) else text
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval").body)

    def _on(self, function: str, data: ast.expr, form: DataForm, verdict: Verdict | None) -> str:
        text = self._unit.source(data)
        if isinstance(data, ast.Tuple) and not text.startswith("("):
            text = f"({text})"
        if form == "list":
            return f"{function}({text})"
        if form == "iterable":
            return f"list({function}({text}))"
        gives = verdict.gives if verdict is not None else ()
        if gives == ("struct",):
            return f'{function}({text}).to_dict("records")'
        if gives and "struct" not in gives:
            return f"{function}({text}).tolist()"
        return f'{function}({text}.to_dict("records"))'


def _called_on(value: ast.expr, row: str) -> ast.expr | None:
    """The function f where the value is f(row)."""
    match value:
        case ast.Call(func=ast.Name() as function, args=[ast.Name(id=name)], keywords=[]):
            return function if name == row else None
        case _:
            return None


def _imported_as(tree: ast.Module) -> str:
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "batchprep":
                    return alias.asname or alias.name
    return ""


def _import_edit(unit: Unit, name: str, line: int) -> Edit:
    segment = unit.segment(line)
    last = segment.first + len(segment.lines)
    statements = [s for s in unit.tree.body if segment.first <= s.lineno < last]
    text = "import batchprep" if name == "batchprep" else f"import batchprep as {name}"
    after: ast.stmt | None = None
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            after = statement
        elif not (_is_docstring(statement) and after is None):
            break
        else:
            after = statement
    if after is None:
        begin = min(_first_line(s) for s in statements)
        return Edit(begin, 0, begin, 0, f"{text}\n\n")
    end = after.end_lineno or after.lineno
    column = len(unit.lines[end - 1].rstrip("\r\n"))
    gap = "\n" if isinstance(after, ast.Import | ast.ImportFrom) else "\n\n"
    return Edit(end, column, end, column, f"{gap}{text}")


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])
