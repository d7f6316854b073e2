"""What a pipeline is given, checked: sources, row functions, names of columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from batchprep.api import pipeline_messages as texts
from batchprep.errors.messages import bad_type_text, bad_value_text
from batchprep.records import Scan, open_source, scan
from batchprep.records.source import Source
from batchprep.rowfn.steps import RowFunction


def source_of(data: Any) -> Source:
    """The source of anything that a pipeline takes: data in memory, paths, a scan.

    Errors:  TypeError for one record or for what holds none
    """
    if isinstance(data, (str, os.PathLike)) or _are_paths(data):
        data = scan(data)
    if type(data) is dict:
        raise TypeError(texts.one_record_text(data))
    source = open_source(data)
    if source.kind == "record":
        raise TypeError(texts.one_record_text(data))
    return source


def early_source_of(data: Any) -> Source:
    """The same for `tried`: the types of CSV files may be a guess."""
    if isinstance(data, (str, os.PathLike)) or _are_paths(data):
        data = scan(data)
    return data.early_source() if isinstance(data, Scan) else source_of(data)


def is_scan(data: Any) -> bool:
    """Whether data is in files."""
    return isinstance(data, (str, os.PathLike, Scan)) or _are_paths(data)


def _are_paths(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], (str, os.PathLike))


def row_function(method: str, value: Any) -> RowFunction:
    """The function that a step calls: of a vectorized one, what it runs for one record."""
    if not callable(value):
        raise TypeError(texts.bad_function_text(method, value))
    return getattr(value, "__row_function__", value)


def row_count(argument: str, value: Any) -> None:
    """Refuse what is no number of rows."""
    wanted = "an int of at least 0"
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(bad_type_text(argument, value, wanted))
    if value < 0:
        raise ValueError(bad_value_text(argument, value, wanted))


def column_names(method: str, names: Iterable[Any]) -> tuple[str, ...]:
    """The names that a step was given, each once."""
    found = tuple(names)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(texts.bad_names_text(method, name))
    return tuple(dict.fromkeys(found))


def new_names(method: str, names: Any) -> tuple[tuple[str, str], ...]:
    """The pairs of old and new names that a step was given."""
    if not isinstance(names, Mapping):
        raise TypeError(bad_type_text("names", names, '{"old": "new"}'))
    pairs: list[tuple[Any, Any]] = list(names.items())
    column_names(method, [name for pair in pairs for name in pair])
    return tuple(pairs)


def column_name(function: object) -> str:
    """What a column of a function's results is called: `value` where it has no name of its own."""
    name = getattr(function, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "value"
