"""Calls that run a function once a row: `apply(axis=1)`, `map`, `Dataset.map`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Final

from batchprep.lint import messages
from batchprep.lint.constants import NotKnown, constant_value
from batchprep.lint.evidence import Evidence
from batchprep.lint.finding import Edit, Verdict
from batchprep.lint.row_code import RowCode, code_of_def, code_of_lambda
from batchprep.lint.row_loop import RowLoop
from batchprep.lint.rows import OF_SERIES, RowUse, use_of_row
from batchprep.lint.rules import RULE
from batchprep.lint.scopes import Names, Scope
from batchprep.lint.unit import Unit
from batchprep.lint.writing import Writer

ROWWISE: Final = (1, "columns")
# Keywords that are apply's own; all others are handed on to the function.
OWN_OPTIONS: Final = frozenset({"axis", "args", "raw", "result_type", "meta", "by_row"})
MOST_STEPS: Final = 12  # of a chain, and of names for names
DATASETS: Final = frozenset({
    "load_dataset", "load_from_disk", "from_dict", "from_list", "from_pandas", "from_csv",
    "from_json", "from_parquet", "from_generator",
})  # fmt: skip


@dataclass(frozen=True)
class Apply:
    """`frame.apply(function, axis=1, ...)`: its further arguments, and what is in the way.

    expands  whether dicts become columns (result_type="expand"), as batchprep has them
    """

    frame: ast.expr
    function: ast.expr
    args: tuple[ast.expr, ...] = ()
    keywords: tuple[tuple[str, ast.expr], ...] = ()
    expands: bool = False
    obstacle: str = ""


class CallFinder:
    """Finds the row loops among the calls of a file."""

    def __init__(self, unit: Unit, names: Names, evidence: Evidence, writer: Writer) -> None:
        self._unit = unit
        self._names = names
        self._evidence = evidence
        self._writer = writer

    def found(self, node: ast.Call) -> RowLoop | None:
        """The row loop that the call is; None if it is none."""
        match node:
            case ast.Call(func=ast.Attribute(attr="apply"), args=[_, *_]):
                apply = self._apply(node)
                return None if apply is None else self._row_loop(node, apply)
            case ast.Call(func=ast.Name(id="map"), args=[function, data], keywords=[]):
                return self._map(node, function, data)
            case ast.Call(func=ast.Attribute(value=data, attr="map"), args=[function, *_]):
                return self._dataset_map(node, data, function)
            case _:
                return None

    # ---- apply

    def _apply(self, node: ast.Call) -> Apply | None:
        if not isinstance(node.func, ast.Attribute):
            return None
        options = {keyword.arg: keyword.value for keyword in node.keywords}
        axis = options.get("axis", node.args[1] if len(node.args) > 1 else None)
        if not isinstance(axis, ast.Constant) or axis.value not in ROWWISE or axis.value is True:
            return None
        if "engine" in options or isinstance(node.args[0], ast.Constant):
            return None  # it runs as columns already, or says what else runs it
        if isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "style":
            return None  # a Styler makes CSS of whole rows
        positional = len(node.args) > 2 or any(isinstance(a, ast.Starred) for a in node.args)
        if positional or None in options:
            return Apply(node.func.value, node.args[0], obstacle=messages.OPTIONS_BY_POSITION)
        args = options.get("args")
        return Apply(
            node.func.value,
            node.args[0],
            tuple(args.elts) if isinstance(args, ast.Tuple | ast.List) else (),
            tuple((k.arg, k.value) for k in node.keywords if k.arg and k.arg not in OWN_OPTIONS),
            _is_text(options.get("result_type"), "expand"),
            _option_in_the_way(options),
        )

    def _row_loop(self, node: ast.Call, apply: Apply) -> RowLoop:
        what = RULE["BP003"].summary
        if apply.obstacle:
            return RowLoop("BP003", node, what, obstacle=apply.obstacle, settles="unknown")
        found = self._evidence.function_of(apply.function)
        if found is None:
            text = messages.elsewhere_function_text(ast.unparse(apply.function))
            return RowLoop("BP003", node, what, obstacle=text, settles="unknown", hint=messages.ASK)
        use = self._use(found)
        if use.obstacle:
            return RowLoop("BP003", node, what, obstacle=use.obstacle, settles="no")
        try:
            given = tuple(constant_value(value) for value in apply.args)
            named = {name: constant_value(value) for name, value in apply.keywords}
        except NotKnown:
            obstacle = messages.FURTHER_ARGUMENTS
            return RowLoop(
                "BP003", node, what, obstacle=obstacle, settles="unknown", hint=messages.ASK
            )
        own = use.edits
        code = replace(self._code(found, own), given=given, named=named)
        if not self._writer.fits(node):
            return RowLoop("BP003", node, what, code)

        def written(verdict: Verdict) -> tuple[Edit, ...]:
            return self._vectorized_apply(node, apply, own, verdict)

        return RowLoop("BP003", node, what, code, replace=written, hint=messages.ROWS_ARE_DICTS)

    def _vectorized_apply(
        self,
        node: ast.Call,
        apply: Apply,
        own: tuple[Edit, ...],
        verdict: Verdict,
    ) -> tuple[Edit, ...]:
        # Of dicts pandas makes a Series, unless it is told to expand them; batchprep makes columns.
        if not verdict.gives or ("struct" in verdict.gives) is not apply.expands:
            return ()
        further = [self._writer.text(value) for value in apply.args]
        further += [f"{name}={self._writer.text(value)}" for name, value in apply.keywords]
        data = ", ".join([self._unit.source(apply.frame), *further])
        if own and not isinstance(apply.function, ast.Lambda) and self._is_shared(apply.function):
            return ()  # row["a"] instead of row.a may not suit its other callers
        if isinstance(apply.function, ast.Lambda):
            function = (
                f"{self._writer.batchprep}.vectorize({self._writer.text(apply.function, own)})"
            )
            return (self._unit.edit(node, f"{function}({data})"),)
        function = self._writer.vectorized(apply.function, node)
        return (*own, *function.edits, self._unit.edit(node, f"{function.text}({data})"))

    def _is_shared(self, function: ast.expr) -> bool:
        return not isinstance(function, ast.Name) or len(self._names.uses[function.id]) > 1

    def _use(self, found: ast.FunctionDef | ast.Lambda) -> RowUse:
        arguments = [*found.args.posonlyargs, *found.args.args]
        if not arguments:
            return RowUse(obstacle=messages.NO_PARAMETER)
        body: list[ast.AST] = [found.body] if isinstance(found, ast.Lambda) else [*found.body]
        row = arguments[0].arg
        return use_of_row(body, row, self._unit, self._names, OF_SERIES, returned=True)

    def _code(self, found: ast.FunctionDef | ast.Lambda, edits: tuple[Edit, ...]) -> RowCode:
        scope: Scope = self._names.scopes[found]
        if isinstance(found, ast.Lambda):
            return code_of_lambda(self._unit, found, scope, edits)
        return code_of_def(self._unit, found, scope, edits)

    # ---- map

    def _map(self, node: ast.Call, function: ast.expr, data: ast.expr) -> RowLoop | None:
        found = self._evidence.function_of(function)
        if found is None or not self._evidence.takes_records(function):
            return None
        if self._names.scope_of(node).lookup("map") is not None or isinstance(data, ast.Starred):
            return None
        code = self._code(found, ())
        if not self._writer.fits(node):
            return RowLoop("BP006", node, RULE["BP006"].summary, code)

        def written(_: Verdict) -> tuple[Edit, ...]:
            called = self._writer.vectorized(function, node)
            text = self._unit.source(data)
            outer = self._names.parents.get(node)
            match outer:
                case ast.Call(func=ast.Name(id="list"), args=[only], keywords=[]) if only is node:
                    form = self._evidence.form_of(data, node)
                    call = f"{called.text}({text})"
                    whole = call if form == "list" else f"list({call})"
                    return (*called.edits, self._unit.edit(outer, whole))
                case _:  # as lazy as map itself
                    edit = self._unit.edit(node, f"{called.text}(iter({text}))")
                    return (*called.edits, edit)

        return RowLoop("BP006", node, RULE["BP006"].summary, code, replace=written)

    # ---- datasets

    def _dataset_map(self, node: ast.Call, data: ast.expr, function: ast.expr) -> RowLoop | None:
        options = {keyword.arg: keyword.value for keyword in node.keywords}
        if not self._is_dataset(data, 0) or not _is_off(options.get("batched")):
            return None
        what = RULE["BP007"].summary
        found = self._evidence.function_of(function)
        if found is None:
            text = messages.elsewhere_function_text(ast.unparse(function))
            return RowLoop("BP007", node, what, obstacle=text, settles="unknown", hint=messages.ASK)
        try:
            named = constant_value(options["fn_kwargs"]) if "fn_kwargs" in options else {}
        except NotKnown:
            obstacle = messages.FURTHER_ARGUMENTS
            return RowLoop(
                "BP007", node, what, obstacle=obstacle, settles="unknown", hint=messages.ASK
            )
        if not _is_off(options.get("with_indices")):
            obstacle = messages.option_text("with_indices")
            return RowLoop("BP007", node, what, obstacle=obstacle, settles="unknown")
        code = replace(self._code(found, ()), named=named)
        return RowLoop("BP007", node, what, code, hint=messages.DATASET_HINT)

    def _is_dataset(self, data: ast.expr, depth: int) -> bool:
        """Whether the value is a dataset of Hugging Face, from a call that makes one."""
        if depth > MOST_STEPS:
            return False
        match data:
            case ast.Call(func=ast.Name(id=name)):
                return name in DATASETS
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                made = name in DATASETS and ast.unparse(value).endswith(("Dataset", "datasets"))
                return made or self._is_dataset(value, depth + 1)
            case ast.Subscript(value=value):
                return self._is_dataset(value, depth + 1)
            case ast.Name(id=name):
                found = self._names.scope_of(data).lookup(name)
                return found is not None and any(
                    self._binds_dataset(binding.node, data, depth) for binding in found[1]
                )
            case _:
                return False

    def _binds_dataset(self, node: ast.AST, data: ast.expr, depth: int) -> bool:
        if isinstance(node, ast.arg):
            return node.annotation is not None and _names_dataset(node.annotation)
        return isinstance(node, ast.expr) and node is not data and (
            not isinstance(node, ast.Name) and self._is_dataset(node, depth + 1)
        )  # fmt: skip


def _names_dataset(annotation: ast.expr) -> bool:
    words = {n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)}
    words |= {n.attr for n in ast.walk(annotation) if isinstance(n, ast.Attribute)}
    return bool(words & {"Dataset", "DatasetDict", "IterableDataset"})


def _is_off(option: ast.expr | None) -> bool:
    return option is None or (isinstance(option, ast.Constant) and not option.value)


def _is_text(node: ast.expr | None, wanted: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == wanted


def _option_in_the_way(options: dict[str | None, ast.expr]) -> str:
    """What an option of apply asks for that batchprep does not do; "" where none does."""
    for name, value in options.items():
        match name, value:
            case "args", ast.Tuple() | ast.List():
                continue
            case "raw", ast.Constant(value=False):
                continue
            case "result_type", ast.Constant(value=None | "expand"):
                continue
            case "args" | "raw" | "result_type" | "meta" | "by_row", _:
                return messages.option_text(f"{name}={ast.unparse(value)}")
            case _:
                continue
    return ""
