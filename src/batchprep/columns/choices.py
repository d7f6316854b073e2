"""`when(...).then(...).otherwise(...)`: one value or another, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from batchprep.columns.expression import Expression, as_expression
from batchprep.columns.tree import Tree


@dataclass(frozen=True, eq=False)
class When:
    """A condition that waits for its `then`; `inputs` are the steps before it and the condition."""

    inputs: tuple[Expression, ...]

    def then(self, value: Any) -> Choice:
        """The value where the condition holds; a text is the text itself, not a column."""
        return Choice("when", (*self.inputs, as_expression(value), as_expression(None)))


class Choice(Expression):
    """An expression whose conditions are asked in order; null where none holds."""

    def when(self, condition: Any) -> When:
        """A further condition, for the rows where none before it holds."""
        return When((*_steps(self), as_expression(condition)))

    def otherwise(self, value: Any) -> Expression:
        """The value for the rows where no condition holds."""
        return Expression("when", (*_steps(self), as_expression(value)))


def when(condition: Any) -> When:
    """The start of a choice: `when(condition).then(value).otherwise(other)`.

    A condition counts as Python takes it: null, False, 0 and "" choose what comes after.
    What a row does not choose is not computed for it, so it cannot fail.

    >>> from batchprep.columns import col
    >>> sign = when(col("n") > 0).then("up").when(col("n") < 0).then("down").otherwise("level")
    >>> [sign.row_function()({"n": n}) for n in (3, -1, 0, None)]
    ['up', 'down', 'level', 'level']
    """
    return When((as_expression(condition),))


def _steps(choice: Tree) -> tuple[Any, ...]:
    return choice.inputs[:-1]
