"""Comprehensions over rows."""

from __future__ import annotations

import ast
from typing import Final, TypeAlias

from batchprep.lint import messages
from batchprep.lint.evidence import Evidence
from batchprep.lint.finding import Edit, Verdict
from batchprep.lint.loops import Rows, frame_rows
from batchprep.lint.row_code import code_of_expression
from batchprep.lint.row_loop import Replacement, RowLoop
from batchprep.lint.rows import (
    OF_SERIES,
    OF_TUPLES,
    RowUse,
    is_field_read,
    use_of_row,
)
from batchprep.lint.rules import RULE
from batchprep.lint.scopes import Names
from batchprep.lint.unit import Unit
from batchprep.lint.writing import Writer

Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp
# Calls that take all that a generator gives, so that it may be a list.
CONSUMING: Final = frozenset({
    "sum", "list", "tuple", "set", "frozenset", "sorted", "min", "max", "Counter", "deque", "join",
    "extend",
})  # fmt: skip
NEVER: Final = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


class ComprehensionFinder:
    """Finds the row loops among the comprehensions of a file."""

    def __init__(self, unit: Unit, names: Names, evidence: Evidence, writer: Writer) -> None:
        self._unit = unit
        self._names = names
        self._evidence = evidence
        self._writer = writer

    def found(self, node: Comprehension) -> RowLoop | None:
        """The row loop that the comprehension is; None if it is none."""
        if len(node.generators) != 1 or node.generators[0].is_async:
            return None
        if isinstance(node, ast.GeneratorExp) and not self._consumed(node):
            return None
        rows = self._rows(node, node.generators[0])
        return None if rows is None else self._row_loop(node, node.generators[0], rows)

    def _consumed(self, node: ast.GeneratorExp) -> bool:
        match self._names.parents.get(node):
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]):
                return first is node and name in CONSUMING
            case _:
                return False

    def _rows(self, node: Comprehension, loop: ast.comprehension) -> Rows | None:
        over = frame_rows(loop.iter)
        if over is not None:
            return self._frame_rows(node, loop.target, *over)
        if not isinstance(loop.target, ast.Name) or self._evidence.is_no_record(loop.iter):
            return None
        row = loop.target.id
        code = [node.elt, *loop.ifs]
        if not self._evidence.of_records(code, row, loop.iter):
            return None
        if not loop.ifs and is_field_read(node.elt, row):
            return None  # picking out a field is no work
        # Who takes a generator takes whatever the function gives.
        taken = isinstance(node, ast.GeneratorExp)
        form = "list" if taken else self._evidence.form_of(loop.iter, node)
        return Rows("BP005", row, loop.iter, form)

    def _frame_rows(
        self, node: Comprehension, target: ast.expr, rule: str, frame: ast.expr, obstacle: str
    ) -> Rows:
        match rule, target:
            case "BP001", ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=row)]):
                used = any(isinstance(n, ast.Name) and n.id == index for n in ast.walk(node.elt))
                if used and not obstacle:
                    obstacle = messages.uses_index_text(index)
                return Rows(rule, row, frame, "frame", obstacle)
            case "BP002", ast.Name(id=row):
                return Rows(rule, row, frame, "frame", obstacle)
            case _:
                text = messages.target_text(ast.unparse(target))
                return Rows(rule, "", frame, "frame", obstacle or text)

    def _row_loop(self, node: Comprehension, loop: ast.comprehension, rows: Rows) -> RowLoop:
        what = RULE[rows.rule].summary
        code = [node.elt, *loop.ifs]
        obstacle = rows.obstacle or _never(code)
        use = RowUse()
        if not obstacle and rows.form == "frame":
            own = OF_SERIES if rows.rule == "BP001" else OF_TUPLES
            use = use_of_row(code, rows.row, self._unit, self._names, own)
            obstacle = use.obstacle
        if obstacle:
            return RowLoop(rows.rule, node, what, obstacle=obstacle, settles="no")
        scope = self._names.scope_of(node)
        text = code_of_expression(self._unit, node.elt, loop.ifs, rows.row, scope, use.edits)
        replace = self._replacement(node, loop, rows, use) if self._writer.fits(node) else None
        return RowLoop(rows.rule, node, what, text, replace=replace)

    def _replacement(
        self, node: Comprehension, loop: ast.comprehension, rows: Rows, use: RowUse
    ) -> Replacement:
        def replace(verdict: Verdict) -> tuple[Edit, ...]:
            call = self._writer.chain(
                rows.row, node.elt, loop.ifs, use.edits, rows.data, rows.form, verdict, node
            )
            text = f"set({call.text})" if isinstance(node, ast.SetComp) else call.text
            return (*call.edits, self._edit(node, text))

        return replace

    def _edit(self, node: Comprehension, text: str) -> Edit:
        # As the only argument a generator has the brackets of its call.
        if isinstance(node, ast.GeneratorExp):
            line, column, end_line, end_column = self._unit.span(node)
            shared = self._shares_brackets(node)
            return Edit(line, column, end_line, end_column, f"({text})" if shared else text)
        return self._unit.edit(node, text)

    def _shares_brackets(self, node: ast.GeneratorExp) -> bool:
        parent = self._names.parents[node]
        return (
            isinstance(parent, ast.Call)
            and self._unit.span(parent)[2:] == (self._unit.span(node)[2:])
        )


def _never(code: list[ast.expr]) -> str:
    for root in code:
        for node in ast.walk(root):
            if isinstance(node, NEVER):
                return messages.not_in_row_function_text(node)
    return ""
