"""Expressions and statements that cannot be traced: Python runs them, as pure functions.

    " ".join(w.capitalize() for w in r["s"].split(" "))     a function of r["s"]
    try: x = float(r["s"]) except ValueError: x = None      the same, which gives x

What such a piece takes from outside is worked out as any other expression; the rest becomes a
function of that, which runs once per distinct text or once per row. Names that a statement binds
are parts of what its function gives.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, Final

from batchprep.batch.kinds import ABSENT
from batchprep.dtypes import Kind
from batchprep.plan.boolean import any_of
from batchprep.plan.build import both, build, invert
from batchprep.plan.node import TRUE, Node, const
from batchprep.plan.plain import plain_object
from batchprep.plan.pure import outcome
from batchprep.plan.tables import Pure, Refused
from batchprep.plan.values import Sum
from batchprep.rowfn.frame import Binding, Frame, Return
from batchprep.rowfn.lazy import OBJECT, apply_pure, reads_row
from batchprep.rowfn.operands import AS_IT_IS, REGULAR, fingerprint
from batchprep.rowfn.outline import Outline
from batchprep.rowfn.owners import is_record
from batchprep.rowfn.ownership import is_new, leaking, read_ownership
from batchprep.rowfn.purity import GIVES
from batchprep.rowfn.returning import (
    Returns,
    always_leaves,
    bound_names,
    scope_names,
    surely_bound,
    unbound_names,
)
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.sums import Lazy, Static, Value, boolean, cells_of
from batchprep.rowfn.texts import METHODS

NEW_OBJECTS: Final = frozenset({
    builtins.list, builtins.dict, builtins.set, builtins.sorted, Counter, OrderedDict, defaultdict,
    deque,
})  # fmt: skip
COPIED: Final = frozenset({list, dict, set, Counter, OrderedDict, defaultdict, deque, bytearray})
# Calls of these are iterators, which can be read once: the call around them is taken whole.
ITERATORS: Final = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
OF_DISPLAYS: Final[dict[type, tuple[Kind, ...]]] = {
    ast.ListComp: ("list",),
    ast.SetComp: ("other",),
    ast.DictComp: ("struct",),
}
LONGEST_NAME: Final = 48  # of a piece of code in a plan

ENTERED: Final = "_entered"  # the parameter that tells whether the row gets to the piece at all


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


# ---------------------------------------------------------------------------------- expressions


def outlined(frame: Frame, node: ast.expr, reason: str = "") -> Value:
    """The value of an expression that Python runs as it stands.

    Errors: Unsupported where it may do more than give a value
    """
    outline = Outline(frame, bound_names([node]), read_ownership([node]))
    body = outline.visit(copy.deepcopy(node))
    outline.check_changes()
    outline.check_readable(node)
    if outline.copied:  # only as a statement: what it changes must be bound anew
        frame.unsupported(node, "a change of an object inside of an expression")
    entered = _entered(frame, outline)
    if entered is not TRUE:
        body = ast.IfExp(ast.Name(ENTERED, ast.Load()), body, ast.Constant(None))
        outline.given[ENTERED] = boolean(entered)
    arguments = ast.arguments([], [ast.arg(n) for n in outline.given], None, [], [], None, [])
    made = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, body)))
    function = eval(compile(made, "<expression>", "eval"), dict(outline.constants))  # noqa: S307
    return _applied(frame, node, outline, function, _kinds(outline, node), reason)


def _applied(
    frame: Frame,
    node: ast.expr | ast.stmt,
    outline: Outline,
    function: Any,
    kinds: tuple[Kind, ...] | None,
    reason: str,
) -> Value:
    leaks = [outline.given[name] for name in leaking([node]) if name in outline.given]
    for value in leaks:
        cells = cells_of(value, frame.state.heap) if isinstance(value, Sum) else ()
        if any(cell.sealed for cell in cells):
            frame.unsupported(node, "a list or dict that was given away before")
    text = ast.unparse(node)
    constants = tuple((name, fingerprint(held)) for name, held in outline.constants.items())
    first, *more = text.splitlines()
    short = first if len(first) <= LONGEST_NAME else f"{first[:LONGEST_NAME]}..."
    short += " ..." if more else ""
    found = apply_pure(
        frame, short, function, list(outline.given.values()), kinds, node,
        safe=False, key=(text, constants, frame.source.file, frame.source.span(node).line),
        aliases=outline.outside,
        kept=list(_kept(frame, node, outline, leaking([node]))),
        leaks=leaks, keeps=not outline.endless,
    )  # fmt: skip
    if isinstance(found, Lazy) and reason:
        words = all(read.dtype == "s" for read in found.nodes) and len(found.nodes) == 1
        often = "once per distinct text" if words else "once per row"
        frame.tracer.seams.append(Seam(frame.source.span(node), short, reason, often))
    return found


def _kept(frame: Frame, node: ast.AST, outline: Outline, leaks: frozenset[str]) -> Iterator[Value]:
    """What the piece may keep: a list that it hands on; of one that it reads, what that holds."""
    if isinstance(node, (ast.Compare, ast.JoinedStr)):
        return
    for name, value in outline.given.items():
        payload = value.alternatives[0].payload if isinstance(value, Sum) and value.kinds else None
        slots = frame.slots(payload)
        if name in leaks or slots is None or is_record(frame, value):
            yield value
        else:
            yield from (slot.value for slot in slots.slots)


def _kinds(outline: Outline, node: ast.expr) -> tuple[Kind, ...] | None:
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            known = METHODS.get(node.func.attr)
            return ("str",) if known is not None and node.func.attr == "join" else None
        return GIVES.get(outline.called)
    return OF_DISPLAYS.get(type(node))


def _entered(frame: Frame, outline: Outline) -> Node:
    """The rows that get to this place. What might run for ever gets no value that no row has."""
    path = frame.state.path
    if not outline.endless:
        return path
    gone = any_of(deviation.guard for deviation in frame.tracer.deviations)
    return both(both(path, REGULAR), invert(gone))


# ----------------------------------------------------------------------------------- statements


def outline_statement(frame: Frame, statement: ast.stmt, reason: str) -> None:
    """Run a statement as a pure function: what it binds is what the function gives.

    Errors: Unsupported where it may do more than that
    """
    owner = read_ownership([statement])
    bound = bound_names([statement])
    outline = Outline(frame, bound, owner)
    names = sorted(scope_names(statement))
    for name in names:
        outline.take_bound(name)
    visited: Any = outline.visit(copy.deepcopy(statement))
    body: list[ast.stmt] = visited if isinstance(visited, list) else [visited]
    body = [Returns().rewritten(one) for one in body]
    for change in owner.changes:
        if change.root is not None and change.root not in bound:
            outline.visit(ast.Name(change.root, ast.Load()))
    outline.check_changes()
    outline.check_readable(statement)
    names += [name for name in outline.copied if name not in names]
    sure = frozenset(name for name in names if _stays_bound(frame, statement, name))
    entered = _entered(frame, outline)
    if entered is TRUE and not any(reads_row(frame, given) for given in outline.given.values()):
        entered = REGULAR  # what it makes is made anew for each row
    if entered is not TRUE:
        outline.given[ENTERED] = boolean(entered)
    function = _statement_function(outline, body, names, sure)
    found = _applied(frame, statement, outline, function, ("tuple",), reason)
    if not isinstance(found, Lazy):
        frame.unsupported(statement, reason)
    _take_results(frame, statement, outline, found, names, leaking([statement]))


def _statement_function(
    outline: Outline, body: list[ast.stmt], names: list[str], bound: frozenset[str]
) -> Any:
    """The function: (0, value of each name) where it goes on, (1, value) where it returns."""
    statements = [*_prologue(outline), *body]
    constants = outline.constants
    skipped = (0, *[ABSENT] * len(names))
    constants["_skipped"] = skipped
    constants["_locals"] = locals
    statements.append(ast.Return(_ended(names, bound)))
    parameters = [ast.arg(name) for name in outline.given]
    made = ast.FunctionDef(
        "_piece", ast.arguments([], parameters, None, [], [], None, []), statements, []
    )
    module = ast.fix_missing_locations(ast.Module([made], []))
    namespace = dict(constants)
    exec(compile(module, "<statement>", "exec"), namespace)  # noqa: S102  the user's own code
    del constants["_skipped"]  # made anew each time: no part of what tells two pieces apart
    constants["_names"] = tuple(names)
    return namespace["_piece"]


def _ended(names: list[str], bound: frozenset[str]) -> ast.expr:
    """What the function gives where the row goes on."""
    values: list[ast.expr] = []
    for name in names:
        found = ast.Call(_load("_locals"), [], [])
        get = ast.Attribute(found, "get", ast.Load())
        maybe = ast.Call(get, [ast.Constant(name), _load("_absent")], [])
        values.append(_load(name) if name in bound else maybe)
    return ast.Tuple([ast.Constant(0), *values], ast.Load())


def _prologue(outline: Outline) -> list[ast.stmt]:
    constants = outline.constants
    constants["_absent"] = ABSENT
    found: list[ast.stmt] = []
    if ENTERED in outline.given:
        skipped = ast.Return(_load("_skipped"))
        found.append(ast.If(ast.UnaryOp(ast.Not(), _load(ENTERED)), [skipped], []))
    for name in sorted(outline.optional):
        missing = ast.Compare(_load(name), [ast.Is()], [_load("_absent")])
        found.append(ast.If(missing, [ast.Delete([ast.Name(name, ast.Del())])], []))
    for name, depth in outline.copied.items():
        constants[f"_copy{depth}"] = _copies[depth]
        copied = ast.Call(_load(f"_copy{depth}"), [_load(name)], [])
        found.append(ast.Assign([ast.Name(name, ast.Store())], copied))
    return found


def makes_new(frame: Frame, node: ast.expr) -> bool:
    """Whether the expression surely gives an object that nobody else holds."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        from batchprep.rowfn.expressions import traced

        function = traced(frame, node.func)
        return isinstance(function, Static) and function.value in NEW_OBJECTS
    return is_new(node) and not isinstance(node, ast.IfExp)


def _shallow(value: Any) -> Any:
    """A copy of a list, dict or set that the code changes."""
    if type(value) not in COPIED:
        raise Refused
    return value.copy()


_copies: Final[dict[int, Callable[[Any], Any]]] = {1: _shallow, 2: copy.deepcopy}


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _take_results(
    frame: Frame,
    statement: ast.stmt,
    outline: Outline,
    found: Lazy,
    names: list[str],
    leaks: frozenset[str],
) -> None:
    """Bind what the statement bound, and return where it returned."""
    whole = Lazy(Pure(("piece",), AS_IT_IS, "piece", sure=True), (_object(found),), ("tuple",))
    if Returns.any_in(statement):
        _take_return(frame, statement, whole)
    for place, name in enumerate(names, start=1):
        value = _item(whole, place)
        sure = _stays_bound(frame, statement, name)
        bound = TRUE if sure else invert(_is_absent(whole, place))
        frame.state.names[name] = Binding(value, bound)
        made = name in outline.copied or outline.owner.made_here(name)
        if made and name not in leaks:
            frame.tracer.owned[value.nodes[0]] = 1 + outline.owner.holds_own(name)
        if name == outline.written or _was_rewritten(frame, outline, name):
            frame.tracer.touched = True
            frame.tracer.rewritten.add(value.nodes[0])
            if frame.rewritten_at is None:
                frame.rewritten_at = len(frame.returns)


def _was_rewritten(frame: Frame, outline: Outline, name: str) -> bool:
    """Whether a piece before wrote into the record in that name, and this one did so as well."""
    given = outline.given.get(name) if name in outline.copied else None
    return isinstance(given, Lazy) and given.nodes[0] in frame.tracer.rewritten


def _stays_bound(frame: Frame, statement: ast.stmt, name: str) -> bool:
    """Whether the name has a value behind the statement."""
    if name in surely_bound([statement]) - unbound_names(statement):
        return True
    before = frame.state.names.get(name)
    return before is not None and before.bound is TRUE and name not in unbound_names(statement)


def _take_return(frame: Frame, statement: ast.stmt, whole: Lazy) -> None:
    state, path = frame.state, frame.state.path
    returned = TRUE
    if not always_leaves([statement]):
        status = outcome(_part(0, "status", "int"), whole.nodes, "int")
        returned = build("ieq", status, const(1))
    state.path = both(path, returned)
    value: Value = _item(whole, 1)
    if not frame.callers:
        value = frame.held(value, statement)
    frame.returns.append(Return(state.path, value, dict(state.heap)))
    state.path = both(path, invert(returned))


def _object(value: Lazy) -> Node:
    return outcome(value.pure, value.nodes, "any")


def _part(place: int, name: str, kind: Kind | None = None) -> Pure:
    filler = 0 if kind == "int" else None

    def get(found: Any) -> Any:  # nothing was found where the piece raised
        return found[place] if found is not None and len(found) > place else filler

    return Pure(("item", place), get, name, sure=True, kind=kind, fresh=False)


def _item(whole: Lazy, place: int) -> Lazy:
    """An item of what the piece gave, as an object of the pool."""
    node = outcome(_part(place, f"item {place}"), whole.nodes, "any")
    return Lazy(Pure(OBJECT, plain_object, OBJECT), (node,), None)


def _is_absent(whole: Lazy, place: int) -> Node:
    """The rows where the piece has left a name without a value."""

    def absent(found: Any) -> bool:
        return found is not None and len(found) > place and found[place] is ABSENT

    pure = Pure(("absent", place), absent, "no value", sure=True, kind="bool")
    return outcome(pure, whole.nodes, "bool")
