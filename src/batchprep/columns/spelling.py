"""The text of a column expression, as it was written."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from batchprep.columns.operations import CALL, OPERATIONS, POWER, SIGN, Operation
from batchprep.columns.tree import Tree, in_order

CAST: Final = {"to_float": "float", "to_int": "int", "to_bool": "bool", "to_str": "str"}


class Spelled(NamedTuple):
    """A text, and how tightly its outermost operator binds."""

    text: str
    binding: int

    def within(self, binding: int) -> str:
        """The text as an operand: in parentheses where it binds less tightly."""
        return self.text if self.binding >= binding else f"({self.text})"


def spelled(root: Tree) -> str:
    """The whole expression as Python text.

    >>> from batchprep.columns import col
    >>> spelled((col("a") + 1) * -col("b").round(2))
    '(col("a") + 1) * -col("b").round(2)'
    """
    return spell_all(root)[id(root)].text


def spell_all(root: Tree, longest: int | None = None) -> dict[int, Spelled]:
    """Every part as text, by its identity; the middle of one that is longer is left out."""
    found: dict[int, Spelled] = {}
    for tree in in_order(root):
        made = _spell(tree, [found[id(part)] for part in tree.inputs])
        if longest is not None and len(made.text) > longest:
            made = Spelled(f"{made.text[: longest // 2]} … {made.text[-longest // 2 :]}", CALL)
        found[id(tree)] = made
    return found


def _spell(tree: Tree, parts: list[Spelled]) -> Spelled:
    match tree.operation:
        case "col":
            return Spelled(f"col({_quoted(tree.options[0])})", CALL)
        case "lit":
            return Spelled(f"lit({_quoted(tree.options[0])})", CALL)
        case "value":
            return _value(tree.options[0])
        case "alias":
            return _call(parts[0], "alias", [_quoted(tree.options[0])])
        case "when":
            return Spelled(_choice(parts), CALL)
        case operation:
            return _operation(operation, OPERATIONS[operation], tree, parts)


def _operation(name: str, operation: Operation, tree: Tree, parts: list[Spelled]) -> Spelled:
    if operation.form == "infix":
        return _infix(operation, *parts)
    if operation.form == "prefix":
        return Spelled(operation.symbol + parts[0].within(SIGN), SIGN)
    arguments = [CAST[name]] if name in CAST else [part.text for part in parts[1:]]
    return _call(parts[0], operation.symbol, arguments + [_option(o) for o in tree.options])


def _infix(operation: Operation, left: Spelled, right: Spelled) -> Spelled:
    own = operation.binding
    if own == POWER:  # binds to the right, and tighter than a sign at its left
        text = f"{left.within(CALL)} ** {right.within(SIGN)}"
    else:
        text = f"{left.within(own + (own == 1))} {operation.symbol} {right.within(own + 1)}"
    return Spelled(text, own)


def _call(owner: Spelled, name: str, arguments: list[str]) -> Spelled:
    return Spelled(f"{owner.within(CALL)}.{name}({', '.join(arguments)})", CALL)


def _choice(parts: list[Spelled]) -> str:
    pairs = zip(parts[:-1:2], parts[1::2], strict=True)
    steps = [f"when({condition.text}).then({result.text})" for condition, result in pairs]
    end = f".otherwise({parts[-1].text})" if parts[-1].text != "None" else ""
    return ".".join(steps) + end


def _value(value: Any) -> Spelled:
    negative = isinstance(value, (int, float)) and repr(value).startswith("-")
    return Spelled(_quoted(value), SIGN if negative else CALL)


def _option(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return _quoted(value)


def _quoted(value: Any) -> str:
    """The value's repr, a text in double quotes as people write it."""
    text = repr(value)
    if isinstance(value, str) and text.startswith("'") and '"' not in text:
        return f'"{text[1:-1]}"'
    return text
