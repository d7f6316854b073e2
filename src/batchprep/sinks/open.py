"""Open a sink, or find out beforehand whether it can be opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from batchprep.sinks.fitness import check_schema
from batchprep.sinks.remote import check_remote
from batchprep.sinks.sink import Sink
from batchprep.sinks.staging import check_local
from batchprep.sinks.target import Target, read_target

if TYPE_CHECKING:
    import pyarrow as pa


def open_sink(
    target: str | os.PathLike[str],
    schema: pa.Schema,
    *,
    format: str | None = None,  # noqa: A002  as in pipe.run
    overwrite: bool = False,
    compression: str | None = None,
    row_group_rows: int | None = None,
    rows_per_file: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Sink:
    r"""A sink whose rows get their final name when it is closed, all of them or none.

    The suffix names the format: .parquet/.pq, .csv, .ndjson/.jsonl, .arrow/.ipc/.feather; CSV and
    NDJSON with .gz or .zst behind are compressed. A target that ends in "/", `rows_per_file`, or a
    folder that is there with `format` make a folder of parts (part-00000.parquet, ...), Parquet
    unless the name or `format` says otherwise. URLs (s3://...) need the package fsspec.

    Formats: Parquet compression is zstd (default), snappy, gzip, lz4, brotli or none; a row group
             has `row_group_rows` rows, by default 1,048,576 or 128 MiB of Arrow data, whichever
             comes first. Arrow: none (default), lz4, zstd. CSV and NDJSON: by suffix, or none,
             gzip, zstd
    Nulls:   CSV: an empty field; an empty text is `""`. In a CSV file of one column a null is `""`
             too, since readers skip empty lines. NDJSON: null
    Types:   text formats refuse bytes and intervals, CSV also lists and structs, Parquet and both
             of these unions. Floats in CSV and NDJSON read back exactly with float(), as doubles;
             durations are seconds; timestamps are as isoformat() gives them
    Errors:  TypeError naming column, type and remedy; FileExistsError without `overwrite` where
             the target exists, at the start and once more at the end; ValueError for an unknown
             suffix, format or compression; OSError naming the file

    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with open_sink(folder / "out.csv", pa.schema([("n", pa.int64())])) as sink:
    ...     sink.write(pa.table({"n": [1, 2]}))
    >>> (folder / "out.csv").read_text()
    'n\n1\n2\n'
    """
    found = read_target(
        target,
        format=format,
        overwrite=overwrite,
        compression=compression,
        row_group_rows=row_group_rows,
        rows_per_file=rows_per_file,
        storage_options=storage_options,
    )
    check_schema(schema, found)
    _check_place(found)
    return Sink(found, schema)


def check_target(
    target: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  as in pipe.run
    overwrite: bool = False,
    compression: str | None = None,
    row_group_rows: int | None = None,
    rows_per_file: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> None:
    """Nothing, if a sink can be opened there; its errors, so that a run fails before it reads.

    Errors:  those of open_sink that need no schema

    >>> check_target("out.csv", compression="zst")
    Traceback (most recent call last):
    ...
    ValueError: out.csv (CSV file): compression='zst' is not one of 'none', 'gzip', 'zstd'
      nearest: 'zstd'
    """
    found = read_target(
        target,
        format=format,
        overwrite=overwrite,
        compression=compression,
        row_group_rows=row_group_rows,
        rows_per_file=rows_per_file,
        storage_options=storage_options,
    )
    _check_place(found)


def _check_place(target: Target) -> None:
    if target.remote:
        check_remote(target)
    else:
        check_local(target)
