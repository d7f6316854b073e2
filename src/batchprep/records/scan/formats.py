"""Which format a file has, by its name."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from batchprep.records.scan.messages import compressed_text, suffix_text, unknown_format_text

FormatName = Literal["parquet", "csv", "tsv", "ndjson", "arrow"]
Compression = Literal["gzip", "zstd"]

SUFFIXES: Final[dict[str, FormatName]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
COMPRESSIONS: Final[dict[str, Compression]] = {".gz": "gzip", ".zst": "zstd"}
NAMES: Final[dict[str, FormatName]] = {s.removeprefix("."): name for s, name in SUFFIXES.items()}


class Format(NamedTuple):
    """What a file holds, and what it is compressed with as a whole."""

    name: FormatName
    compression: Compression | None


def format_named(name: str) -> FormatName:
    """The format that a caller names: "parquet", "csv", "tsv", "ndjson", "arrow" or a suffix."""
    found = NAMES.get(str(name).casefold().removeprefix("."))
    if found is None:
        raise ValueError(unknown_format_text(name, sorted(set(NAMES))))
    return found


def format_of(path: str, named: FormatName | None = None) -> Format:
    """The format of a file; the one that the caller named goes before its suffix.

    Errors:  ValueError for a suffix that says nothing, and for a compressed Parquet file
    """
    stem, compression = _uncompressed(path)
    found = named or SUFFIXES.get(_suffix(stem))
    if found is None:
        raise ValueError(suffix_text(path, list(SUFFIXES)))
    if compression is not None and found == "parquet":
        raise ValueError(compressed_text(path))
    return Format(found, compression)


def is_data_file(path: str, named: FormatName | None = None) -> bool:
    """Whether a file of a folder is one to read."""
    return named is not None or _suffix(_uncompressed(path)[0]) in SUFFIXES


def _uncompressed(path: str) -> tuple[str, Compression | None]:
    compression = COMPRESSIONS.get(_suffix(path))
    return (path, None) if compression is None else (path[: path.rindex(".")], compression)


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :].casefold() if "." in name else ""
