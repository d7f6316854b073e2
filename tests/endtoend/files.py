"""Files of every format, written and read without batchprep."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import ipc, parquet

SUFFIXES = (
    ".parquet",
    ".csv",
    ".csv.gz",
    ".csv.zst",
    ".ndjson",
    ".ndjson.gz",
    ".jsonl.zst",
    ".arrow",
    ".feather",
)

Record = dict[str, Any]


def write(table: pa.Table, path: Path) -> Path:
    """The table as a file of the format that its suffix names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = _kind(path)
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=3_000)
    elif kind == "ipc":
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=3_000)
    else:
        with _written(path) as stream:
            if kind == "csv":
                arrow_csv.write_csv(table, stream)
            else:
                lines = (json.dumps(record) + "\n" for record in table.to_pylist())
                stream.write("".join(lines).encode())
    return path


def read(path: Path, like: list[Record]) -> list[Record]:
    """The file's rows; texts of a CSV become values of the types that `like` has there."""
    kind = _kind(path)
    if kind == "parquet":
        return parquet.read_table(path).to_pylist()
    if kind == "ipc":
        with ipc.open_file(path) as reader:
            return reader.read_all().to_pylist()
    with _text(path) as lines:
        if kind == "ndjson":
            return [json.loads(line) for line in lines]
        parsers = _parsers(like)
        return [
            {name: parsers[name](text) if text else None for name, text in record.items()}
            for record in csv.DictReader(lines)
        ]


def same_rows(got: list[Record], expected: list[Record]) -> bool:
    """Whether values, their types, zero signs and the order of keys are the same."""
    # repr tells 1 from 1.0 and True, 0.0 from -0.0, and nan equals nan.
    return len(got) == len(expected) and all(map(_same, got, expected))


def _same(got: Any, expected: Any) -> bool:
    return repr(got) == repr(expected)


def _parsers(like: list[Record]) -> dict[str, Any]:
    return {name: _parser([record[name] for record in like]) for name in like[0]}


def _parser(values: list[Any]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    assert len(kinds) == 1, f"a column of {kinds} has no one parser"
    (kind,) = kinds
    return {"true": True, "false": False}.__getitem__ if kind is bool else kind


def _kind(path: Path) -> str:
    for name, suffixes in {
        "parquet": {".parquet"},
        "csv": {".csv"},
        "ndjson": {".ndjson", ".jsonl"},
        "ipc": {".arrow", ".feather"},
    }.items():
        if suffixes & set(path.suffixes):
            return name
    raise ValueError(path)


@contextmanager
def _written(path: Path) -> Iterator[Any]:
    codec = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
    with pa.OSFile(str(path), "wb") as plain:
        if codec is None:
            yield plain
        else:
            with pa.CompressedOutputStream(plain, codec) as stream:
                yield stream


@contextmanager
def _text(path: Path) -> Iterator[Any]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            yield lines
    elif path.suffix == ".zst":
        with pa.input_stream(str(path), compression="zstd") as stream:
            yield stream.read().decode().splitlines(keepends=True)
    else:
        with path.open(encoding="utf-8", newline="") as lines:
            yield lines
