"""Columns that the names of folders give: year=2024/country=NO/part.parquet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa

from batchprep.dtypes import INT64_MAX, INT64_MIN

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_INT: Final = re.compile(r"-?[1-9][0-9]*|0")

Keys = tuple[tuple[str, str | None], ...]


def keys_of(folders: Iterable[str]) -> Keys:
    """The keys and values that the folders of a path name, in order.

    >>> keys_of(["data", "year=2024", "country=__HIVE_DEFAULT_PARTITION__"])
    (('year', '2024'), ('country', None))
    """
    parts = (folder.partition("=") for folder in folders)
    found = {unquote(key): unquote(value) for key, equals, value in parts if key and equals}
    return tuple((key, None if value == NULL else value) for key, value in found.items())


def schema_of_keys(files: Sequence[Keys]) -> pa.Schema:
    """Type of each key: int64 where every value is an int without leading zeros, else string."""
    values: dict[str, list[str | None]] = {}
    for keys in files:
        for key, value in keys:
            values.setdefault(key, []).append(value)
    return pa.schema([pa.field(key, _type_of(texts)) for key, texts in values.items()])


def constants_of(keys: Keys, schema: pa.Schema) -> dict[str, Any]:
    """The value of each key of the schema in one file; None where its path has none."""
    texts = dict(keys)
    return {field.name: _value(texts.get(field.name), field.type) for field in schema}


def _value(text: str | None, dtype: pa.DataType) -> Any:
    return int(text) if text is not None and pa.types.is_integer(dtype) else text


def _type_of(texts: Iterable[str | None]) -> pa.DataType:
    given = [text for text in texts if text is not None]
    return pa.int64() if given and all(map(_is_int, given)) else pa.string()


def _is_int(text: str) -> bool:
    return _INT.fullmatch(text) is not None and INT64_MIN <= int(text) <= INT64_MAX
