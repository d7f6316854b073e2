"""What is known to change nothing and to depend on its arguments alone."""

from __future__ import annotations

import ast
import builtins
import collections
import copy
import dataclasses
import datetime as dt
import decimal
import fractions
import functools
import inspect
import re
import types
from typing import Any, Final, cast

from batchprep.dtypes import Kind
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import has_objects
from batchprep.rowfn.marked import is_marked
from batchprep.rowfn.pure_calls import FUNCTIONS, PATTERNS, Known, pure_call
from batchprep.rowfn.sums import Value
from batchprep.rowfn.texts import METHODS, OF_OTHERS

BUILTINS: Final = frozenset({
    builtins.abs, builtins.all, builtins.any, builtins.ascii, builtins.bin, builtins.bool,
    builtins.bytes, builtins.bytearray, builtins.chr, builtins.complex, builtins.dict,
    builtins.divmod, builtins.enumerate, builtins.filter, builtins.float, builtins.format,
    builtins.frozenset, builtins.hex, builtins.int, builtins.isinstance, builtins.issubclass,
    builtins.iter, builtins.len, builtins.list, builtins.map, builtins.max, builtins.min,
    builtins.next, builtins.oct, builtins.ord, builtins.pow, builtins.range, builtins.repr,
    builtins.reversed, builtins.round, builtins.set, builtins.slice, builtins.sorted, builtins.str,
    builtins.sum, builtins.tuple, builtins.type, builtins.zip,
})  # fmt: skip
CLASSES: Final = frozenset({
    collections.Counter, collections.OrderedDict, collections.defaultdict, collections.deque,
    dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone, decimal.Decimal, fractions.Fraction,
    functools.partial, functools.reduce, copy.copy, copy.deepcopy,
})  # fmt: skip
# Modules by the name that their functions carry, and those of them that are meant; None: all.
MODULES: Final[dict[str, frozenset[str] | None]] = {
    "math": None,
    "cmath": None,
    "statistics": None,
    "itertools": None,
    "operator": frozenset({"itemgetter"}),
    "textwrap": None,
    "unicodedata": None,
    "html": None,
    "urllib.parse": None,
    "base64": None,
    "binascii": None,
    "ipaddress": None,
    "difflib": None,
    "colorsys": None,
    "_struct": None,
    "_hashlib": None,
    "_blake2": None,
    "zlib": None,
    "string": frozenset({"capwords"}),
    "json": frozenset({"loads", "dumps"}),
    "re": frozenset({
        "compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub",
        "subn",
    }),
    "_bisect": frozenset({"bisect", "bisect_left", "bisect_right"}),
    "heapq": frozenset({"merge", "nlargest", "nsmallest"}),
    "calendar": frozenset({"isleap", "leapdays", "monthrange", "weekday"}),
    "uuid": frozenset({"UUID", "uuid3", "uuid5"}),
    "ast": frozenset({"literal_eval"}),
    "pandas": frozenset({"isna", "isnull", "notna", "notnull"}),
    "pandas.core.dtypes.missing": frozenset({"isna", "notna"}),
    "numpy": frozenset({
        "all", "any", "argmax", "argmin", "array", "asarray", "clip", "dot", "isclose", "max",
        "mean", "median", "min", "nanmax", "nanmean", "nanmin", "nansum", "percentile", "prod",
        "quantile", "round", "std", "sum", "var", "bool", "float32", "float64", "int32", "int64",
    }),
}  # fmt: skip
_INPLACE: Final = frozenset({"setitem", "delitem"})
# Alternative constructors of dates and times; not now() and today(), which read the clock.
_FROM: Final = frozenset({
    "strptime", "fromisoformat", "fromisocalendar", "fromordinal", "fromtimestamp", "combine",
    "utcfromtimestamp", "fromkeys", "fromhex", "maketrans", "from_bytes", "from_float",
    "from_decimal", "from_iterable",
})  # fmt: skip
# Methods that only read, whatever plain object they belong to.
READING: Final = frozenset({
    *METHODS, *OF_OTHERS, *PATTERNS, "items", "keys", "values", "copy", "most_common", "elements",
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
    "isdisjoint", "isoformat", "strftime", "date", "time", "timetz", "timestamp", "timetuple",
    "weekday", "isoweekday", "isocalendar", "toordinal", "total_seconds", "astimezone", "utcoffset",
    "tzname", "dst", "ctime", "bit_length", "bit_count", "is_integer", "as_integer_ratio",
    "fromhex", "conjugate", "quantize", "normalize", "to_integral_value", "to_integral", "as_tuple",
    "is_nan",
    "is_finite", "is_infinite", "is_zero", "is_signed", "ln", "log10", "sqrt", "exp", "compare",
    "adjusted", "limit_denominator", "to_bytes", "tobytes", "expand", "groups", "lastindex",
    "finditer", "subn", "tolist", "item", "sum", "mean", "min", "max", "std", "var", "round",
    "total", "__len__", "__contains__", "__getitem__",
})  # fmt: skip
# Attributes of plain objects; none of them runs code of the user's.
ATTRIBUTES: Final = frozenset({
    "year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold", "days",
    "seconds", "microseconds", "real", "imag", "numerator", "denominator", "start", "stop", "step",
    "args", "__name__", "__class__", "__doc__", "string", "pattern", "lastgroup", "lastindex",
    "shape", "size", "ndim", "dtype", "T", "week", "weekday", "value", "key", "int", "bytes",
    "name", "default_factory", "maxlen", "strerror", "errno", "__qualname__", "__cause__",
    "__context__",
})  # fmt: skip
# Methods that change the object that they belong to.
CHANGING: Final = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
    "setdefault", "popitem", "add", "discard", "appendleft", "extendleft", "popleft", "rotate",
    "move_to_end", "subtract", "difference_update", "intersection_update",
    "symmetric_difference_update",
})  # fmt: skip


def is_pure(function: Any) -> bool:
    """Whether calling a function or class of a library changes nothing."""
    if is_marked(function):
        return True
    try:
        if function in BUILTINS or function in FUNCTIONS or function in CLASSES:
            return True
    except TypeError:  # not hashable
        return False
    if isinstance(function, type):
        return _is_pure_class(cast("type[Any]", function))
    module = getattr(function, "__module__", None)
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type):
        return name in _FROM and (owner in {*BUILTINS, *CLASSES} or _is_pure_class(owner))
    if isinstance(owner, (str, bytes, re.Pattern)):
        return name in READING
    if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return name in READING
    if module == "_operator":
        return name not in _INPLACE and not (name[:1] == "i" and name in _INPLACE_OPERATORS)
    if type(function).__module__ == "numpy" and type(function).__name__ == "ufunc":
        return True
    return _is_listed(module, name)


_INPLACE_OPERATORS: Final = frozenset({
    "iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow",
    "irshift", "isub", "itruediv", "ixor",
})  # fmt: skip


def _is_listed(module: Any, name: str) -> bool:
    if module not in MODULES:
        return False
    names = MODULES[module]
    return names is None or name in names


def _is_pure_class(class_: type[Any]) -> bool:
    """Whether making an instance runs no code but Python's own."""
    if issubclass(class_, BaseException):
        return not _has_own(class_, "__init__") and not _has_own(class_, "__new__")
    if dataclasses.is_dataclass(class_):
        made = class_.__init__.__code__.co_filename == "<string>"
        return made and not hasattr(class_, "__post_init__") and not _has_own(class_, "__new__")
    if issubclass(class_, tuple) and hasattr(class_, "_fields"):
        return not _has_own(class_, "__init__")
    return _is_listed(class_.__module__, class_.__name__)


def _has_own(class_: type, name: str) -> bool:
    """Whether a method is written in Python."""
    return isinstance(getattr(class_, name), types.FunctionType)


# What gives an iterator can be read once only: no value of a row.
ITERATORS: Final = frozenset({
    builtins.enumerate, builtins.filter, builtins.iter, builtins.map, builtins.next,
    builtins.reversed, builtins.zip, re.finditer,
})  # fmt: skip
_GIVES: Final[dict[Any, tuple[Kind, ...]]] = {
    builtins.bool: ("bool",),
    builtins.float: ("float",),
    builtins.int: ("int",),
    builtins.len: ("int",),
    builtins.str: ("str",),
    builtins.isinstance: ("bool",),
}


def gives_iterator(function: Any) -> bool:
    """Whether what a function gives may be read once only."""
    try:
        if function in ITERATORS:
            return True
    except TypeError:
        return True
    owner = getattr(function, "__module__", None)
    code = getattr(function, "__code__", None)
    is_generator = code is not None and bool(code.co_flags & inspect.CO_GENERATOR)
    return owner == "itertools" or is_generator


def call_of_objects(
    frame: Frame,
    function: Any,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """The call of a library's function with objects that Python alone knows; None for others."""
    if not any(map(has_objects, (*arguments, *keywords.values()))) or not is_pure(function):
        return None
    if gives_iterator(function):
        frame.unsupported(node, "an iterator is no value of a row")
    kinds = _GIVES.get(function)
    known = Known(kinds, safe=function in {builtins.bool, builtins.isinstance, builtins.len})
    return pure_call(frame, function, known, arguments, keywords, node)
