"""Strings: methods, slices, items, operators and f-strings, as pure functions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from batchprep.dtypes import Kind
from batchprep.plan.build import both, either, invert
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure, has_objects
from batchprep.rowfn.numbers import Handler
from batchprep.rowfn.sums import NOTHING, Lazy, SumBuilder, Value, literal_of, settled

TEXT: Final[tuple[Kind, ...]] = ("str",)
NUMBER: Final[tuple[Kind, ...]] = ("int",)
TRUTH: Final[tuple[Kind, ...]] = ("bool",)
LIST: Final[tuple[Kind, ...]] = ("list",)
TUPLE: Final[tuple[Kind, ...]] = ("tuple",)


@dataclass(frozen=True)
class _Method:
    """What a method gives, and whether it may raise with constants of the right types."""

    kinds: tuple[Kind, ...] | None
    fails: bool = False
    items: tuple[Kind, ...] | None = None
    safe: bool = True  # see Lazy


def _methods() -> dict[str, _Method]:
    texts = (
        "upper lower title capitalize casefold swapcase strip lstrip rstrip removeprefix "
        "removesuffix replace zfill expandtabs"
    )
    tests = (
        "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable "
        "isspace istitle isupper startswith endswith"
    )
    found = {name: _Method(TEXT) for name in texts.split()}
    found |= {name: _Method(TRUTH) for name in tests.split()}
    found |= {name: _Method(NUMBER) for name in ("find", "rfind", "count")}
    found |= {name: _Method(NUMBER, fails=True) for name in ("index", "rindex")}
    # A fill character of another length, a format that does not fit, a width without end.
    raising = "ljust rjust center join"
    found |= {name: _Method(TEXT, fails=True) for name in raising.split()}
    # "{:c}".format(0xD800) is a lone surrogate.
    found |= {
        n: _Method(TEXT, fails=True, safe=False) for n in ("format", "format_map", "translate")
    }
    found |= {n: _Method(LIST, fails=True, items=TEXT) for n in ("split", "rsplit")}
    found |= {n: _Method(TUPLE, fails=True, items=TEXT) for n in ("partition", "rpartition")}
    found["splitlines"] = _Method(LIST, items=TEXT)
    found["encode"] = _Method(("other",), fails=True)
    return found


METHODS: Final = _methods()
# What other values that a pure function gave may be asked for; nothing that changes them.
OF_OTHERS: Final[dict[str, _Method]] = {
    "group": _Method(("none", "str"), fails=True),
    "groups": _Method(TUPLE, fails=True, items=("none", "str")),
    "groupdict": _Method(("struct",), fails=True, items=("none", "str")),
    "start": _Method(NUMBER, fails=True),
    "end": _Method(NUMBER, fails=True),
    "span": _Method(TUPLE, fails=True, items=NUMBER),
    "hexdigest": _Method(TEXT, fails=True),
    "digest": _Method(("other",), fails=True),
    "decode": _Method(TEXT, fails=True, safe=False),
    "hex": _Method(TEXT, fails=True),
    "get": _Method(None, fails=True),
    "count": _Method(NUMBER, fails=True),
    "index": _Method(NUMBER, fails=True),
}


# Methods that make a text of any length: no row but its own may ask for it.
WIDE: Final = frozenset({"ljust", "rjust", "center", "zfill", "expandtabs"})


def text_method(
    frame: Frame,
    owner: Value,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """owner.name(...) of a string, or of what a pure function gave; None where it is neither."""
    if isinstance(owner, Lazy) and owner.kinds != TEXT:
        return _other_method(frame, owner, name, arguments, keywords, node)
    text = only_text(frame, owner, f".{name}", "AttributeError", node)
    if text is None:
        return None
    method = METHODS.get(name)
    if method is None:
        if hasattr(str, name):
            frame.unsupported(node, f"the method .{name} of str cannot be compiled")
        frame.fault(TRUE, "AttributeError", f".{name} of str", node)
        return NOTHING
    return _called(frame, name, method, [text, *arguments], keywords, node)


def _other_method(
    frame: Frame,
    owner: Lazy,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    method = OF_OTHERS.get(name) if owner.kinds is None or "str" not in owner.kinds else None
    if method is None:
        known = METHODS.get(name)
        if known is None or (owner.kinds is not None and "str" not in owner.kinds):
            what = owner.pure.name
            frame.unsupported(node, f"the method .{name} of the result of {what} is not compiled")
        # None.strip() raises AttributeError, as its own row will.
        kinds = None if owner.kinds is None else known.kinds
        method = _Method(kinds, fails=True, items=known.items, safe=known.safe)
    if name in {"group", "groups", "groupdict"} and (len(arguments) > 1 or name != "group"):
        method = _of_groups(name, method, given=bool(arguments or keywords))
    return _called(frame, name, method, [owner, *arguments], keywords, node)


def _of_groups(name: str, method: _Method, *, given: bool) -> _Method:
    """Several groups are a tuple, and a default may be anything."""
    if name == "group":
        return _Method(TUPLE, fails=True, items=("none", "str"))
    return _Method(method.kinds, fails=True) if given else method


def _called(
    frame: Frame,
    name: str,
    method: _Method,
    values: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    names = tuple(keywords)
    count = len(values)

    def call(owner: Any, *rest: Any) -> Any:
        named = dict(zip(names, rest[count - 1 :], strict=True))
        return getattr(owner, name)(*rest[: count - 1], **named)

    if name in WIDE and not all(map(is_known, values[1:])):
        frame.unsupported(node, f"a width of .{name} that differs by row")
    owner = values[0]
    is_text = isinstance(owner, (Sum, Lazy)) and owner.kinds == TEXT
    plain = getattr(str, name) if is_text else lambda owner, *rest: getattr(owner, name)(*rest)
    function = call if names else plain
    given = [*values, *keywords.values()]
    fails = method.fails or not all(map(is_known, given[1:])) or not _fits(name, given[1:], names)
    return apply_pure(
        frame, f".{name}", function, given, method.kinds, node,
        fails=fails, safe=method.safe, items=method.items, key=(count, names),
        kept=None if name == "get" else (),
    )  # fmt: skip


def is_known(value: Value) -> bool:
    """Whether the value is a constant."""
    try:
        literal_of(value)
    except LookupError:
        return False
    return True


def _fits(name: str, values: list[Value], names: tuple[str, ...]) -> bool:
    """Whether the constants are what the method takes, tried on a string."""
    constants = [literal_of(value) for value in values]
    plain = len(constants) - len(names)
    try:
        getattr("a", name)(*constants[:plain], **dict(zip(names, constants[plain:], strict=True)))
    except Exception:  # noqa: BLE001  each row raises it in its turn
        return False
    return True


def kinds_of(value: Value) -> tuple[Kind, ...] | None:
    """Kinds that the value may have; None where they are not known."""
    return value.kinds if isinstance(value, (Sum, Lazy)) else None


def only_text(frame: Frame, value: Value, what: str, error: str, node: ast.AST) -> Value | None:
    """The value on the rows where it is a string: others raise; None where no row has one."""
    if isinstance(value, Lazy):
        return value if value.kinds == TEXT else None
    if not isinstance(value, Sum):
        return None
    text = value.get("str")
    if text is None:
        return None
    wrong, unknown = FALSE, FALSE
    for a in value:
        if a.kind in {"none", "bool", "int", "float", "tuple"}:
            wrong = either(wrong, a.guard)
        elif a.kind != "str":
            unknown = either(unknown, a.guard)
    reason = f"{what} of {' or '.join(value.kinds)}"
    frame.fault(wrong, error, reason, node)
    frame.escape(unknown, reason, node)
    return Sum((Alternative("str", TRUE, text.payload),))


# ----------------------------------------------------------------------------------- items, slices


def text_item(frame: Frame, owner: Value, keys: list[Value], node: ast.AST) -> Value | None:
    """owner[key], or owner[a:b:c] for three keys; None where the owner is no such value."""
    if isinstance(owner, Lazy) and owner.kinds != TEXT:
        kinds, items = owner.items, None
        if len(keys) == 3:
            kinds, items = owner.kinds, owner.items
        return _item(frame, owner, keys, kinds, items, node)
    if len(keys) == 3 and isinstance(owner, Sum) and owner.kinds in {LIST, TUPLE}:
        return _item(frame, owner, keys, owner.kinds, None, node)
    text = only_text(frame, owner, "item", "TypeError", node)
    return None if text is None else _item(frame, text, keys, TEXT, None, node)


def _item(
    frame: Frame,
    owner: Value,
    keys: list[Value],
    kinds: tuple[Kind, ...] | None,
    items: tuple[Kind, ...] | None,
    node: ast.AST,
) -> Value:
    if len(keys) == 1:
        return apply_pure(
            frame, "item", operator.getitem, [owner, *keys], kinds, node, items=items, makes=False
        )  # fmt: skip
    sliceable = kinds_of(owner) in {TEXT, LIST, TUPLE}
    known = sliceable and all(map(is_known, keys))
    fails = not known or not _slices([literal_of(key) for key in keys])
    return apply_pure(
        frame, "slice", lambda v, *ends: v[slice(*ends)], [owner, *keys], kinds, node,
        fails=fails, items=items, kept=() if items in {TEXT, NUMBER} else None,
    )  # fmt: skip


def _slices(ends: list[Any]) -> bool:
    """Whether a text can be sliced by these constants: not with a step of 0."""
    try:
        ""[slice(*ends)]
    except (TypeError, ValueError):
        return False
    return True


def unpacked(frame: Frame, value: Value, count: int, node: ast.AST) -> list[Value]:
    """The values for `a, b = value`."""

    def checked(found: Any) -> tuple[Any, ...]:
        items = tuple(found)
        if len(items) != count:
            raise ValueError(count)
        return items

    items = TEXT if not isinstance(value, Lazy) or value.kinds == TEXT else value.items
    whole = apply_pure(
        frame, f"unpacking into {count}", checked, [value], TUPLE, node, items=items, key=count
    )
    getters = [operator.itemgetter(place) for place in range(count)]
    return [
        apply_pure(frame, f"item {place}", get, [whole], items, node, fails=False)
        for place, get in enumerate(getters)
    ]


def inside(frame: Frame, value: Value, container: Value, node: ast.AST) -> Value | None:
    """value in container, of a string or what a pure function gave; None where it is neither."""
    if isinstance(container, Lazy) and container.kinds != TEXT:
        return _in(frame, value, container, node)
    text = only_text(frame, container, "in", "TypeError", node)
    return None if text is None else _in(frame, value, text, node)


def _in(frame: Frame, value: Value, container: Value, node: ast.AST) -> Value:
    sure = kinds_of(value) == TEXT and kinds_of(container) in {TEXT, LIST, TUPLE}
    return apply_pure(
        frame, "in", lambda v, c: v in c, [value, container], TRUTH, node, fails=not sure
    )


# ------------------------------------------------------------------------------ len, bool, numbers


def lazy_len(frame: Frame, value: Lazy, node: ast.AST) -> Sum:
    """len(value) of what a pure function gave."""
    has_len = value.kinds in {TEXT, LIST, TUPLE}
    found = apply_pure(frame, "len", len, [value], NUMBER, node, fails=not has_len)
    return frame.lift(found, node)


def lazy_truth(frame: Frame, value: Lazy, node: ast.AST) -> Node:
    """bool(value) of what a pure function gave."""
    fails = has_objects(value)  # what is not of a known kind may refuse to tell
    found = apply_pure(frame, "bool", bool, [value], TRUTH, node, fails=fails)
    payload = frame.lift(found, node).alternatives[0].payload
    assert isinstance(payload, Node)  # noqa: S101  a bool has one
    return payload


def with_texts(function: Callable[[str], Any], kind: Kind, otherwise: Handler) -> Handler:
    """A handler of int() or float() that takes strings, too."""

    def handle(frame: Frame, arguments: list[Sum], node: ast.AST) -> Sum:
        if len(arguments) == 2:  # a text and a base
            read = apply_pure(frame, kind, function, arguments, (kind,), node, safe=False)
            return frame.lift(read, node)
        text = arguments[0].get("str") if arguments else None
        if text is None:
            return otherwise(frame, arguments, node)
        result = SumBuilder()
        path = frame.state.path
        frame.state.path = both(path, text.guard)
        alone = Sum((Alternative("str", TRUE, text.payload),))
        read = apply_pure(frame, kind, function, [alone], (kind,), node, safe=kind == "float")
        for a in frame.lift(read, node):
            result.put(a.kind, both(text.guard, a.guard), a.payload)
        others = Sum(tuple(a for a in arguments[0] if a.kind != "str"))
        if others.alternatives:
            frame.state.path = both(path, invert(text.guard))
            for a in otherwise(frame, [others], node):
                result.put(a.kind, both(invert(text.guard), a.guard), a.payload)
        frame.state.path = path
        return settled(result.build())

    return handle
