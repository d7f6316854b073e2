"""`for` statements over rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from batchprep.lint import messages
from batchprep.lint.bodies import Body, appended_to, body_of, certain_values
from batchprep.lint.evidence import Evidence
from batchprep.lint.finding import Edit, Verdict
from batchprep.lint.row_code import RowCode, code_of_body, code_of_expression
from batchprep.lint.row_loop import DataForm, Replacement, RowLoop
from batchprep.lint.rows import OF_SERIES, OF_TUPLES, RowUse, is_field_read, use_of_row
from batchprep.lint.rules import RULE
from batchprep.lint.scopes import Names
from batchprep.lint.unit import Unit
from batchprep.lint.whole_loops import loop_code
from batchprep.lint.writing import Writer

NO_EDITS: Final = RowUse()


@dataclass(frozen=True)
class Rows:
    """What a loop runs over: the name of its row, the data, and what pandas made the row."""

    rule: str
    row: str
    data: ast.expr
    form: DataForm
    obstacle: str = ""


class LoopFinder:
    """Finds the row loops among the `for` statements of a file."""

    def __init__(self, unit: Unit, names: Names, evidence: Evidence, writer: Writer) -> None:
        self._unit = unit
        self._names = names
        self._evidence = evidence
        self._writer = writer

    def found(self, loop: ast.For) -> RowLoop | None:
        """The row loop that the statement is; None if it is none."""
        rows = self._rows(loop)
        if rows is None:
            return None
        body = body_of(loop, self._unit, self._names)
        if rows.rule == "BP004":
            if not self._worth_a_look(loop, rows, body):
                return None
            if body.gathers or isinstance(loop.target, ast.Tuple):
                return self._gathering(loop, "BP008", body)
        elif body.gathers:
            return self._gathering(loop, rows.rule, body)
        return self._row_loop(loop, rows, body)

    def _rows(self, loop: ast.For) -> Rows | None:
        over = frame_rows(loop.iter)
        if over is not None:
            return self._frame_rows(loop, *over)
        row, data = _named(loop)
        if not row or self._evidence.is_no_record(data):
            return None
        if not self._evidence.of_records(loop.body, row, data):
            return None
        return Rows("BP004", row, data, self._evidence.form_of(data, loop))

    def _frame_rows(self, loop: ast.For, rule: str, frame: ast.expr, obstacle: str) -> Rows:
        match rule, loop.target:
            case "BP001", ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=row)]):
                if not obstacle and _reads(loop.body, index):
                    obstacle = messages.uses_index_text(index)
                return Rows(rule, row, frame, "frame", obstacle)
            case "BP002", ast.Name(id=row):
                return Rows(rule, row, frame, "frame", obstacle)
            case _:
                text = messages.target_text(ast.unparse(loop.target))
                return Rows(rule, "", frame, "frame", obstacle or text)

    def _worth_a_look(self, loop: ast.For, rows: Rows, body: Body) -> bool:
        """Whether a loop over records makes something of them: to pick out a field is no work."""
        if body.gathers and any(appended_to(n)[0] for s in loop.body for n in ast.walk(s)):
            return True
        if body.gathers:
            return self._evidence.accumulates(loop)
        if not body.output:
            return False
        picked = all(is_field_read(value, rows.row) for value in body.values)
        return bool(body.obstacle) or body.drops or len(loop.body) > 1 or not picked

    def _gathering(self, loop: ast.For, rule: str, body: Body) -> RowLoop:
        code = loop_code(loop, self._unit, self._names) if rule == "BP008" else None
        return RowLoop(
            rule, loop, RULE[rule].summary, code, obstacle=body.gathers or messages.NUMBERED,
            settles="unknown", hint=messages.WHOLE_LOOP, whole=True,
        )  # fmt: skip

    def _row_loop(self, loop: ast.For, rows: Rows, body: Body) -> RowLoop:
        what = RULE[rows.rule].summary
        if not rows.obstacle and body.obstacle:
            return RowLoop(
                rows.rule, loop, what, obstacle=body.obstacle, settles="unknown",
                hint=messages.WHOLE_LOOP,
            )  # fmt: skip
        obstacle = rows.obstacle
        use = NO_EDITS
        if not obstacle and rows.form == "frame":
            own = OF_SERIES if rows.rule == "BP001" else OF_TUPLES
            use = use_of_row(loop.body, rows.row, self._unit, self._names, own)
            obstacle = use.obstacle
        if not obstacle and not body.output:
            obstacle = messages.NOTHING_GATHERED
        if obstacle:
            return RowLoop(rows.rule, loop, what, obstacle=obstacle, settles="no")
        code = self._code(loop, rows, body, use)
        if code is None:
            obstacle = messages.ONE_LINE
            return RowLoop(rows.rule, loop, what, obstacle=obstacle, settles="unknown")
        replace = self._replacement(loop, rows, body, use)
        hint = "" if replace is not None else messages.WHOLE_LOOP_DROPS
        return RowLoop(rows.rule, loop, what, code, replace=replace, hint=hint)

    def _code(self, loop: ast.For, rows: Rows, body: Body, use: RowUse) -> RowCode | None:
        scope = self._names.scope_of(loop)
        single = _single_value(loop, body)
        if single is not None:
            value, tests = single
            return code_of_expression(self._unit, value, tests, rows.row, scope, use.edits)
        first = loop.body[0].lineno
        if first == loop.lineno:
            return None
        last = loop.body[-1].end_lineno or first
        edits = _merged(body.edits, use.edits)
        return code_of_body(self._unit, first, last, rows.row, scope, edits)

    def _replacement(
        self, loop: ast.For, rows: Rows, body: Body, use: RowUse
    ) -> Replacement | None:
        if not self._writer.begins_line(loop):
            return None
        single = _single_value(loop, body)
        as_def = loop.body[0].lineno > loop.lineno and (
            not body.drops or certain_values(body.values, rows.row)
        )
        if single is not None and not (as_def and _is_long(single[0])):
            value, tests = single

            def short(verdict: Verdict) -> tuple[Edit, ...]:
                call = self._writer.chain(
                    rows.row, value, tests, use.edits, rows.data, rows.form, verdict, loop
                )
                return (*call.edits, *self._assigned(loop, body.output, call.text))

            return short
        if not as_def:
            return None

        def long(verdict: Verdict) -> tuple[Edit, ...]:
            return self._as_def(loop, rows, body, use, verdict)

        return long

    def _as_def(
        self, loop: ast.For, rows: Rows, body: Body, use: RowUse, verdict: Verdict
    ) -> tuple[Edit, ...]:
        indent = self._unit.indent(loop.lineno)
        name = self._writer.unused(f"{body.output}_row")
        call = self._writer.def_call(name, rows.data, rows.form, verdict, drops=body.drops)
        first, last = loop.body[0].lineno, loop.body[-1]
        decorator = "" if body.drops else f"@{self._writer.batchprep}.vectorize\n{indent}"
        start, begin = self._start(loop, body.output)
        end_line, end_column = self._unit.span(last)[2:]
        assigned = f"{body.output} = {call}" if start else f"{body.output}.extend({call})"
        column = len(indent)
        return (
            Edit(begin, column, first, 0, f"{decorator}def {name}({rows.row}):\n"),
            *_merged(body.edits, use.edits),
            Edit(end_line, end_column, end_line, end_column, f"\n\n{indent}{assigned}"),
        )

    def _assigned(self, loop: ast.For, output: str, call: str) -> tuple[Edit, ...]:
        start, begin = self._start(loop, output)
        end_line, end_column = self._unit.span(loop)[2:]
        text = f"{output} = {call}" if start else f"{output}.extend({call})"
        return (Edit(begin, len(self._unit.indent(loop.lineno)), end_line, end_column, text),)

    def _start(self, loop: ast.For, output: str) -> tuple[bool, int]:
        """(whether `output = []` stands just before the loop, the line to replace from)."""
        before = self._before(loop)
        match before:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[]))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=[]))
            ) if name == output and before.lineno == loop.lineno - 1:
                if isinstance(before, ast.Assign) and self._writer.begins_line(before):
                    return True, before.lineno
            case _:
                pass
        return False, loop.lineno

    def _before(self, loop: ast.For) -> ast.stmt | None:
        parent = self._names.parents[loop]
        for _, block in ast.iter_fields(parent):
            if isinstance(block, list) and loop in block:
                at = block.index(loop)
                return block[at - 1] if at else None
        return None


def _named(loop: ast.For) -> tuple[str, ast.expr]:
    """The name of a loop's row, "" where it has none, and what it goes over."""
    match loop.target, loop.iter:
        case ast.Name(id=row), data:
            return row, data
        case (
            ast.Tuple(elts=[ast.Name(), ast.Name(id=row)]),
            ast.Call(func=ast.Name(id="enumerate"), args=[data, *_]),
        ):
            return row, data
        case _, data:
            return "", data


def frame_rows(data: ast.expr) -> tuple[str, ast.expr, str] | None:
    """(rule, frame, obstacle) of `df.iterrows()` or `df.itertuples(...)`, else None."""
    match data:
        case ast.Call(func=ast.Attribute(value=frame, attr="iterrows"), args=[], keywords=[]):
            return "BP001", frame, ""
        case ast.Call(func=ast.Attribute(value=frame, attr="itertuples"), args=args, keywords=more):
            plain = not args and all(k.arg == "index" for k in more)
            return "BP002", frame, "" if plain else messages.TUPLES_OTHERWISE
        case ast.Call(args=[inner, *_]) if _wraps(data):
            found = frame_rows(inner)
            return None if found is None else (*found[:2], messages.wrapped_text(data.func))
        case _:
            return None


def _wraps(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    return name in {"tqdm", "enumerate", "list", "iter", "track", "trange", "progress"}


def _single_value(loop: ast.For, body: Body) -> tuple[ast.expr, list[ast.expr]] | None:
    """(value, tests) where a body is one append, or one append under one `if`."""
    match loop.body:
        case [ast.Expr() as statement]:
            tests: list[ast.expr] = []
        case [ast.If(test=test, body=[ast.Expr() as statement], orelse=[])]:
            tests = [test]
        case _:
            return None
    name, value = appended_to(statement)
    return None if value is None or name != body.output else (value, tests)


def _is_long(value: ast.expr) -> bool:
    """Whether a value is written over several lines: as a lambda it would stand on one."""
    return (value.end_lineno or value.lineno) > value.lineno


def _merged(one: Sequence[Edit], other: Sequence[Edit]) -> tuple[Edit, ...]:
    return (*one, *other)


def _reads(statements: Sequence[ast.stmt], name: str) -> bool:
    return any(node.id == name for node in _names_in(statements))


def _names_in(statements: Sequence[ast.stmt]) -> Iterator[ast.Name]:
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                yield node
