"""+, * and % of strings, as pure functions."""

from __future__ import annotations

import ast
import operator
from typing import Final

from batchprep.dtypes import Kind
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure
from batchprep.rowfn.operators import FUNCTION
from batchprep.rowfn.sums import NOTHING, Lazy, Value, literal_of
from batchprep.rowfn.texts import TEXT, is_known, kinds_of, only_text

# The operators that texts have, as in rowfn.operators.
SYMBOLS: Final = frozenset({"+", "*", "%"})
WHOLE: Final = frozenset({"int", "bool"})


def text_binary(
    frame: Frame, symbol: str, left: Value, right: Value, node: ast.AST
) -> Value | None:
    """left <symbol> right where it gives a string; None where numbers may be meant."""
    function = FUNCTION[symbol] if symbol in SYMBOLS else None
    ours, theirs = kinds_of(left), kinds_of(right)
    if function is None or ours is None or theirs is None or "str" not in {*ours, *theirs}:
        return None
    texts = "str" in ours and "str" in theirs
    if symbol == "+" and texts and not (_numbers(ours) and _numbers(theirs)):
        one = _as_text(frame, left, symbol, node)
        other = _as_text(frame, right, symbol, node)
        return apply_pure(frame, "+", function, [one, other], TEXT, node, fails=False)
    if symbol == "%" and ours == TEXT:
        return apply_pure(frame, "%", function, [left, right], TEXT, node, safe=False)
    if symbol == "*":
        return _repeated(frame, left, right, node)
    return None


def _repeated(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value | None:
    """A text times a constant: a count that differs by row may ask for any amount of memory."""
    text, count = (left, right) if is_known(right) else (right, left)
    if not is_known(count) or _numbers(kinds_of(text) or ()):
        return None
    times = literal_of(count)
    if not isinstance(times, int) or times > MOST_REPEATS:
        return None
    return apply_pure(
        frame, "*", operator.mul, [_as_text(frame, text, "*", node), count], TEXT, node
    )


MOST_REPEATS: Final = 10_000


def _numbers(kinds: tuple[Kind, ...]) -> bool:
    return bool({"bool", "int", "float"} & set(kinds))


def _as_text(frame: Frame, value: Value, symbol: str, node: ast.AST) -> Value:
    if isinstance(value, Lazy) and value.kinds != TEXT:
        value = frame.settled(value, node)
    text = only_text(frame, value, symbol, "TypeError", node)
    return NOTHING if text is None else text
