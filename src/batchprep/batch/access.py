"""Reading one field out of the caller's records, without running the caller's code by surprise."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import WrapperDescriptorType
from typing import Any, Final

from batchprep.batch.kinds import ABSENT, MISFIT
from batchprep.schema import RecordForm

_PLAIN_LOOKUP: Final = ("__getitem__", "__contains__", "get")
_ONLY_DICTS: Final[frozenset[type]] = frozenset({dict})


def form_of_type(type_: type) -> RecordForm | None:
    """How records of this type are read; None where they are not records at all."""
    if type_ is dict or issubclass(type_, Mapping):  # asking Mapping takes 0.5 us
        return "mapping"
    if is_named_tuple(type_) or dataclasses.is_dataclass(type_):
        return "attributes"
    return None


def is_named_tuple(type_: type) -> bool:
    """Whether a class is one that namedtuple or NamedTuple made, or a subclass."""
    return issubclass(type_, tuple) and isinstance(getattr(type_, "_fields", None), tuple)


def form_of_records(records: Sequence[Any]) -> RecordForm:
    """Form of the first record that has one; mapping where none has."""
    for record in records:
        form = form_of_type(type(record))
        if form is not None:
            return form
    return "mapping"


def names_of_record(record: Any) -> tuple[str, ...]:
    """Field names of one record; none where it is not a record."""
    type_ = type(record)
    if isinstance(record, Mapping):
        return tuple(record)  # pyright: ignore[reportUnknownVariableType]
    if is_named_tuple(type_):
        return record._fields
    if dataclasses.is_dataclass(type_):
        return tuple(field.name for field in dataclasses.fields(type_))
    return ()


def types_of_records(records: Sequence[Any]) -> frozenset[type]:
    """The types that occur."""
    types = list(map(type, records))
    # Records are nearly always dicts, and counting takes half the time of hashing.
    return _ONLY_DICTS if types and types.count(dict) == len(types) else frozenset(types)


def read_field(
    records: Sequence[Any], name: str, form: RecordForm, types: frozenset[type]
) -> list[Any]:
    """The field of each record: its value, ABSENT, or MISFIT where only the caller may read it.

    `types` are those of the records, the same for every field.
    """
    if types == _ONLY_DICTS and form == "mapping":
        return _read_dicts(records, name)
    readers = {type_: _reader(type_, name, form) for type_ in types}
    return [readers[type(record)](record) for record in records]


def fetch(records: Sequence[Any], name: str, form: RecordForm) -> list[Any]:
    """The field of each record, read as the caller's code would, with its exceptions."""
    if form == "mapping":
        return list(map(itemgetter(name), records))
    return [getattr(record, name) for record in records]


def _read_dicts(records: Sequence[Any], name: str) -> list[Any]:
    try:
        return list(map(itemgetter(name), records))
    except KeyError:
        return [record.get(name, ABSENT) for record in records]


def _reader(type_: type, name: str, form: RecordForm) -> Callable[[Any], Any]:
    if form_of_type(type_) != form:
        return _misfit
    if form == "attributes":
        return _attribute_reader(type_, name)
    if issubclass(type_, dict):
        return _dict_reader(type_, name)
    return _mapping_reader(name)


def _misfit(_record: Any) -> Any:
    return MISFIT


def _dict_reader(type_: type, name: str) -> Callable[[Any], Any]:
    """Reader for dicts and subclasses: __missing__ may invent a value, so absence is a misfit."""
    overrides = (getattr(type_, name_) is not getattr(dict, name_) for name_ in _PLAIN_LOOKUP)
    if any(overrides) or not _has_plain_attributes(type_):
        return _misfit
    missing = MISFIT if hasattr(type_, "__missing__") else ABSENT
    return lambda record: dict.get(record, name, missing)


def _mapping_reader(name: str) -> Callable[[Any], Any]:
    """Reader for any other Mapping: what it does with an absent key is its own affair."""

    def read(record: Any) -> Any:
        try:
            return record[name] if name in record else MISFIT  # noqa: SIM401  get may differ
        except Exception:  # noqa: BLE001  the interpreter meets it again, in the row's own turn
            return MISFIT

    return read


def _attribute_reader(type_: type, name: str) -> Callable[[Any], Any]:
    """Reader for the plain fields of a class; a property or a method is the caller's code."""
    static = inspect.getattr_static(type_, name, ABSENT)
    is_plain = name in _declared(type_) and not _runs_code(static)
    if not _has_plain_attributes(type_):
        return _misfit
    if static is ABSENT and name not in _declared(type_):
        return lambda record: MISFIT if hasattr(record, name) else ABSENT
    return (lambda record: getattr(record, name, ABSENT)) if is_plain else _misfit


def _has_plain_attributes(type_: type) -> bool:
    """Whether attribute access of a class is that of a type written in C, as object's is."""
    is_native = isinstance(type_.__getattribute__, WrapperDescriptorType)
    return is_native and not hasattr(type_, "__getattr__")


def _declared(type_: type) -> frozenset[str]:
    if is_named_tuple(type_):
        return frozenset(getattr(type_, "_fields", ()))
    return frozenset(field.name for field in dataclasses.fields(type_))


def _runs_code(static: Any) -> bool:
    """Whether reading a class attribute through an instance calls Python code."""
    if inspect.ismemberdescriptor(static) or type(static).__name__ == "_tuplegetter":
        return False
    return hasattr(type(static), "__get__")
