"""Loops that gather several things, judged as `bp.vectorize_loop` would take them.

The loop becomes a function of its records, which begins with what the lines before it bind its
lists, counts and dicts to. It is taken apart as any such function; what a row computes by itself
is then judged as a row function is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FunctionType
from typing import Final, cast

from batchprep.errors import Unsupported
from batchprep.errors.messages import hint_of
from batchprep.lint import messages
from batchprep.lint.finding import Verdict
from batchprep.lint.functions import Functions
from batchprep.lint.row_code import SHIFT, RowCode
from batchprep.lint.scopes import FUNCTIONS
from batchprep.lint.scopes import Names as Scopes
from batchprep.lint.unit import Unit
from batchprep.lint.verdicts import judged
from batchprep.loops.generate import GIVEN, RowPart, row_part
from batchprep.loops.names import Names
from batchprep.loops.units import Analysis, analyse
from batchprep.rowfn.source import find_source

RECORDS: Final = "_records"
LOOP: Final = "_loop"
BEFORE: Final = 3  # lines of the function before those of the loop's body
MAKERS: Final = frozenset({
    "list", "dict", "set", "defaultdict", "Counter", "deque", "OrderedDict", "float", "int", "str",
})  # fmt: skip


def loop_code(loop: ast.For, unit: Unit, names: Scopes) -> RowCode | None:
    """The loop as a function of its records; None where it cannot be made one here."""
    first, last = loop.body[0].lineno, loop.end_lineno or loop.lineno
    head = _head(loop)
    if head is None or first == loop.lineno or first < BEFORE:
        return None
    inside = Names(loop.body)
    starts = dict(_starts(loop, names))
    if not inside.written - {_row(loop)} <= inside.stored | starts.keys():
        return None  # what it fills was made elsewhere
    used = _used_outside(loop, names) & (inside.stored | inside.written)
    outer = unit.indent(loop.lineno) or "    "
    shift = "" if unit.indent(loop.lineno) else outer
    bound = "; ".join(f"{name} = {text}" for name, text in sorted(starts.items())) or "pass"
    lines = [""] * (first - 1 + SHIFT - BEFORE)
    lines += [f"def {LOOP}({RECORDS}):", f"{outer}{bound}", f"{outer}{head}"]
    lines += [f"{shift}{line.rstrip()}" for line in unit.lines[first - 1 : last]]
    lines.append(f"{outer}return ({''.join(f'{name}, ' for name in sorted(used))})")
    return RowCode(LOOP, "\n".join(lines) + "\n", names.scope_of(loop))


def verdict_of_loop(
    code: RowCode, functions: Functions, local_line: Callable[[int], int]
) -> Verdict:
    """Whether the loop would compile, with which kinds, or why not."""
    function = functions.fresh(code)
    try:
        found = analyse(find_source(function), RECORDS, function.__globals__)
    except Unsupported as refused:
        return _refused(refused, local_line)
    except (RecursionError, MemoryError):
        return Verdict("unknown", messages.TOO_DEEP)
    return _judged(function, found, code, functions, local_line)


def _judged(
    function: FunctionType,
    found: Analysis,
    code: RowCode,
    functions: Functions,
    local_line: Callable[[int], int],
) -> Verdict:
    part: RowPart = row_part(function, found.split, "mapping")
    if part.constants:
        return Verdict("unknown", messages.elsewhere_text(min(part.constants), None))
    made = cast("FunctionType", part.function)
    verdict = judged(made, code, functions, local_line, part.told_of_source)
    fields = {name: kind for name, kind in verdict.fields.items() if not name.startswith(GIVEN)}
    return replace(verdict, fields=fields, gives=())


def _refused(refused: Unsupported, local_line: Callable[[int], int]) -> Verdict:
    span = refused.span
    line = local_line(span.line - SHIFT) if span is not None else 0
    return Verdict("no", refused.reason, line, hint=hint_of(refused))


def _row(loop: ast.For) -> str:
    return loop.target.id if isinstance(loop.target, ast.Name) else ""


def _head(loop: ast.For) -> str | None:
    """The loop's first line, over the records alone."""
    match loop.target, loop.iter:
        case ast.Tuple(), ast.Call(func=ast.Name(id="enumerate"), args=[_, *more], keywords=named):
            rest = [RECORDS, *map(ast.unparse, more), *(ast.unparse(k.value) for k in named)]
            return f"for {ast.unparse(loop.target)} in enumerate({', '.join(rest)}):"
        case ast.Name(id=row), _:
            return f"for {row} in {RECORDS}:"
        case _:
            return None


def _around(loop: ast.For, names: Scopes) -> ast.AST:
    """The function or the file that the loop stands in."""
    return next((n for n in names.enclosing(loop) if isinstance(n, FUNCTIONS)), names.tree)


def _starts(loop: ast.For, names: Scopes) -> Iterator[tuple[str, str]]:
    """The names that the loop changes, and what they are bound to before it, as text."""
    changed = Names(loop.body)
    wanted = changed.written | changed.stored
    for node in ast.walk(_around(loop, names)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno < loop.lineno:
            for name, value in _bound(node):
                if name in wanted and _is_start(value):
                    yield name, ast.unparse(value)


def _bound(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, ast.expr]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        match target, node.value:
            case ast.Name(id=name), ast.expr() as value:
                yield name, value
            case ast.Tuple(elts=elts), ast.Tuple(elts=values) if len(elts) == len(values):
                pairs = zip(elts, values, strict=True)
                yield from ((e.id, v) for e, v in pairs if isinstance(e, ast.Name))
            case _:
                pass


def _is_start(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.List() | ast.Dict() | ast.Set() | ast.Tuple():
            return all(isinstance(n, LITERALS) for n in ast.walk(value))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in MAKERS
        case _:
            return False


LITERALS: Final = (
    ast.List, ast.Dict, ast.Set, ast.Tuple, ast.Constant, ast.UnaryOp, ast.unaryop,
    ast.expr_context,
)  # fmt: skip


def _used_outside(loop: ast.For, names: Scopes) -> set[str]:
    inside = set(map(id, ast.walk(loop)))
    nodes = (n for n in ast.walk(_around(loop, names)) if id(n) not in inside)
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
