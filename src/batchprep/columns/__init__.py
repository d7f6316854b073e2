"""Column expressions: `col("a") / col("b")`, written once, computed for every row."""

from batchprep.columns.choices import Choice, When, when
from batchprep.columns.expression import Expression, col, lit

__all__ = ["Choice", "Expression", "When", "col", "lit", "when"]
