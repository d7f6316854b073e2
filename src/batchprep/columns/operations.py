"""The operations of column expressions: what each does to a row's values, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from batchprep.columns import arithmetic, functions, logic

# How tightly operators bind, as in Python; a call binds tightest.
CALL, POWER, SIGN, PRODUCT, SUM, AND, XOR, OR, COMPARISON = range(9, 0, -1)


@dataclass(frozen=True)
class Operation:
    """A function of the operands' values, then of the options.

    explains: it is also given the expression's text, for the error of a row that it refuses.
    """

    meaning: Callable[..., Any]
    form: Literal["infix", "prefix", "method"]
    symbol: str
    binding: int = CALL
    explains: bool = False


def _infix(meaning: Callable[..., Any], symbol: str, binding: int) -> Operation:
    return Operation(meaning, "infix", symbol, binding, _explains(meaning))


def _prefix(meaning: Callable[..., Any], symbol: str) -> Operation:
    return Operation(meaning, "prefix", symbol, SIGN, _explains(meaning))


def _method(meaning: Callable[..., Any], name: str) -> Operation:
    return Operation(meaning, "method", name, explains=_explains(meaning))


def _explains(meaning: Callable[..., Any]) -> bool:
    return "expression" in meaning.__code__.co_varnames


OPERATIONS: Final[dict[str, Operation]] = {
    "add": _infix(arithmetic.add, "+", SUM),
    "subtract": _infix(arithmetic.subtract, "-", SUM),
    "multiply": _infix(arithmetic.multiply, "*", PRODUCT),
    "divide": _infix(arithmetic.divide, "/", PRODUCT),
    "floor_divide": _infix(arithmetic.floor_divide, "//", PRODUCT),
    "modulo": _infix(arithmetic.modulo, "%", PRODUCT),
    "power": _infix(arithmetic.power, "**", POWER),
    "negate": _prefix(arithmetic.negate, "-"),
    "equal": _infix(logic.equal, "==", COMPARISON),
    "not_equal": _infix(logic.not_equal, "!=", COMPARISON),
    "less": _infix(logic.less, "<", COMPARISON),
    "less_equal": _infix(logic.less_equal, "<=", COMPARISON),
    "greater": _infix(logic.greater, ">", COMPARISON),
    "greater_equal": _infix(logic.greater_equal, ">=", COMPARISON),
    "both": _infix(logic.both, "&", AND),
    "either": _infix(logic.either, "|", OR),
    "differ": _infix(logic.differ, "^", XOR),
    "invert": _prefix(logic.invert, "~"),
    "is_null": _method(logic.is_null, "is_null"),
    "is_not_null": _method(logic.is_not_null, "is_not_null"),
    "is_nan": _method(logic.is_nan, "is_nan"),
    "fill_null": _method(logic.fill_null, "fill_null"),
    "fill_nan": _method(logic.fill_nan, "fill_nan"),
    "is_in": _method(logic.is_in, "is_in"),
    "is_in_or_nan": _method(logic.is_in_or_nan, "is_in"),
    "is_between": _method(logic.is_between, "is_between"),
    "clip": _method(logic.clip, "clip"),
    "abs": _method(arithmetic.absolute, "abs"),
    "round": _method(functions.round_to, "round"),
    "floor": _method(functions.floor, "floor"),
    "ceil": _method(functions.ceil, "ceil"),
    "sqrt": _method(functions.sqrt, "sqrt"),
    "log": _method(functions.log, "log"),
    "log1p": _method(functions.log1p, "log1p"),
    "exp": _method(functions.exp, "exp"),
    "to_float": _method(functions.to_float, "cast"),
    "to_int": _method(functions.to_int, "cast"),
    "to_bool": _method(functions.to_bool, "cast"),
    "to_str": _method(functions.to_str, "cast"),
}
