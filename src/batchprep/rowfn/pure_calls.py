"""Functions of the standard library that are pure: once per distinct value, or per distinct row."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import types
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

from batchprep.dtypes import Kind
from batchprep.plan.memo import Memo
from batchprep.plan.pure import Held
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.sums import Value

TEXT: Final[tuple[Kind, ...]] = ("str",)
LIST: Final[tuple[Kind, ...]] = ("list",)
MATCH: Final[tuple[Kind, ...]] = ("none", "other")
OBJECT: Final[tuple[Kind, ...]] = ("other",)


@dataclass(frozen=True)
class Known:
    """What a pure function gives; see Lazy for `items` and `safe`."""

    kinds: tuple[Kind, ...] | None
    items: tuple[Kind, ...] | None = None
    safe: bool = True


SEARCH: Final = Known(MATCH)
FUNCTIONS: Final[dict[Any, Known]] = {
    str: Known(TEXT),
    repr: Known(TEXT),
    ascii: Known(TEXT),
    sorted: Known(LIST),
    tuple: Known(("tuple",)),
    list: Known(LIST),
    set: Known(OBJECT),
    frozenset: Known(OBJECT),
    format: Known(TEXT, safe=False),
    chr: Known(TEXT, safe=False),
    ord: Known(("int",)),
    hex: Known(TEXT),
    oct: Known(TEXT),
    bin: Known(TEXT),
    re.match: SEARCH,
    re.search: SEARCH,
    re.fullmatch: SEARCH,
    re.sub: Known(TEXT),
    re.findall: Known(LIST),
    re.split: Known(LIST, ("none", "str")),
    re.escape: Known(TEXT),
    json.loads: Known(None),
    zlib.crc32: Known(("int",)),
    zlib.adler32: Known(("int",)),
    hashlib.md5: Known(OBJECT),
    hashlib.sha1: Known(OBJECT),
    hashlib.sha224: Known(OBJECT),
    hashlib.sha256: Known(OBJECT),
    hashlib.sha384: Known(OBJECT),
    hashlib.sha512: Known(OBJECT),
    hashlib.blake2b: Known(OBJECT),
}
# Methods of a compiled pattern; sub with a function would call code of the user's.
PATTERNS: Final[dict[str, Known]] = {
    "match": SEARCH,
    "search": SEARCH,
    "fullmatch": SEARCH,
    "sub": Known(TEXT),
    "findall": Known(LIST),
    "split": Known(LIST, ("none", "str")),
}


def pure_call(
    frame: Frame,
    function: Callable[..., Any],
    known: Known,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """function(*arguments, **keywords) of a function of FUNCTIONS."""
    names = tuple(keywords)
    count = len(arguments)

    def call(*values: Any) -> Any:
        return function(*values[:count], **dict(zip(names, values[count:], strict=True)))

    name = getattr(function, "__name__", type(function).__name__)
    return apply_pure(
        frame, name, call if names else function, [*arguments, *keywords.values()], known.kinds,
        node, safe=known.safe, items=known.items,
        key=(_identity(function), count, names),
    )  # fmt: skip


def _identity(function: Any) -> Hashable:
    """A key that is equal for one function alone: many lambdas and classes share a name."""
    if isinstance(function, types.BuiltinMethodType):  # bound anew at each access
        return function.__qualname__, Held(function.__self__)
    return Held(function)


def marked_call(
    frame: Frame,
    function: Callable[..., Any],
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """The call of a helper that its author vouches for: once per distinct tuple of arguments."""
    names, count = tuple(keywords), len(arguments)

    def call(*values: Any) -> Any:
        return function(*values[:count], **dict(zip(names, values[count:], strict=True)))

    name = getattr(function, "__name__", "function")
    given = [*arguments, *keywords.values()]
    found = apply_pure(
        frame, name, Memo(call), given, None, node, safe=False,
        key=(Held(function), count, names), aliases=True,
    )  # fmt: skip
    span = frame.source.span(node)
    seam = Seam(span, name, "its author says that it is pure", "once per distinct arguments")
    frame.tracer.seams.append(seam)
    return found


def pattern_method(
    frame: Frame,
    pattern: re.Pattern[str],
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """pattern.name(...) of a compiled pattern; None for a method that is not known."""
    known = PATTERNS.get(name)
    if known is None:
        return None
    names = tuple(keywords)
    count = len(arguments)
    method = getattr(pattern, name)

    def call(*values: Any) -> Any:
        return method(*values[:count], **dict(zip(names, values[count:], strict=True)))

    return apply_pure(
        frame, f"pattern.{name}", call, [*arguments, *keywords.values()], known.kinds, node,
        items=known.items, key=(pattern.pattern, pattern.flags, count, names),
    )  # fmt: skip
