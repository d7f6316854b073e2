"""Column expressions beside the row functions that they stand for, written out by hand."""

from __future__ import annotations

import batchprep as bp
from tests.fuzz.choices import Choices
from tests.fuzz.records import FieldSpec
from tests.pipeline.functions import Shape

AVAILABLE = hasattr(bp, "col")

# The expression, the value of one row, and the kinds of that; FIELD is the column.
VALUE = "r.get('FIELD')"
ANY_COLUMN = (
    ("bp.col('FIELD')", VALUE, ("float", "none"), "column expression: col"),
    ("bp.lit(3)", "3", ("int",), "column expression: lit"),
    ("bp.lit('red')", "'red'", ("str",), "column expression: lit"),
    ("bp.col('FIELD').is_null()", f"{VALUE} is None", ("bool",), "column expression: is_null"),
    (
        "bp.when(bp.col('FIELD').is_null()).then(1).otherwise(2.5)",
        f"1 if {VALUE} is None else 2.5", ("float",), "column expression: when",
    ),
)  # fmt: skip
FLOAT_COLUMN = (
    (
        "bp.col('FIELD') * 0.5", f"None if {VALUE} is None else {VALUE} * 0.5",
        ("float", "none"), "column expression: arithmetic",
    ),
    (
        "bp.col('FIELD') > 1.0", f"None if {VALUE} is None else {VALUE} > 1.0",
        ("bool", "none"), "column expression: comparison",
    ),
    (
        "(bp.col('FIELD') + 1.0).fill_null(-1.0)",
        f"-1.0 if {VALUE} is None else {VALUE} + 1.0",
        ("float",), "column expression: fill_null",
    ),
    (
        "bp.when(bp.col('FIELD') > 0.0).then(bp.col('FIELD')).otherwise(0.0)",
        f"{VALUE} if {VALUE} is not None and {VALUE} > 0.0 else 0.0",
        ("float",), "column expression: when",
    ),
)  # fmt: skip

Expression = tuple[str, str, tuple[str, ...], str]


def draw_expression(
    choices: Choices, shape: Shape, sources: tuple[FieldSpec, ...]
) -> Expression | None:
    """An expression over a field, its loop, the kinds of its values, and a label.

    Only of a field of the source is it known that its values are floats.
    """
    if not AVAILABLE or not shape.fields:
        return None
    spec = choices.pick(shape.fields)
    floats = "float" in spec.kinds and set(spec.kinds) <= {"float", "none", "absent"}
    floats = floats and any(spec is source for source in sources)
    text, loop, kinds, label = choices.pick((*ANY_COLUMN, *(FLOAT_COLUMN if floats else ())))
    return text.replace("FIELD", spec.name), loop.replace("FIELD", spec.name), kinds, label
