"""Values that a file writes down, read without running it."""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import operator
import re
import sys
import sysconfig
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, cast

# Modules whose import does nothing that anyone could see.
MODULES: Final = frozenset({
    "base64", "bisect", "calendar", "collections", "copy", "dataclasses", "datetime", "decimal",
    "enum", "fractions", "functools", "hashlib", "html", "itertools", "json", "logging", "math",
    "numbers", "operator", "os", "random", "re", "secrets", "statistics", "string", "sys",
    "textwrap", "time", "typing", "unicodedata", "urllib", "uuid", "warnings", "zlib",
})  # fmt: skip
# batchprep needs NumPy itself, so it is loaded already; and no function of it is called.
LOADED: Final = frozenset({"numpy"})
# Types and functions that may be called on literals: they make a value and do nothing else.
CALLED: Final = frozenset({
    frozenset, set, tuple, list, dict, float, int, re.compile, date, datetime, timedelta,
})  # fmt: skip
ARITHMETIC: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
LARGEST: Final = 1e15


class NotKnown(Exception):  # noqa: N818  an answer, not an error
    """A value that only running the file would tell."""


def built_in(name: ast.expr) -> Any:
    """The built-in of that name."""
    return vars(builtins).get(name.id) if isinstance(name, ast.Name) else None


def constant_value(node: ast.AST, named: Callable[[ast.expr], Any] = built_in) -> Any:
    """The value of a literal, of arithmetic on numbers, or of a plain type called on literals.

    `named` gives what the name of such a type stands for.

    Errors:  NotKnown for all else

    >>> constant_value(ast.parse("24 * 60", mode="eval").body)
    1440
    """
    try:
        return _value(node, named)
    except NotKnown:
        raise
    except (ValueError, TypeError, ArithmeticError, SyntaxError, re.error, RecursionError) as error:
        raise NotKnown from error


def _value(node: ast.AST, named: Callable[[ast.expr], Any]) -> Any:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            return ARITHMETIC[type(op)](_number(left, named), _number(right, named))
        case ast.Call(func=function, args=args, keywords=keywords):
            call = named(function)
            if call not in CALLED or any(k.arg is None for k in keywords):
                raise NotKnown
            given = [_value(arg, named) for arg in args]
            return call(*given, **{cast("str", k.arg): _value(k.value, named) for k in keywords})
        case _:
            return ast.literal_eval(cast("ast.expr", node))


def _number(node: ast.AST, named: Callable[[ast.expr], Any]) -> int | float:
    value = _value(node, named)
    if type(value) not in {int, float} or not -LARGEST < value < LARGEST:
        raise NotKnown  # a text times a number could be of any size
    return value


def imported_value(alias: ast.alias, module: str) -> Any:
    """What an import gives, if it is of the standard library's known modules, or NumPy.

    Errors:  NotKnown for all else; a file of the user's that has such a name is not imported
    """
    try:
        if not module:
            found = _module(alias.name)
            return found if alias.asname else _module(alias.name.partition(".")[0])
        found = _module(module)
        if hasattr(found, alias.name):
            return getattr(found, alias.name)
        return _module(f"{module}.{alias.name}")
    except (ImportError, AttributeError) as error:
        raise NotKnown from error


def _module(name: str) -> Any:
    root = name.partition(".")[0]
    if root in LOADED and root in sys.modules:
        return _below(sys.modules[root], name)
    if root not in MODULES or not _is_of_python(root):
        raise NotKnown
    return importlib.import_module(name)


def _below(package: Any, name: str) -> Any:
    for part in name.split(".")[1:]:
        package = getattr(package, part)
    return package


def _is_of_python(root: str) -> bool:
    """Whether the name leads to the standard library, and not to a file beside the user's."""
    spec = importlib.util.find_spec(root)
    origin = spec.origin if spec is not None else None
    if origin in {"built-in", "frozen"}:
        return True
    library = Path(sysconfig.get_path("stdlib")).resolve()
    return origin is not None and Path(origin).resolve().is_relative_to(library)
