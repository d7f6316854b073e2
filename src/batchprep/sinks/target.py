"""What a target means: its format, its compression, and whether it is a file or a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Final, Literal, TypeAlias, cast

from batchprep.errors.messages import bad_option_text, bad_type_text, bad_value_text
from batchprep.sinks import messages

Format: TypeAlias = Literal["parquet", "csv", "ndjson", "ipc"]

SUFFIXES: Final[dict[str, Format]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}
PART_SUFFIXES: Final = {"parquet": ".parquet", "csv": ".csv", "ndjson": ".ndjson", "ipc": ".arrow"}
OUTER: Final = {".gz": "gzip", ".zst": "zstd"}
OUTER_SUFFIXES: Final = {name: suffix for suffix, name in OUTER.items()}
# The first of each is the default.
COMPRESSIONS: Final[dict[Format, tuple[str, ...]]] = {
    "parquet": ("zstd", "snappy", "gzip", "lz4", "brotli", "none"),
    "csv": ("none", "gzip", "zstd"),
    "ndjson": ("none", "gzip", "zstd"),
    "ipc": ("none", "lz4", "zstd"),
}
TEXT: Final = ("csv", "ndjson")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class Target:
    """Where the rows go and how: `name` is what the caller wrote, for messages."""

    name: str
    path: str
    remote: bool
    folder: bool
    format: Format
    compression: str
    overwrite: bool = False
    row_group_rows: int | None = None
    rows_per_file: int | None = None
    storage_options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def part_suffix(self) -> str:
        """Suffix of a part of a folder."""
        outer = OUTER_SUFFIXES.get(self.compression, "") if self.format in TEXT else ""
        return PART_SUFFIXES[self.format] + outer


def read_target(
    target: str | os.PathLike[str],
    *,
    format: str | None,  # noqa: A002  as in pipe.run
    overwrite: bool,
    compression: str | None,
    row_group_rows: int | None,
    rows_per_file: int | None,
    storage_options: Mapping[str, Any] | None,
) -> Target:
    """The target as it is meant; nothing on disk is touched.

    Errors:  TypeError, ValueError for what no format or compression is
    """
    name, remote, path = _place(target)
    _check_count("row_group_rows", row_group_rows)
    _check_count("rows_per_file", rows_per_file)
    if storage_options and not remote:
        raise ValueError(messages.remote_options_text(name))
    known_folder = path.endswith("/") or rows_per_file is not None
    folder = known_folder or (format is not None and not remote and Path(path).is_dir())
    if not folder and not remote and Path(path).is_dir():
        raise IsADirectoryError(messages.is_folder_text(name))
    bare = path.rstrip("/") or "/"
    chosen, by_suffix = _format(name, bare, format, folder=folder)
    return Target(
        name=name,
        path=bare,
        remote=remote,
        folder=folder,
        format=chosen,
        compression=_compression(name, chosen, by_suffix, compression),
        overwrite=overwrite,
        row_group_rows=row_group_rows,
        rows_per_file=rows_per_file,
        storage_options=dict(storage_options or {}),
    )


def _place(target: object) -> tuple[str, bool, str]:
    """The target as text, whether it is a URL, and the path or URL to write to."""
    if not isinstance(target, (str, os.PathLike)):
        raise TypeError(messages.not_target_text(target))
    name = os.fspath(cast("str | os.PathLike[str]", target))
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  bytes paths
        raise TypeError(messages.not_target_text(name))
    if not name:
        raise ValueError(bad_value_text("target", name, "a path or a URL"))
    remote = _URL.match(name) is not None
    if remote and name.lower().startswith("file://"):
        return name, False, name[len("file://") :]
    return name, remote, name


def _check_count(option: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(bad_type_text(option, value, "a number of rows"))
    if value < 1:
        raise ValueError(bad_value_text(option, value, "at least 1 row"))


def _format(name: str, path: str, format: str | None, *, folder: bool) -> tuple[Format, str | None]:  # noqa: A002
    """The format, and the compression that the suffix says, None where it says nothing."""
    lower = PurePath(path.lower())
    by_suffix = OUTER.get(lower.suffix)
    suffix = PurePath(lower.stem).suffix if by_suffix else lower.suffix
    if format is not None:
        if format not in COMPRESSIONS:
            raise ValueError(bad_option_text("format", format, COMPRESSIONS))
        chosen = format
    elif suffix in SUFFIXES:
        chosen = SUFFIXES[suffix]
    elif folder:
        chosen, by_suffix = "parquet", None
    else:
        raise ValueError(messages.unknown_suffix_text(name, suffix, SUFFIXES))
    if by_suffix and chosen not in TEXT:
        inner = by_suffix if by_suffix in COMPRESSIONS[chosen] else COMPRESSIONS[chosen][1]
        raise ValueError(messages.outer_compression_text(name, chosen, inner))
    return chosen, by_suffix


def _compression(name: str, format: Format, by_suffix: str | None, value: str | None) -> str:  # noqa: A002
    allowed = COMPRESSIONS[format]
    if value is None:
        return by_suffix or allowed[0]
    if value not in allowed:
        raise ValueError(messages.compression_text(name, format, value, allowed))
    if by_suffix and value != by_suffix:
        raise ValueError(messages.contrary_compression_text(name, by_suffix, value))
    return value
