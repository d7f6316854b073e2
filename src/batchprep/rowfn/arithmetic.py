"""Binary operators over any two values: texts, numbers, times, or objects that Python computes."""

from __future__ import annotations

import ast
import operator
from typing import Any, Final

from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure, has_objects
from batchprep.rowfn.messages import ANY_KIND
from batchprep.rowfn.operators import FUNCTION, binary
from batchprep.rowfn.sums import Value
from batchprep.rowfn.text_operators import text_binary

OPERATORS: Final[dict[Any, str]] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
}
# Operators whose result may take any time and memory: no row but its own may compute it.
GROWING: Final = frozenset({"*", "**", "<<"})


def operation(frame: Frame, symbol: str, left: Value, right: Value, node: ast.AST) -> Value:
    """left <symbol> right, of texts or of numbers."""
    text = text_binary(frame, symbol, left, right, node)
    if text is not None:
        return text
    if has_objects(left) or has_objects(right):
        if symbol in GROWING:
            frame.unsupported(node, f"{symbol} of a value of any kind", ANY_KIND)
        return apply_pure(frame, symbol, FUNCTION[symbol], [left, right], None, node, safe=False)
    return binary(frame, symbol, frame.lift(left, node), frame.lift(right, node), node)
