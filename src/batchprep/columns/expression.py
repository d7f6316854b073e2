"""`Expression`: what `col` and `lit` give, with Python's operators and named operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, NoReturn, cast

import numpy as np

from batchprep.columns import messages
from batchprep.columns.row_function import row_function_of
from batchprep.columns.spelling import spelled
from batchprep.columns.tree import Tree, flattened, in_order, restored
from batchprep.dtypes import INT64_MAX, INT64_MIN

CASTS: Final[dict[Any, str]] = {
    float: "to_float",
    int: "to_int",
    bool: "to_bool",
    str: "to_str",
}
CONSTANTS: Final = (bool, int, float, str, date, time, timedelta, Decimal)


@dataclass(frozen=True, eq=False, repr=False)
class Expression(Tree):
    """A value for each row, computed from its columns: `col("a") / col("b")`.

    Operands are expressions or constants; a text is the text itself, not a column. An expression
    does not change: each operator and method gives a new one. It pickles.

    Nulls:   a null operand gives null, in functions and comparisons too; `&` and `|` are null only
             where the other operand does not decide; a column that a record lacks is null
    Floats:  IEEE 754: `x / 0` is inf or nan, the root of -1 nan, the logarithm of 0 -inf, and NaN
             equals nothing. `//` and `%` floor as in Python, by 0.0 they give inf or nan
    Ints:    `/` divides as floats, so by zero too. `//` and `%` by zero fail the row
             (ZeroDivisionError), and so does a result beyond 64 bits (OverflowError)
    Errors:  those, and TypeError for a row whose values the operation does not know

    >>> from batchprep.columns import col
    >>> ratio = col("a") / col("b")
    >>> ratio
    col("a") / col("b")
    >>> [ratio.row_function()(r) for r in ({"a": 1, "b": 4}, {"a": 1, "b": 0}, {"a": None})]
    [0.25, inf, None]
    """

    __hash__ = object.__hash__
    # NumPy's scalars leave `np.float64(2) * col("a")` to us.
    __array_ufunc__ = None

    # ---- what it is

    @property
    def name(self) -> str:
        """The column that it makes: the alias, else the first column, else "literal"."""
        tree: Tree = self
        while tree.operation not in {"col", "alias", "lit", "value"}:
            tree = tree.inputs[1 if tree.operation == "when" else 0]
        return "literal" if tree.operation in {"lit", "value"} else str(tree.options[0])

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that it reads, in order of appearance."""
        names = (tree.options[0] for tree in in_order(self) if tree.operation == "col")
        return tuple(dict.fromkeys(names))

    def row_function(self) -> Callable[[Any], Any]:
        """The plain function of one record that computes the expression; always the same one."""
        return self._function

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return row_function_of(self)

    def __repr__(self) -> str:
        return spelled(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(messages.no_truth_text(repr(self)))

    def __reduce__(self) -> Any:
        return restored, (flattened(self),)

    # ---- arithmetic

    def __add__(self, other: Any) -> Expression:
        return _applied("add", self, other)

    def __radd__(self, other: Any) -> Expression:
        return _applied("add", other, self)

    def __sub__(self, other: Any) -> Expression:
        return _applied("subtract", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _applied("subtract", other, self)

    def __mul__(self, other: Any) -> Expression:
        return _applied("multiply", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _applied("multiply", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _applied("divide", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _applied("divide", other, self)

    def __floordiv__(self, other: Any) -> Expression:
        return _applied("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Expression:
        return _applied("floor_divide", other, self)

    def __mod__(self, other: Any) -> Expression:
        return _applied("modulo", self, other)

    def __rmod__(self, other: Any) -> Expression:
        return _applied("modulo", other, self)

    def __pow__(self, other: Any) -> Expression:
        return _applied("power", self, other)

    def __rpow__(self, other: Any) -> Expression:
        return _applied("power", other, self)

    def __neg__(self) -> Expression:
        return _applied("negate", self)

    # ---- comparisons and logic

    def __eq__(self, other: object) -> Expression:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _applied("equal", self, other)

    def __ne__(self, other: object) -> Expression:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _applied("not_equal", self, other)

    def __lt__(self, other: Any) -> Expression:
        return _applied("less", self, other)

    def __le__(self, other: Any) -> Expression:
        return _applied("less_equal", self, other)

    def __gt__(self, other: Any) -> Expression:
        return _applied("greater", self, other)

    def __ge__(self, other: Any) -> Expression:
        return _applied("greater_equal", self, other)

    def __and__(self, other: Any) -> Expression:
        return _applied("both", self, other)

    def __rand__(self, other: Any) -> Expression:
        return _applied("both", other, self)

    def __or__(self, other: Any) -> Expression:
        return _applied("either", self, other)

    def __ror__(self, other: Any) -> Expression:
        return _applied("either", other, self)

    def __xor__(self, other: Any) -> Expression:
        return _applied("differ", self, other)

    def __rxor__(self, other: Any) -> Expression:
        return _applied("differ", other, self)

    def __invert__(self) -> Expression:
        return _applied("invert", self)

    def is_in(self, values: Any) -> Expression:
        """Whether the value is one of these; null of null, and NaN is one of [nan]."""
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError(messages.bad_list_text(values))
        known = [checked_constant(value) for value in values]
        distinct = [value for value in known if value is not None and not _is_nan(value)]
        table = tuple(dict.fromkeys(distinct))
        if any(_is_nan(value) for value in known):
            return Expression("is_in_or_nan", (self,), ((*table, math.nan),))
        return Expression("is_in", (self,), (table,))

    def is_between(self, low: Any, high: Any) -> Expression:
        """Whether low <= value <= high."""
        return _applied("is_between", self, low, high)

    # ---- nulls and NaN

    def is_null(self) -> Expression:
        """Whether the value is null; NaN is not."""
        return _applied("is_null", self)

    def is_not_null(self) -> Expression:
        """Whether the value is not null."""
        return _applied("is_not_null", self)

    def is_nan(self) -> Expression:
        """Whether the number is NaN; null of null."""
        return _applied("is_nan", self)

    def fill_null(self, value: Any) -> Expression:
        """The value where this is null."""
        return _applied("fill_null", self, value)

    def fill_nan(self, value: Any) -> Expression:
        """The value, which may be None, where this is NaN."""
        return _applied("fill_nan", self, value)

    # ---- functions

    def clip(self, low: Any = None, high: Any = None) -> Expression:
        """The number, no lower than low and no higher than high; NaN stays.

        Errors:  ValueError if both bounds are numbers and low is above high
        """
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
            raise ValueError(messages.crossed_bounds_text(low, high))
        return _applied("clip", self, low, high)

    def abs(self) -> Expression:
        """The number without its sign."""
        return _applied("abs", self)

    def round(self, digits: int = 0) -> Expression:
        """The number rounded to decimal digits, half to even as Python; a float stays a float."""
        return Expression("round", (self,), (_checked_digits(digits),))

    def floor(self) -> Expression:
        """The largest whole number up to this; a float stays a float."""
        return _applied("floor", self)

    def ceil(self) -> Expression:
        """The smallest whole number from this on; a float stays a float."""
        return _applied("ceil", self)

    def sqrt(self) -> Expression:
        """The square root; nan below 0."""
        return _applied("sqrt", self)

    def log(self) -> Expression:
        """The natural logarithm; -inf of 0, nan below."""
        return _applied("log", self)

    def log1p(self) -> Expression:
        """The natural logarithm of 1 + this, exact near 0; -inf of -1, nan below."""
        return _applied("log1p", self)

    def exp(self) -> Expression:
        """e to the power of this; inf where it is too large."""
        return _applied("exp", self)

    def cast(self, to: type[float | int | bool | str]) -> Expression:
        """The value as a float, int, bool or str.

        float and int read texts, int cuts a float's fraction off; bool tells numbers from 0.
        A text that is no number, an int of NaN and the bool of a text fail the row.
        """
        return _applied(_cast_operation(to), self)

    def alias(self, name: str) -> Expression:
        """The same under another name."""
        return Expression("alias", (self,), (_checked_name("alias", name),))


def col(name: str) -> Expression:
    """The column of that name: the start of a column expression.

    >>> (col("price") * col("volume")).name
    'price'
    """
    return Expression("col", (), (_checked_name("col", name),))


def lit(value: Any) -> Expression:
    """A constant as a column expression.

    Errors:  TypeError for a value that no column holds, OverflowError for an int beyond 64 bits

    >>> (lit(100) - col("percent")).row_function()({"percent": 30})
    70
    """
    return Expression("lit", (), (checked_constant(value),))


def as_expression(operand: Any) -> Expression:
    """An operand as it was written: an expression, or a constant."""
    if isinstance(operand, Expression):
        return operand
    return Expression("value", (), (checked_constant(operand),))


def checked_constant(value: Any) -> Any:
    """The constant with Python's own type, if an expression can hold it."""
    if isinstance(value, np.generic):
        value = cast("Any", value).item()
    if value is not None and not isinstance(value, CONSTANTS):
        raise TypeError(messages.bad_constant_text(value))
    if isinstance(value, int) and not INT64_MIN <= value <= INT64_MAX:
        raise OverflowError(messages.wide_constant_text(value))
    return value


def _applied(operation: str, *operands: Any) -> Expression:
    return Expression(operation, tuple(as_expression(operand) for operand in operands))


def _checked_name(where: str, name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(messages.bad_name_text(where, name))
    return name


def _checked_digits(digits: Any) -> int:
    if not isinstance(digits, int) or isinstance(digits, bool):
        raise TypeError(messages.bad_digits_text(digits))
    return digits


def _cast_operation(to: Any) -> str:
    operation = CASTS.get(to) if isinstance(to, type) else None
    if operation is None:
        raise TypeError(messages.bad_type_text(to))
    return operation


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
