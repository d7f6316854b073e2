"""Row functions as text of their own, each on the lines that it has in its file.

The front end reads a function's source by file and line, so each gets a file of its own in
`linecache`, in which all lines are one further down: the line before may hold a header.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from batchprep.lint.finding import Edit
from batchprep.lint.scopes import Scope
from batchprep.lint.unit import Unit, with_edits

SHIFT: Final = 1  # lines further down than in the unit
ROW: Final = "_row"
LAMBDA: Final = "<lambda>"


@dataclass(frozen=True)
class RowCode:
    """A function as text; `scope` is where the names that are not its own are looked up.

    arguments  hold the defaults, None for code that was no function before
    given      what it is called with after its row, and as keywords
    """

    name: str
    text: str
    scope: Scope
    arguments: ast.arguments | None = None
    given: tuple[object, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict[str, object])


def code_of_def(
    unit: Unit, node: ast.FunctionDef, scope: Scope, edits: Sequence[Edit] = ()
) -> RowCode:
    """A function of the file, without its decorators."""
    end = node.end_lineno or node.lineno
    body = with_edits(unit.lines[node.lineno - 1 : end], edits, node.lineno)
    # Under a condition, lines keep their indentation; one of a constant leaves no trace.
    header = "if 1:" if unit.indent(node.lineno) else ""
    return RowCode(node.name, _below(node.lineno, header, body), scope, node.args)


def code_of_lambda(
    unit: Unit, node: ast.Lambda, scope: Scope, edits: Sequence[Edit] = ()
) -> RowCode:
    """A lambda of the file."""
    body = f"{_edited(unit, node, edits)}\n)\n"
    return RowCode(LAMBDA, _below(node.lineno, f"{ROW} = (", body), scope, node.args)


def code_of_expression(
    unit: Unit,
    value: ast.expr,
    tests: Sequence[ast.expr],
    row: str,
    scope: Scope,
    edits: Sequence[Edit] = (),
) -> RowCode:
    """`value` of a row that passes the tests, else None."""
    text = f"{_edited(unit, value, edits)}\n)"
    lines = (value.end_lineno or value.lineno) + SHIFT + 1  # the line that is written now
    for position, test in enumerate(tests):
        gap = max(test.lineno + SHIFT - lines, 0)
        text += " if (" if not position else " and ("
        text += "\n" * gap + _edited(unit, test, edits).lstrip() + "\n)"
        lines += gap + (test.end_lineno or test.lineno) - test.lineno + 1
    tail = " else None" if tests else ""
    header = f"def {ROW}({row}): return (("
    return RowCode(ROW, _below(value.lineno, header, f"{text}{tail})\n"), scope)


def code_of_body(
    unit: Unit, first: int, last: int, row: str, scope: Scope, edits: Sequence[Edit] = ()
) -> RowCode:
    """The lines of a loop's body, in which edits made results of what it appends."""
    body = with_edits(unit.lines[first - 1 : last], edits, first)
    return RowCode(ROW, _below(first, f"def {ROW}({row}):", f"{body}\n"), scope)


def _below(line: int, header: str, body: str) -> str:
    return "\n" * (line - 1) + f"{header}\n{body}"


def _edited(unit: Unit, node: ast.expr, edits: Sequence[Edit]) -> str:
    """The text of an expression at its columns, edited."""
    line, column, end_line, end_column = unit.span(node)
    lines = list(unit.lines[line - 1 : end_line])
    lines[-1] = lines[-1][:end_column]
    lines[0] = " " * column + lines[0][column:]
    inside = [e for e in edits if line <= e.line <= end_line and within(e, unit.span(node))]
    return with_edits(lines, inside, line)


def within(edit: Edit, span: tuple[int, int, int, int]) -> bool:
    """Whether an edit lies inside of a piece of text."""
    start, end = span[:2], span[2:]
    return start <= (edit.line, edit.column) and (edit.end_line, edit.end_column) <= end
