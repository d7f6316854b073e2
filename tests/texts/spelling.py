"""Records as row functions: the text of each function and the rows that it runs over."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.texts.recorded import StringRecord

OPERATORS = {"__mul__": "{text} * {0}", "__mod__": "{text} % {0}", "__contains__": "{0} in {text}"}
# "%*s" % (2**31, "") of another record is a text of 2 GiB.
WITHOUT_OTHER_TEXTS = {"__mod__", "__mul__"}
OTHER_TEXTS = 6  # of the same method, beside those that the records have for these arguments
FIELDS = "abcdef"


@dataclass
class Spelled:
    """A row function as text, with the records it stands for."""

    body: str
    records: list[StringRecord] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)  # globals that the body reads


def with_constants(records: Sequence[StringRecord]) -> list[Spelled]:
    """`r["s"].method(1, "x")`, a function for each tuple of arguments of one method."""
    spelled: dict[str, Spelled] = {}
    for number, record in enumerate(records):
        names: dict[str, Any] = {}
        name = f"{record.method.upper()}_ARGUMENT_{number}"
        args = [_constant(value, name, names) for value in record.args]
        keywords = {key: _constant(value, name, names) for key, value in record.keywords.items()}
        one = _entry(spelled, _call(record, 'r["s"]', args, keywords))
        one.names.update(names)
        one.records.append(record)
        one.rows.append({"s": record.text})
    texts = list(dict.fromkeys(record.text for record in records))
    for number, one in enumerate(spelled.values()):
        if one.records[0].method in WITHOUT_OTHER_TEXTS:
            continue
        one.rows += [{"s": text} for text in _some(texts, number)]
    return list(spelled.values())


def with_fields(records: Iterable[StringRecord]) -> list[Spelled]:
    """`r["s"].method(r["a"], r["b"])`, a function for each number of arguments of one method."""
    spelled: dict[str, Spelled] = {}
    for record in records:
        values = (*_parts(record), *record.keywords.values())
        names = iter(FIELDS)
        args = [f'r["{next(names)}"]' for _ in _parts(record)]
        keywords = {name: f'r["{next(names)}"]' for name in record.keywords}
        one = _entry(spelled, _call(record, 'r["s"]', args, keywords))
        one.records.append(record)
        one.rows.append({"s": record.text, **dict(zip(FIELDS, values, strict=False))})
    return list(spelled.values())


def with_formats(records: Iterable[StringRecord]) -> list[Spelled]:
    """`"%d" % r["a"]`, a function for each format."""
    spelled: dict[str, Spelled] = {}
    for record in records:
        if record.method == "__mod__" and len(record.args) == 1:
            one = _entry(spelled, f'{record.text!a} % r["a"]')
            one.records.append(record)
            one.rows.append({"a": record.args[0]})
    return list(spelled.values())


def by_kinds(spelled: Spelled) -> list[list[dict[str, Any]]]:
    """The rows in batches whose fields each have one type."""
    batches: dict[tuple[type, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in spelled.rows:
        batches[tuple(map(type, row.values()))].append(row)
    return list(batches.values())


def _entry(spelled: dict[str, Spelled], body: str) -> Spelled:
    return spelled.setdefault(body, Spelled(body))


def _call(record: StringRecord, text: str, args: list[str], keywords: dict[str, str]) -> str:
    if record.method == "__getitem__" and args:
        return f"{text}[{':'.join(args)}]" if _is_slice(record) else f"{text}[{args[0]}]"
    if record.method in OPERATORS and len(args) == 1:
        return OPERATORS[record.method].format(*args, text=text)
    keyed = [f"{name}={value}" for name, value in keywords.items()]
    return f"{text}.{record.method}({', '.join([*args, *keyed])})"


def _is_slice(record: StringRecord) -> bool:
    return any(isinstance(value, slice) for value in record.args)


def _parts(record: StringRecord) -> tuple[Any, ...]:
    if not _is_slice(record):
        return record.args
    (bounds,) = record.args
    return bounds.start, bounds.stop, bounds.step


def _constant(value: Any, name: str, names: dict[str, Any]) -> str:
    """The value as a literal, else as a global of that name."""
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if part is None else ascii(part) for part in parts)
    if _is_literal(value):
        return ascii(value)
    names[name] = value
    return name


def _is_literal(value: Any) -> bool:
    try:
        read = ast.literal_eval(ascii(value))
    except (SyntaxError, ValueError):
        return False
    return type(read) is type(value) and read == value


def _some(texts: list[str], number: int) -> list[str]:
    """A few of the texts, other ones for each number."""
    return [texts[(number + step * 7) % len(texts)] for step in range(min(OTHER_TEXTS, len(texts)))]
