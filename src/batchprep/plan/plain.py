"""Objects that a pure function may be given: reading them changes nothing and runs no user code."""

from __future__ import annotations

import abc
import collections
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import gc
import inspect
import re
import reprlib
import sys
import time
import types
import uuid
import weakref
from collections import Counter, OrderedDict, deque
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final
from zoneinfo import ZoneInfo

from batchprep.batch.access import is_named_tuple
from batchprep.batch.kinds import Absent
from batchprep.plan.tables import Refused

# Exact types: a subclass may do anything. Iterators are not among them, since they are used up,
# nor defaultdict, which is written into by reading.
PLAIN_TYPES: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, bytearray, range, slice, list, tuple, dict,
    set, frozenset, OrderedDict, deque, Counter, dt.date, dt.datetime, dt.time,
    dt.timedelta, dt.timezone, ZoneInfo, Decimal, decimal.DecimalTuple, Fraction, uuid.UUID,
    time.struct_time, type(dt.date.min.isocalendar()), re.Match, re.Pattern, Absent,
})  # fmt: skip
# Exact types of constants that cannot change, and whose methods are Python's own.
FIXED: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, slice, dt.date, dt.datetime, dt.time,
    dt.timedelta, dt.timezone, ZoneInfo, Decimal, Fraction, uuid.UUID, re.Pattern, re.Match,
    re.RegexFlag,
})  # fmt: skip
# Types whose values hold no others.
SIMPLE: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, bytearray, range, dt.date, dt.datetime,
    dt.time, dt.timedelta, dt.timezone, Decimal, Fraction, uuid.UUID, Absent,
})  # fmt: skip
_OF_PANDAS: Final = frozenset({"Timestamp", "Timedelta", "NaTType", "NAType"})
_HASHES: Final = frozenset({"_hashlib", "_blake2", "_md5"})
# Names of the objects of other libraries, and of enums, that code may read.
OTHER_NAMES: Final = frozenset({
    "name", "value", "item", "tolist", "mean", "std", "var", "min", "max", "sum", "round", "size",
    "shape", "ndim", "dtype", "T", "nanosecond", "quarter", "dayofweek", "day_of_week", "dayofyear",
    "day_of_year", "tz", "is_month_end", "is_month_start", "is_leap_year", "days_in_month",
    "tz_localize", "tz_convert", "day_name", "month_name", "to_pydatetime", "floor", "ceil",
    "_replace", "_asdict", "astype", "tobytes", "args", "errno", "strerror", "digest", "hexdigest",
    "default_factory",
})  # fmt: skip
# Bases of an enum that are not the user's.
_OF_PYTHON: Final[frozenset[type]] = frozenset({
    object, int, float, str, bytes, tuple, enum.Enum, enum.IntEnum, enum.StrEnum, enum.ReprEnum,
    enum.Flag, enum.IntFlag,
})  # fmt: skip
_MAKING: Final = frozenset({"__new__", "__init__", "__post_init__"})
_FIELD_TYPES: Final = (types.MemberDescriptorType, type(inspect.FullArgSpec.args))
_GENERATORS: Final = frozenset({enum.__file__, dataclasses.__file__, collections.__file__})
_judged: Final[weakref.WeakKeyDictionary[type, bool]] = weakref.WeakKeyDictionary()
_fields: Final[weakref.WeakKeyDictionary[type, frozenset[str]]] = weakref.WeakKeyDictionary()


def plain_object(value: Any) -> Any:
    """The value itself.

    Errors: Refused for one of another type
    """
    type_ = type(value)
    if type_ in PLAIN_TYPES or is_plain_type(type_):
        return value
    if behind_view(value) is not value:
        return value
    raise Refused


def is_plain(value: Any) -> bool:
    """Whether the value and all that it holds are of plain types."""
    type_ = type(value)
    if type_ in SIMPLE:
        return True
    if type_ in {dict, OrderedDict, Counter, types.MappingProxyType}:
        return _all_plain(value) and _all_plain(value.values())
    if type_ in {list, tuple, set, frozenset, deque}:
        return _all_plain(value)
    return is_plain_type(type_) and _all_plain([getattr(value, n) for n in fields_of(type_)])


def _all_plain(values: Collection[Any]) -> bool:
    if SIMPLE.issuperset(map(type, values)):
        return True
    try:
        return all(map(is_plain, values))
    except RecursionError:  # it holds itself, or is too deep to tell
        return False


def is_plain_type(type_: type) -> bool:
    """Whether objects of the type run no code of the user's: those of known types and enums."""
    if type_ in PLAIN_TYPES:
        return True
    found = _judged.get(type_)
    if found is None:
        is_own = is_plain_enum(type_) or is_plain_record(type_)
        found = _judged[type_] = is_own or _is_of_library(type_)
    return found


def _is_of_library(type_: type) -> bool:
    """Whether the type is one of NumPy's scalars, a time of pandas, or a hash of hashlib."""
    if type_.__module__ == "numpy":
        return any(class_.__name__ == "generic" for class_ in type_.__mro__)
    if _top_module(type_) == "pandas":
        return type_.__name__ in _OF_PANDAS
    return type_.__module__ in _HASHES


def is_fixed(value: Any) -> bool:
    """Whether an object never changes, nor does what it holds, and is plain.

    >>> is_fixed((1, "a")), is_fixed(([],))
    (True, False)
    """
    type_ = type(value)
    if type_ in FIXED:
        return True
    if type_ in {tuple, frozenset}:
        return all(map(is_fixed, value))
    if isinstance(value, enum.Enum):
        return is_plain_type(type_)
    if not is_plain_record(type_) or not _is_frozen(type_):
        return False
    return all(is_fixed(getattr(value, name)) for name in fields_of(type_))


def _is_frozen(type_: Any) -> bool:
    return issubclass(type_, tuple) or type_.__dataclass_params__.frozen


def is_single(value: object) -> bool:
    """Whether a copy of the object is the object itself: a class, a zone, a member of an enum."""
    if type(value) is ZoneInfo:
        return copy.copy(value) is value  # not where it was made beside the cache of zones
    return isinstance(value, type) or (isinstance(value, enum.Enum) and is_fixed(value))


def behind_view(held: Any) -> Any:
    """The dict that a read-only view of a dict shows; any other object as it is."""
    if type(held) is not types.MappingProxyType:
        return held
    # A view does not tell what it shows, and a mapping of the user's would run code of its own.
    (shown,) = gc.get_referents(held)
    return shown if type(shown) is dict else held


def is_plain_class(class_: type) -> bool:
    """Whether asking a class for its items or instances runs no code of the user's."""
    if type(class_) not in {type, enum.EnumType, abc.ABCMeta}:
        return False
    own = (one for one in class_.__mro__ if _top_module(one) not in sys.stdlib_module_names)
    found = [vars(one).get(name) for one in own for name in _ASKED]
    return not any(
        isinstance(one, (classmethod, staticmethod, types.FunctionType)) for one in found
    )


_ASKED: Final = ("__class_getitem__", "__subclasshook__")


def _top_module(class_: type) -> str:
    return class_.__module__.partition(".")[0]


def is_plain_enum(type_: type) -> bool:
    """Whether a class is an enum that overrides nothing that a plain object has.

    Methods of other names are no hindrance: nothing but a call by that name runs them.
    """
    return type(type_) is enum.EnumType and _overrides_nothing(type_)


def is_plain_record(type_: type) -> bool:
    """Whether a class is a dataclass or a named tuple that overrides nothing likewise."""
    is_record = dataclasses.is_dataclass(type_) or is_named_tuple(type_)
    return is_record and type(type_) is type and _overrides_nothing(type_)


def field_of(owner: Any, name: str) -> Any:
    """owner.name of a dataclass or named tuple.

    Errors: Refused for any other attribute
    """
    if name not in fields_of(type(owner)):
        raise Refused
    return getattr(owner, name)


def fields_of(type_: type) -> frozenset[str]:
    """The fields of a plain dataclass or named tuple; none of another type."""
    found = _fields.get(type_)
    if found is None:
        found = _fields[type_] = _read_fields(type_) if is_plain_record(type_) else frozenset()
    return found


def _read_fields(type_: Any) -> frozenset[str]:
    names: Any = getattr(type_, "_fields", ()) or type_.__dataclass_fields__
    held = {name: inspect.getattr_static(type_, name, None) for name in names}
    return frozenset(
        name
        for name, found in held.items()
        if isinstance(found, _FIELD_TYPES) or not hasattr(type(found), "__get__")
    )


def _overrides_nothing(type_: type) -> bool:
    own = (class_ for class_ in type_.__mro__ if class_ not in _OF_PYTHON)
    return not any(
        _overrides(name, found) for class_ in own for name, found in vars(class_).items()
    )


def _overrides(name: str, found: object) -> bool:
    if isinstance(found, (enum.Enum, enum.property, *_FIELD_TYPES)) or _is_generated(found):
        return False
    if name.startswith("__") and name.endswith("__"):
        return name not in _MAKING and isinstance(found, types.FunctionType)
    runs = isinstance(found, types.FunctionType) or hasattr(type(found), "__get__")
    return runs and name in _known_names()


def _is_generated(found: object) -> bool:
    """Whether the module enum, dataclasses or collections has made a method."""
    inner = getattr(found, "__func__", found)
    if not isinstance(inner, types.FunctionType):
        return False
    code = inner.__code__
    if code.co_filename == reprlib.__file__:  # from CPython 3.13 on around a dataclass's __repr__
        return _is_generated(getattr(inner, "__wrapped__", None))
    return code.co_filename in _GENERATORS or code.co_qualname.startswith("__create_fn__.")


def _known_names() -> frozenset[str]:
    return OTHER_NAMES.union(*map(dir, PLAIN_TYPES))
