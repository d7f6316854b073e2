"""Where CPython keeps the parts of its own objects: dicts of strings, floats, ints, dates.

The API finds a key anew in each dict, and a call for each number costs as much as the arithmetic.
Records of one origin have a key at the same place, and the same object as the key: so a value is
where it was in the record before, if the key there is that very object. What is not as it was is
asked of the API. The caller measures the layout on objects of its own and says which of it holds;
where none does, everything is asked of the API.
"""

# pyright: reportMissingParameterType=false

from typing import Any, Final

import numba
from numba.core import types

from batchprep.kernels.cpu.calendar import day_of_civil
from batchprep.kernels.cpu.capi import ADDRESS, inlined, load_int8, load_int32, load_int64, store

# What of the layout holds: a sum of these.
DICTS: Final = 1
FLOATS: Final = 2
SIZED_INTS: Final = 4  # up to CPython 3.11
TAGGED_INTS: Final = 8  # from 3.12
TIMES: Final = 16
LISTS: Final = 32
WIDE_TEXTS: Final = 64  # up to CPython 3.11
TEXTS: Final = 128  # from 3.12

FLOAT_VALUE: Final = 16
INT_SIZE: Final = 16  # the number of digits, negative for a negative int; or the tag
INT_DIGIT: Final = 24  # uint32, below 2**30; the higher ones after it
DIGIT_BITS: Final = 30
FEW_DIGITS: Final = 3  # of an int64
HIGHEST_DIGIT: Final = 8  # the third one of an int64 is below
TAG_SIGN: Final = 3  # 0: positive, 1: zero, 2: negative
NEGATIVE_TAG: Final = 2
TAG_DIGITS: Final = 3  # bits of a tag below the number of digits
TAGS_OF_ONE_DIGIT: Final = 16  # those below

DICT_KEYS: Final = 32
DICT_VALUES: Final = 40  # 0 but where a dict shares its keys with others
KEYS_FORM: Final = 8  # int32, of which FORM are the two of int8 that follow
FORM: Final = 0xFF_FF00
KEYS_INDEX_LOG2: Final = 9  # int8: bytes of the index of the entries
KEYS_KIND: Final = 10  # int8
STRINGS: Final = 1  # the kind where all keys are of type str
OF_ANY_TYPE: Final = 0  # the kind where not all are
KEYS_COUNT: Final = 24  # entries, with those that were deleted
KEYS_INDEX: Final = 32
ENTRY: Final = 16  # bytes: addresses of key and value
ENTRY_VALUE: Final = 8

STRING_LENGTH: Final = 16
STRING_HASH: Final = 24  # of a key, which has been asked for it
STRING_STATE: Final = 32  # int32, of whose bits STATE are those of ASCII where it has ASCII only
STATE: Final = 0b111_1100
ASCII: Final = 0b110_0100
WIDE_TEXT: Final = 48  # the bytes of such a string, after which comes a 0
TEXT: Final = 40

LIST_ITEMS: Final = 24  # the address of the items

HAS_ZONE: Final = 24  # int8, of a datetime
DATE: Final = 25  # bytes: year (2, the higher one first), month, day; hour, minute, second,
FOLD: Final = 35  # microseconds (3); and the fold
_MICROSECONDS: Final = 1_000_000

# Of a field: the key that was found last, which is kept, and the place of its entry.
KEY: Final = 0
PLACE: Final = 1
LEARNT_PER_BLOCK: Final = 8  # a search of all entries; keys that are new each time are not learnt

_dict_get: Any = types.ExternalFunction("PyDict_GetItemWithError", ADDRESS(ADDRESS, ADDRESS))
_compare: Any = types.ExternalFunction("PyUnicode_Compare", types.int32(ADDRESS, ADDRESS))
_keep: Any = types.ExternalFunction("Py_IncRef", types.void(ADDRESS))
_release: Any = types.ExternalFunction("Py_DecRef", types.void(ADDRESS))

SYMBOLS: Final = ("PyDict_GetItemWithError", "PyUnicode_Compare", "Py_DecRef", "Py_IncRef")


@inlined
def items_of(listed):
    """The address of a list's items."""
    return load_int64(listed + LIST_ITEMS)


@inlined
def entries_of(keys):
    """Where the entries begin, whose keys these are."""
    return keys + KEYS_INDEX + (1 << load_int8(keys + KEYS_INDEX_LOG2))


@inlined
def has_string_keys(keys):
    """Whether all keys are of type str, which run no code."""
    return load_int8(keys + KEYS_KIND) == STRINGS


@inlined
def are_alike(keys, others):
    """Whether two dicts have as many entries at the same place, and keys of the same kind."""
    form = (load_int32(keys + KEYS_FORM) ^ load_int32(others + KEYS_FORM)) & FORM
    return form == 0 and load_int64(keys + KEYS_COUNT) == load_int64(others + KEYS_COUNT)


@inlined
def has_keys_of_any_type(record):
    """Whether a dict may have keys of other types, whose comparison may run any code."""
    return load_int8(load_int64(record + DICT_KEYS) + KEYS_KIND) == OF_ANY_TYPE


@inlined
def has_own_values(record):
    """Whether a dict has its values beside its keys, which it shares with no other dict."""
    return load_int64(record + DICT_VALUES) == 0


@inlined
def _has_entries(record, keys):
    return has_string_keys(keys) and has_own_values(record)


@inlined
def has_entries(record):
    """Whether a dict has keys of type str, which run no code, with its values beside them."""
    return _has_entries(record, load_int64(record + DICT_KEYS))


@inlined
def known_value(record, name, last):
    """The value of the key that was found last, if it is where it was; else 0."""
    keys, place = load_int64(record + DICT_KEYS), load_int64(last + 8 * PLACE)
    if place < load_int64(keys + KEYS_COUNT) and _has_entries(record, keys):
        entry = entries_of(keys) + ENTRY * place
        key = load_int64(entry)
        if key == load_int64(last + 8 * KEY) or (key != 0 and is_equal(key, name)):
            return load_int64(entry + ENTRY_VALUE)
    return 0


@inlined
def count_of_entries(record):
    """How many entries a dict has, with the deleted ones; 0 where they do not show."""
    keys = load_int64(record + DICT_KEYS)
    return load_int64(keys + KEYS_COUNT) if _has_entries(record, keys) else 0


@inlined
def exchanged(record, place, value):
    """The value of an entry, whose reference is given back for that of another."""
    entry = entries_of(load_int64(record + DICT_KEYS)) + ENTRY * place
    before = load_int64(entry + ENTRY_VALUE)
    store(entry + ENTRY_VALUE, value)
    return before


@numba.njit(nogil=True)
def is_equal(key, name):
    """Whether two strings are equal, as those of records are that were parsed one by one."""
    return load_int64(key + STRING_HASH) == load_int64(name + STRING_HASH) and (
        _compare(key, name) == 0
    )


@numba.njit
def asked_value(record, name, last, learns):
    """The API's answer: a borrowed reference, or 0. `last` learns from it where the key is."""
    value = _dict_get(record, name)
    if learns and value != 0:
        _learn(record, name, value, last)
    return value


@numba.njit
def _learn(record, name, value, last):
    keys = load_int64(record + DICT_KEYS)
    if not _has_entries(record, keys):
        return
    entries = entries_of(keys)
    for place in range(load_int64(keys + KEYS_COUNT)):
        if load_int64(entries + ENTRY * place + ENTRY_VALUE) == value:
            key = load_int64(entries + ENTRY * place)
            if key == name or _compare(key, name) == 0:
                forget(last)
                _keep(key)
                store(last + 8 * KEY, key)
                store(last + 8 * PLACE, place)
                return


@numba.njit
def forget(last):
    """Let the key go that was found last."""
    key = load_int64(last + 8 * KEY)
    store(last + 8 * KEY, 0)
    if key != 0:
        _release(key)


@inlined
def is_ascii(string, layout):
    """Whether a string has ASCII only, where it can be seen."""
    is_seen = layout & (WIDE_TEXTS | TEXTS) != 0
    return is_seen and load_int32(string + STRING_STATE) & STATE == ASCII


@inlined
def text_of(string, layout):
    """The address of the bytes of such a string."""
    return string + (WIDE_TEXT if layout & WIDE_TEXTS else TEXT)


@inlined
def is_short(value, layout):
    """Whether an int has one digit, where it can be seen."""
    size = load_int64(value + INT_SIZE)
    if layout & SIZED_INTS:
        return -1 <= size <= 1
    return layout & TAGGED_INTS != 0 and size < TAGS_OF_ONE_DIGIT


@inlined
def short_int(value, layout):
    """The int of one digit."""
    size, digit = load_int64(value + INT_SIZE), load_int32(value + INT_DIGIT)
    return digit * size if layout & SIZED_INTS else digit * (1 - (size & TAG_SIGN))


@inlined
def is_long_int64(value, layout):
    """Whether an int of more than one digit is surely within int64."""
    digits = _count_of_digits(value, layout)
    highest = load_int32(value + INT_DIGIT + 8)
    return digits < FEW_DIGITS or (digits == FEW_DIGITS and highest < HIGHEST_DIGIT)


@inlined
def _count_of_digits(value, layout):
    size = load_int64(value + INT_SIZE)
    return abs(size) if layout & SIZED_INTS else size >> TAG_DIGITS


@inlined
def long_int64(value, layout):
    """The int, of which is_long_int64 holds."""
    size, start = load_int64(value + INT_SIZE), value + INT_DIGIT
    number = load_int32(start) | load_int32(start + 4) << DIGIT_BITS
    if _count_of_digits(value, layout) == FEW_DIGITS:
        number |= load_int32(start + 8) << 2 * DIGIT_BITS
    is_negative = size < 0 if layout & SIZED_INTS else size & TAG_SIGN == NEGATIVE_TAG
    return -number if is_negative else number


@inlined
def is_plain(moment):
    """Whether a datetime has neither zone nor fold."""
    return load_int8(moment + HAS_ZONE) == 0 and load_int8(moment + FOLD) == 0


@inlined
def _byte(address):
    return load_int8(address) & 255


@inlined
def day_of(date):
    """Days since 1970 of a date or datetime."""
    start = date + DATE
    year = _byte(start) * 256 + _byte(start + 1)
    return day_of_civil(year, _byte(start + 2), _byte(start + 3))


@inlined
def microseconds_of(moment):
    """Microseconds since 1970 of a plain datetime."""
    start = moment + DATE + 4
    seconds = _byte(start) * 3600 + _byte(start + 1) * 60 + _byte(start + 2)
    rest = _byte(start + 3) * 65_536 + _byte(start + 4) * 256 + _byte(start + 5)
    return (day_of(moment) * 86_400 + seconds) * _MICROSECONDS + rest
