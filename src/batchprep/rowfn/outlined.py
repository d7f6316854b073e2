"""Comprehensions and calls over generators: Python runs them as they stand, as pure functions.

    " ".join(w.capitalize() for w in r["s"].split(" "))     a function of r["s"].split(" ")

What such an expression takes from outside is worked out as any other expression; the rest of it
becomes a function of that, which runs once per distinct value. It may hold only what is known to
be pure.
"""

from __future__ import annotations

import ast
import builtins
import copy
import math
from collections.abc import Callable
from typing import Any, Final, cast

from batchprep.dtypes import Kind
from batchprep.plan.pure import Held
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure
from batchprep.rowfn.pure_calls import FUNCTIONS
from batchprep.rowfn.sums import Static, Value
from batchprep.rowfn.texts import METHODS, OF_OTHERS

PLAIN: Final = (
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Name,
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call,
    ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.JoinedStr,
    ast.FormattedValue, ast.Starred, ast.keyword, ast.Lambda, ast.arguments, ast.arg,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
# Builtins that neither change anything nor depend on anything but their arguments.
BUILTINS: Final = frozenset({
    builtins.abs, builtins.all, builtins.any, builtins.bool, builtins.dict, builtins.divmod,
    builtins.enumerate, builtins.filter, builtins.float, builtins.frozenset, builtins.int,
    builtins.isinstance, builtins.len, builtins.list, builtins.map, builtins.max, builtins.min,
    builtins.reversed, builtins.round, builtins.set, builtins.sorted, builtins.str, builtins.sum,
    builtins.tuple, builtins.zip,
})  # fmt: skip
# Calls of these are iterators, which can be read once: the call around them is taken whole.
ITERATORS: Final = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
WITHOUT_CHANGE: Final = frozenset({*METHODS, *OF_OTHERS, "items", "keys", "values", "copy"})
GIVES: Final[dict[Any, tuple[Kind, ...]]] = {
    builtins.all: ("bool",),
    builtins.any: ("bool",),
    builtins.len: ("int",),
    builtins.str: ("str",),
    builtins.sorted: ("list",),
    builtins.list: ("list",),
    builtins.tuple: ("tuple",),
}
OF_DISPLAYS: Final[dict[type, tuple[Kind, ...]]] = {
    ast.ListComp: ("list",),
    ast.SetComp: ("other",),
    ast.DictComp: ("struct",),
}

Evaluate = Callable[[Frame, ast.expr], Value]


def reads_iterator(node: ast.Call) -> bool:
    """Whether an argument of the call is a generator or another iterator that it reads."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(
        isinstance(arg, ast.GeneratorExp)
        or (
            isinstance(arg, ast.Call)
            and isinstance(arg.func, ast.Name)
            and arg.func.id in ITERATORS
        )
        for arg in given
    )


def outlined(frame: Frame, node: ast.expr, evaluate: Evaluate) -> Value:
    """The value of an expression that Python runs as it stands."""
    bound = _bound_names(node)
    outline = _Outline(frame, evaluate, bound, first=_first_read(node))
    body = cast("ast.expr", outline.visit(copy.deepcopy(node)))
    function = _function(body, list(outline.given), outline.functions)
    key = (ast.unparse(node), tuple(map(Held, outline.functions.values())))
    return apply_pure(
        frame, "expression", function, list(outline.given.values()), _kinds(outline, node), node,
        safe=False, key=key,
    )  # fmt: skip


def _kinds(outline: _Outline, node: ast.expr) -> tuple[Kind, ...] | None:
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            known = METHODS.get(node.func.attr)
            return ("str",) if known is not None and node.func.attr == "join" else None
        return GIVES.get(outline.function)
    return OF_DISPLAYS.get(type(node))


def _function(body: ast.expr, names: list[str], functions: dict[str, Any]) -> Callable[..., Any]:
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    made = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, body)))
    code = compile(made, "<expression>", "eval")
    return cast("Callable[..., Any]", eval(code, dict(functions)))  # noqa: S307  the user's own


def _bound_names(node: ast.AST) -> frozenset[str]:
    """Names that comprehensions and lambdas inside bind."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not _is_load(n)}
    return frozenset(stored | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)})


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _first_read(node: ast.expr) -> frozenset[int]:
    """Positions of what is evaluated first of all, whatever the rest does."""
    outer = node.args[0] if isinstance(node, ast.Call) and node.args else node
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    if isinstance(outer, comprehensions):
        return frozenset({_place(outer.generators[0].iter)})
    if isinstance(outer, ast.Call) and len(outer.args) == 1:
        return frozenset({_place(outer.args[0])})
    return frozenset()


def _place(node: ast.expr) -> int:
    return node.lineno * 100_000 + node.col_offset


class _Outline(ast.NodeTransformer):
    """Puts names in the place of what comes from outside; refuses what may not be pure."""

    def __init__(
        self, frame: Frame, evaluate: Evaluate, bound: frozenset[str], first: frozenset[int]
    ) -> None:
        self.given: dict[str, Value] = {}
        self.functions: dict[str, Any] = {}
        self.function: Any = None
        self._frame = frame
        self._evaluate = evaluate
        self._bound = bound
        self._first = first

    def visit(self, node: ast.AST) -> Any:
        """The node with names for what it takes from outside."""
        if not isinstance(node, PLAIN):
            self._frame.unsupported(node, f"{type(node).__name__} in an expression like this")
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            self._frame.unsupported(node, f"the attribute .{node.attr} in an expression like this")
        if isinstance(node, ast.expr) and self._is_outside(node):
            return self._taken(node)
        return self.generic_visit(node)

    def _is_outside(self, node: ast.expr) -> bool:
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        readable = isinstance(node, (ast.Name, ast.Subscript))
        if any(n.id in self._bound for n in names) or isinstance(node, ast.Constant):
            return False
        return _place(node) in self._first or (readable and bool(names))

    def _taken(self, node: ast.expr) -> ast.expr:
        """A name for a value from outside. What is not surely evaluated must not raise."""
        deviations = self._frame.tracer.deviations
        before = len(deviations)
        value = self._evaluate(self._frame, node)
        if len(deviations) > before and _place(node) not in self._first:
            self._frame.unsupported(node, "a value that may raise inside of a comprehension")
        return self._named(value)

    def _named(self, value: Value) -> ast.expr:
        name = f"_v{len(self.given)}"
        self.given[name] = value
        return ast.Name(name, ast.Load())

    def _function_named(self, function: Any) -> ast.expr:
        name = f"_f{len(self.functions)}"
        self.functions[name] = function
        return ast.Name(name, ast.Load())

    def _call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        function = self._known_function(node.func)
        if self.function is None:
            self.function = function
        # The outermost call comes first: what is read first of its argument is read first of all.
        return ast.Call(
            self._function_named(function),
            [self.visit(arg) for arg in node.args],
            [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords],
        )

    def _known_function(self, node: ast.expr) -> Any:
        value = None
        if not any(isinstance(n, ast.Name) and n.id in self._bound for n in ast.walk(node)):
            value = self._evaluate(self._frame, node)
        function = value.value if isinstance(value, Static) else None
        try:
            known = function in BUILTINS or function in FUNCTIONS or function in MATHS
        except TypeError:
            known = False
        if not known:
            name = ast.unparse(node)
            self._frame.unsupported(node, f"{name} in an expression like this cannot be compiled")
        return function

    def _method(self, node: ast.Call, called: ast.Attribute) -> ast.expr:
        names = {n.id for n in ast.walk(called.value) if isinstance(n, ast.Name)}
        if names and not names & self._bound:
            owner = self._evaluate(self._frame, called.value)
            if isinstance(owner, Static) and not isinstance(owner.value, (dict, tuple, list)):
                function = self._known_function(called)
                return ast.Call(
                    self._function_named(function),
                    [self.visit(arg) for arg in node.args],
                    [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords],
                )
        if called.attr not in WITHOUT_CHANGE:
            self._frame.unsupported(node, f"the method .{called.attr} in an expression like this")
        return ast.Call(
            ast.Attribute(self.visit(called.value), called.attr, ast.Load()),
            [self.visit(arg) for arg in node.args],
            [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords],
        )


MATHS: Final = frozenset(
    function for name, function in vars(math).items() if callable(function) and name[0] != "_"
)
