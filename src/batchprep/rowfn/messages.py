"""What is said of values of no known kind, and of rows that are none."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Final

from batchprep.errors import Span
from batchprep.errors.messages import short_repr, type_name

KEPT_OUTSIDE: Final = (
    "What goes on from row to row belongs into a loop: write def process(records) with"
    " bp.vectorize_loop."
)
ANY_KIND: Final = (
    "int(), float() or str() around it names its kind; times of a pandas frame compile from"
    " pa.Table.from_pandas(frame)."
)
PURE_WRAPPER: Final = "If it does nothing but give a value: a helper with @bp.pure that calls it."


def of_library_text(function: FunctionType, reason: str, span: Span) -> str:
    """What a library's function does that is not compiled, and where; it is not the caller's."""
    name = f"{function.__module__}.{function.__qualname__}"
    return f"{name} comes from another package: {reason} ({Path(span.file).name}:{span.line})"


def not_row_text(row: object) -> str:
    """A step that works on columns got something without any."""
    text = f"this step takes rows with columns, and got {short_repr(row)}, of type {type_name(row)}"
    if row is None:
        return f"{text}\n  Leave out such rows with filter_map instead of map"
    return f'{text}\n  Return a dict from the step before it: return {{"name": ...}}'
