"""f-strings, as str.format takes them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from batchprep.dtypes import Kind
from batchprep.plan.build import select
from batchprep.plan.node import TRUE, Node, const
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure
from batchprep.rowfn.sums import Value, literal_of, settled
from batchprep.rowfn.texts import TEXT, is_known, kinds_of

CONVERSIONS: Final[dict[int, Callable[[Any], str]]] = {115: str, 114: repr, 97: ascii}


def f_string(
    frame: Frame, parts: list[str | tuple[Value, int, Value | None]], node: ast.AST
) -> Value:
    """An f-string: texts, and (value, conversion, format spec) of what stands in braces."""
    parts = [part if isinstance(part, str) else _without_none(frame, part, node) for part in parts]
    values: list[Value] = []
    pieces: list[str | tuple[int, int, int]] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        value, conversion, spec = part
        pieces.append((len(values), conversion, -1 if spec is None else len(values) + 1))
        values += [value] if spec is None else [value, spec]

    def joined(*held: Any) -> str:
        return "".join(p if isinstance(p, str) else _formatted(held, *p) for p in pieces)

    template, shown = _template(parts)
    if template is not None:
        plain = all(isinstance(part, str) or _formats(*part) for part in parts)
        return apply_pure(
            frame, "f-string", template.format, shown, TEXT, node,
            fails=not plain, safe=plain, key=template,
        )  # fmt: skip
    return apply_pure(
        frame, "f-string", joined, values, TEXT, node, fails=True, safe=False, key=tuple(pieces)
    )


def _without_none(
    frame: Frame, part: tuple[Value, int, Value | None], node: ast.AST
) -> tuple[Value, int, Value | None]:
    """The same of a value that is never None, if that can be: its kind need not be looked at then.

    None is "None" without a spec, and raises with one.
    """
    value, conversion, spec = part
    none = value.get("none") if isinstance(value, Sum) and conversion < 0 else None
    if none is None or not isinstance(value, Sum) or len(value.alternatives) < 2:
        return part
    others = Sum(tuple(a for a in value if a.kind != "none"))
    if spec is not None and is_known(spec) and literal_of(spec):
        frame.fault(none.guard, "TypeError", "format of None", node)
        return settled(others), conversion, spec
    if spec is None and others.kinds == TEXT:
        payload = others.alternatives[0].payload
        assert isinstance(payload, Node)  # noqa: S101  a text has one
        shown = select(none.guard, const("None"), payload)
        return Sum((Alternative("str", TRUE, shown),)), conversion, spec
    return part


# Values of each kind on which a format spec is tried: one that fails on none fails on no other.
TRIED: Final[dict[Kind, tuple[Any, ...]]] = {
    "bool": (True, False),
    "int": (0, -1, 2**62),
    "float": (0.5, -0.0, 1e300, float("nan"), float("inf")),
    "str": ("", "a", "\N{LATIN SMALL LETTER SHARP S}\0"),
    "none": (None,),
}


def _template(parts: list[str | tuple[Value, int, Value | None]]) -> tuple[str | None, list[Value]]:
    """The f-string as str.format takes it, which is faster; None where a spec is computed."""
    texts: list[str] = []
    shown: list[Value] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part.replace("{", "{{").replace("}", "}}"))
            continue
        value, conversion, spec = part
        if spec is not None and not is_known(spec):
            return None, []
        held = "" if spec is None else str(literal_of(spec))
        if "{" in held or "}" in held:
            return None, []
        mark = "" if conversion < 0 else f"!{chr(conversion)}"
        texts.append(f"{{{len(shown)}{mark}:{held}}}" if held else f"{{{len(shown)}{mark}}}")
        shown.append(value)
    return "".join(texts), shown


def _formats(value: Value, conversion: int, spec: Value | None) -> bool:
    """Whether the spec suits every value of those kinds."""
    kinds = kinds_of(value)
    if kinds is None or not set(kinds) <= TRIED.keys():
        return False
    held = "" if spec is None else str(literal_of(spec))
    if held.endswith("c"):  # an int as a character: not each is one
        return False
    convert = CONVERSIONS.get(conversion, lambda x: x)
    try:
        for kind in kinds:
            for tried in TRIED[kind]:
                format(convert(tried), held)
    except (ValueError, TypeError):
        return False
    return True


def _formatted(held: tuple[Any, ...], place: int, conversion: int, spec: int) -> str:
    value = held[place]
    convert = CONVERSIONS.get(conversion)
    return format(value if convert is None else convert(value), "" if spec < 0 else held[spec])
