"""What is known to change nothing and to depend on its arguments alone."""

from __future__ import annotations

import ast
import builtins
import collections
import contextlib
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import inspect
import math
import operator
import re
import types
import zoneinfo
from collections.abc import Collection
from typing import Any, Final, cast

from batchprep.dtypes import Kind
from batchprep.plan.plain import OTHER_NAMES, is_plain_enum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import has_objects
from batchprep.rowfn.marked import is_marked
from batchprep.rowfn.pure_calls import FUNCTIONS, PATTERNS, Known, pure_call
from batchprep.rowfn.sums import Static, Value, literal_of
from batchprep.rowfn.texts import METHODS, OF_OTHERS

BUILTINS: Final = frozenset({
    builtins.abs, builtins.all, builtins.any, builtins.ascii, builtins.bin, builtins.bool,
    builtins.bytes, builtins.bytearray, builtins.chr, builtins.complex, builtins.dict,
    builtins.divmod, builtins.enumerate, builtins.filter, builtins.float, builtins.format,
    builtins.frozenset, builtins.hash, builtins.hex, builtins.int, builtins.isinstance,
    builtins.issubclass,
    builtins.iter, builtins.len, builtins.list, builtins.map, builtins.max, builtins.min,
    builtins.next, builtins.oct, builtins.ord, builtins.pow, builtins.range, builtins.repr,
    builtins.reversed, builtins.round, builtins.set, builtins.slice, builtins.sorted, builtins.str,
    builtins.sum, builtins.tuple, builtins.type, builtins.zip,
})  # fmt: skip
CLASSES: Final = frozenset({
    collections.Counter, collections.OrderedDict, collections.defaultdict, collections.deque,
    dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone, zoneinfo.ZoneInfo, decimal.Decimal,
    fractions.Fraction, types.MappingProxyType, functools.partial, functools.reduce, copy.copy,
    copy.deepcopy,
})  # fmt: skip
# Modules by the name that their functions carry, and those of them that are meant; None: all.
MODULES: Final[dict[str, frozenset[str] | None]] = {
    "math": None,
    "cmath": None,
    "statistics": None,
    "itertools": None,
    "operator": frozenset({"itemgetter"}),
    "dataclasses": frozenset({"asdict", "astuple"}),
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
        "all", "allclose", "any", "argmax", "argmin", "argsort", "around", "array", "array_equal",
        "asarray", "average", "clip", "count_nonzero", "cumprod", "cumsum", "diff", "digitize",
        "dot", "fix", "full", "interp", "isclose", "iscomplex", "isin", "isreal", "isscalar",
        "linspace", "max", "mean", "median", "min", "nan_to_num", "nanmax", "nanmean", "nanmedian",
        "nanmin", "nanpercentile", "nanstd", "nansum", "nanvar", "ones", "percentile", "polyval",
        "prod", "ptp", "quantile", "round", "searchsorted", "sort", "std", "sum", "unique", "var",
        "where", "zeros", "bool", "complex128", "float16", "float32", "float64", "int8", "int16",
        "int32", "int64", "str_", "uint8", "uint16", "uint32", "uint64", "datetime64",
        "timedelta64",
    }),
    "numpy.linalg": frozenset({"norm"}),
}  # fmt: skip
_INPLACE: Final = frozenset({"setitem", "delitem"})
GETTERS: Final = frozenset({operator.itemgetter, operator.attrgetter, operator.methodcaller})
# Alternative constructors of dates and times; not now() and today(), which read the clock.
_FROM: Final = frozenset({
    "strptime", "fromisoformat", "fromisocalendar", "fromordinal", "fromtimestamp", "combine",
    "utcfromtimestamp", "fromkeys", "fromhex", "maketrans", "from_bytes", "from_float",
    "from_decimal", "from_iterable",
})  # fmt: skip
# Methods that only read, whatever plain object they belong to.
READING: Final = frozenset({
    *METHODS, *OF_OTHERS, *PATTERNS, *OTHER_NAMES,
    "items", "keys", "values", "copy", "most_common", "elements",
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
    "isdisjoint", "isoformat", "strftime", "date", "time", "timetz", "timestamp", "timetuple",
    "weekday", "isoweekday", "isocalendar", "toordinal", "total_seconds", "astimezone", "utcoffset",
    "tzname", "dst", "ctime", "utctimetuple", "bit_length", "bit_count", "is_integer",
    "as_integer_ratio",
    "fromhex", "conjugate", "quantize", "normalize", "to_integral_value", "to_integral", "as_tuple",
    "is_nan",
    "is_finite", "is_infinite", "is_zero", "is_signed", "ln", "log10", "sqrt", "exp", "compare",
    "adjusted", "copy_abs", "copy_negate", "copy_sign", "fma", "logb", "number_class", "radix",
    "remainder_near", "same_quantum", "scaleb", "to_eng_string", "to_integral_exact", "is_normal",
    "is_qnan", "is_snan", "is_subnormal", "compare_total", "canonical", "max_mag", "min_mag",
    "next_minus", "next_plus", "is_canonical", "shift", "limit_denominator", "to_bytes", "tobytes",
    "expand", "groups", "lastindex",
    "finditer", "subn", "astype", "total", "__len__", "__contains__", "__getitem__",
})  # fmt: skip
# Attributes of plain objects; none of them runs code of the user's.
ATTRIBUTES: Final = frozenset({
    "year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold", "days",
    "seconds", "microseconds", "real", "imag", "numerator", "denominator", "start", "stop", "step",
    "args", "__name__", "__class__", "__doc__", "string", "pattern", "lastgroup", "lastindex",
    *OTHER_NAMES, "week", "weekday", "key", "int", "bytes", "sign", "digits", "exponent", "hex",
    "tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst",
    "default_factory", "maxlen", "strerror", "errno", "__qualname__", "__cause__",
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
    if type(function) in GETTERS:
        return _reads_only(function)
    if isinstance(owner, type):
        return name in _FROM and (owner in {*BUILTINS, *CLASSES} or _is_pure_class(owner))
    if isinstance(owner, _READ) or isinstance(function, _DESCRIPTORS):
        return name in READING
    if module == "_operator":
        return name not in _INPLACE and not (name[:1] == "i" and name in _INPLACE_OPERATORS)
    if type(function).__module__ == "numpy" and type(function).__name__ == "ufunc":
        return True
    return _is_listed(module, name)


_READ: Final = (str, bytes, re.Pattern)
_DESCRIPTORS: Final = (types.MethodDescriptorType, types.WrapperDescriptorType)


def _reads_only(getter: Any) -> bool:
    """Whether an itemgetter, attrgetter or methodcaller reads what any code may read."""
    made, names = getter.__reduce__()
    if made is operator.attrgetter:
        return all(part in ATTRIBUTES for name in names for part in name.split("."))
    if made is operator.methodcaller:
        return names[0] in READING
    return made is operator.itemgetter


def writes_as_called(function: Any, node: ast.AST) -> bool:
    """Whether the call that the node is may write into an array that it is given."""
    if not isinstance(node, ast.Call):
        return False
    return writes_into_argument(function, len(node.args), [k.arg for k in node.keywords])


def writes_into_argument(function: Any, count: int, names: Collection[str | None]) -> bool:
    """Whether a call of NumPy's may write into an array that it is given, as out= makes it.

    count, names  of its arguments; a name None stands for **arguments
    """
    owner = getattr(function, "__module__", None) or type(function).__module__
    if owner.partition(".")[0] != "numpy":
        return False
    taken: list[str] = []
    if type(function).__name__ == "ufunc":
        taken = ["out"] if count > function.nin else []
    else:
        with contextlib.suppress(TypeError, ValueError):  # a class in C: no array is written
            taken = list(inspect.signature(function).parameters)[:count]
    return not {"out", "copy", "overwrite_input", None}.isdisjoint((*taken, *names))


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
    if is_plain_enum(class_):
        return _finds_members_only(class_)
    if issubclass(class_, BaseException):
        return not _has_own(class_, "__init__") and not _has_own(class_, "__new__")
    if dataclasses.is_dataclass(class_):
        made = class_.__init__.__code__.co_filename == "<string>"
        return made and not hasattr(class_, "__post_init__") and not _has_own(class_, "__new__")
    if issubclass(class_, tuple) and hasattr(class_, "_fields"):
        return not _has_own(class_, "__init__")
    return _is_listed(class_.__module__, class_.__name__)


def _finds_members_only(class_: Any) -> bool:
    """Whether Color(value) is a look-up: no _missing_ of the user's, no __new__ for new flags."""
    missing = class_._missing_.__func__
    makes = isinstance(class_._new_member_, types.FunctionType) and issubclass(class_, enum.Flag)
    return missing.__module__ == "enum" and not makes


def _has_own(class_: type, name: str) -> bool:
    """Whether a method is written in Python."""
    return isinstance(getattr(class_, name), types.FunctionType)


# What gives an iterator can be read once only: no value of a row.
ITERATORS: Final = frozenset({
    builtins.enumerate, builtins.filter, builtins.iter, builtins.map,
    builtins.range, builtins.reversed, builtins.zip, re.finditer,
})  # fmt: skip
# What calls give for certain, where they give anything.
GIVES: Final[dict[Any, tuple[Kind, ...]]] = {
    builtins.all: ("bool",),
    builtins.any: ("bool",),
    builtins.bool: ("bool",),
    builtins.float: ("float",),
    builtins.int: ("int",),
    builtins.isinstance: ("bool",),
    builtins.len: ("int",),
    builtins.list: ("list",),
    builtins.sorted: ("list",),
    builtins.str: ("str",),
    builtins.tuple: ("tuple",),
}


# Functions that take any time and memory for a few small numbers.
COSTLY: Final = frozenset({
    builtins.pow, builtins.range, math.comb, math.factorial, math.perm, math.prod, operator.lshift,
    operator.mul, operator.pow,
})  # fmt: skip


def may_take_long(function: Any) -> bool:
    """Whether a call may take any time: only rows that get to it may make it."""
    try:
        if function in COSTLY:
            return True
    except TypeError:
        return True
    return getattr(function, "__module__", None) == "itertools"


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


def _getter(function: Any, arguments: list[Value]) -> Value | None:
    """operator.itemgetter("n") and its kin, made while tracing: they never change."""
    try:
        return Static(function(*map(literal_of, arguments)))
    except (LookupError, TypeError):
        return None


def call_of_objects(
    frame: Frame,
    function: Any,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """The call of a library's function with objects that Python alone knows; None for others."""
    if function in GETTERS and not keywords:
        return _getter(function, arguments)
    is_getter = type(function) in GETTERS and not keywords
    if not is_getter and not any(map(has_objects, (*arguments, *keywords.values()))):
        return None
    if not is_pure(function):
        return None
    if writes_into_argument(function, len(arguments), keywords):
        frame.unsupported(node, "a call that writes into an array that it is given")
    if gives_iterator(function) or may_take_long(function):
        frame.unsupported(node, "an iterator is no value of a row")
    kinds = GIVES.get(function)
    known = Known(kinds, safe=function in {builtins.bool, builtins.isinstance, builtins.len})
    return pure_call(frame, function, known, arguments, keywords, node)
