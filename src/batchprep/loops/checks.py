"""What a step may call and change: nothing whose effects reach back into the records."""

from __future__ import annotations

import ast
import collections
import types
from collections.abc import Iterator, Mapping
from typing import Final

from batchprep.loops import messages
from batchprep.loops.names import CHANGERS, Names, roots
from batchprep.loops.split import Split, Step, slot_name

FUNCTIONS: Final = frozenset({
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "frozenset", "int",
    "isinstance", "len", "list", "max", "min", "range", "repr", "reversed", "round", "set",
    "sorted", "str", "sum", "tuple", "zip",
})  # fmt: skip
MAKERS: Final[frozenset[object]] = frozenset(
    {collections.defaultdict, collections.Counter, collections.deque, collections.OrderedDict}
)
FRESH: Final = frozenset({
    "bool", "dict", "float", "int", "len", "list", "round", "set", "sorted", "str", "sum",
    "tuple",
})  # fmt: skip
READERS: Final = frozenset({
    "casefold", "copy", "count", "date", "difference", "elements", "endswith", "format", "get",
    "index", "intersection", "isdisjoint", "isoformat", "issubset", "issuperset", "items",
    "join", "keys", "lower", "lstrip", "most_common", "replace", "rsplit", "rstrip", "split",
    "startswith", "strftime", "strip", "symmetric_difference", "time", "title", "total",
    "total_seconds", "union", "upper", "values",
})  # fmt: skip
METHODS: Final = READERS | {name for name in CHANGERS if not name.startswith("write")}


def check_steps(split: Split, namespace: Mapping[str, object]) -> None:
    """Refuse steps that call what may have effects, or change what may belong to a record.

    Errors:  Unsupported, with the statement's place
    """
    for step in split.steps:
        for statement in step.statements:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and not _is_known(node.func, namespace):
                    what = f"{ast.unparse(node.func)}(...)"
                    split.loop.refuse(messages.CALL_ON_STATE, step.original, what)
    for name in split.tainted:
        _check_inside(split, name)


def _is_known(function: ast.expr, namespace: Mapping[str, object]) -> bool:
    match function:
        case ast.Name(id=name):
            # That a name of FUNCTIONS is Python's own is seen to elsewhere.
            return name in FUNCTIONS or _is_maker(namespace.get(name))
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            owner = namespace.get(name)
            if isinstance(owner, types.ModuleType):
                return owner.__name__ == "math" or _is_maker(getattr(owner, attr, None))
            return attr in METHODS
        case ast.Attribute(attr=attr):
            return attr in METHODS
        case _:
            return False


def _is_maker(found: object) -> bool:
    return any(found is maker for maker in MAKERS)


def _check_inside(split: Split, name: str) -> None:
    """What lies inside of a state may be changed if the loop itself made it."""
    changed = [(step, _depth(step, name, split)) for step in split.steps]
    deepest = max((depth for _, depth in changed), default=0)
    if deepest < 2 and not _is_alias(split, name):
        return
    step = next(step for step, depth in changed if depth == deepest)
    is_fresh = _is_all_fresh if deepest > 2 else _is_fresh
    put = _put(split, name, inside=deepest > 1)
    if not all(is_fresh(value) or _is_part(value, name, split) for value in put):
        split.loop.refuse(messages.DEEP, step.original, name)


def _is_alias(split: Split, name: str) -> bool:
    """Whether a name that the loop binds is changed in place."""
    return any(
        name in names.written and name in Names(split.loop.body).stored
        for names in (Names(step.statements) for step in split.steps)
    )


def _depth(step: Step, name: str, split: Split) -> int:
    """How far inside of the object a step changes it: d[k] = v 1, d[k].append(v) 2."""
    depths = [0]
    for statement in step.statements:
        for node in ast.walk(statement):
            for target, own in changed(node):
                if name in roots(target):
                    depths.append(steps_inside(target) + own)
            if isinstance(node, ast.Assign) and _writes_alias(node, name, split):
                depths.append(2)
    return max(depths)


def changed(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """What a piece of code writes into, and whether a method of it does so."""
    match node:
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store()):
            yield node, 0
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in CHANGERS:
            yield value, 1
        case _:
            pass


def _writes_alias(node: ast.Assign, name: str, split: Split) -> bool:
    """x = d[k] where x is changed in place later on."""
    if not isinstance(node.value, ast.Subscript | ast.Call) or name not in roots(node.value):
        return False
    aliases = Names(node.targets).stored
    return any(aliases & Names(step.statements).written for step in split.steps)


def steps_inside(target: ast.expr) -> int:
    """How many subscripts, attributes and calls lie between a name and what is meant."""
    match target:
        case ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return 1 + steps_inside(inner)
        case ast.Call(func=ast.Attribute(value=inner)):
            return 1 + steps_inside(inner)
        case _:
            return 0


def _put(split: Split, name: str, *, inside: bool = True) -> Iterator[ast.expr]:
    """What the steps bind to a name or, `inside`, put into its object, as the user wrote it."""
    for step in split.steps:
        slots = {slot_name(key): value for key, value in step.slots.items()}
        for statement in step.statements:
            for node in ast.walk(statement):
                for value in _values_put(node, name, inside=inside):
                    known = slots.get(value.id) if isinstance(value, ast.Name) else None
                    yield known or value


def _values_put(node: ast.AST, name: str, *, inside: bool) -> Iterator[ast.expr]:
    match node:
        case ast.For(target=target, iter=iterable) if name in Names([target]).stored:
            yield iterable  # its items are what the loop did not make
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target) if (
            name in Names([target]).stored
        ):
            yield value
        case ast.NamedExpr(target=ast.Name(id=bound), value=value) if bound == name:
            yield value
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, ast.Tuple | ast.List) and name in Names([target]).stored:
                    yield from _unpacked(target, value, name)
                direct = isinstance(target, ast.Name) and target.id == name
                put = isinstance(target, ast.Subscript) and _is(target.value, name)
                if direct or (inside and put):
                    yield value
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args) if inside:
            if _is(owner, name) and attr in CHANGERS:
                yield from args[1:] if attr in {"setdefault", "insert"} else args
        case _:
            pass


def _unpacked(target: ast.Tuple | ast.List, value: ast.expr, name: str) -> Iterator[ast.expr]:
    """What a name of several gets; where that cannot be told, what is surely not made anew."""
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    if len(values) != len(target.elts):
        yield ast.Name(name, ast.Load())
        return
    for one, held in zip(target.elts, values, strict=True):
        if name in Names([one]).stored:
            yield held if _is(one, name) else ast.Name(name, ast.Load())


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_fresh(value: ast.expr) -> bool:
    """Whether evaluating it makes an object of its own, or one that cannot be changed."""
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name in FRESH or name in {maker.__name__ for maker in _classes()}
        case (
            ast.Subscript() | ast.Name() | ast.Attribute() | ast.Call() | ast.IfExp() | ast.BoolOp()
        ):
            return False
        case _:
            return True


def _is_all_fresh(value: ast.expr) -> bool:
    """Whether all that lies in it is of its own too, or cannot be changed."""
    match value:
        case ast.Dict(keys=keys, values=values):
            return None not in keys and all(map(_is_all_fresh, values))
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return all(map(_is_all_fresh, elts))
        case ast.Call(func=ast.Name(id="int" | "float" | "str" | "len" | "bool" | "round" | "sum")):
            return True
        case ast.Call(func=ast.Name(id="dict" | "list" | "set"), args=[], keywords=[]):
            return True
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case _:
            return False


def _is_part(value: ast.expr, name: str, split: Split) -> bool:
    """Whether it was taken out of another state, in which nothing lies but what was made for it."""
    match value:
        case ast.Subscript(value=ast.Name(id=owner)) | (
            ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get" | "setdefault"))
        ):
            own = owner in split.tainted and owner != name
            return own and all(map(_is_all_fresh, _put(split, owner)))
        case _:
            return False


def _classes() -> list[type]:
    return [maker for maker in MAKERS if isinstance(maker, type)]
