"""The files of a scan: where they lie, and how their bytes are opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.fs as pafs

from batchprep.errors.nearest import nearest_names
from batchprep.records.scan.formats import Compression, Format
from batchprep.records.scan.hive import Keys
from batchprep.records.scan.messages import (
    damaged_text,
    empty_compressed_text,
    missing_file_text,
    no_fsspec_text,
)

_NEAR_LISTED: Final = 5_000  # files of a folder, looked at for near names


@dataclass(frozen=True)
class DataFile:
    """One file: its name as the caller sees it, its path in its file system, what it holds."""

    name: str
    path: str
    format: Format
    keys: Keys = ()


@dataclass(frozen=True)
class Storage:
    """Where names lead: local paths, or URLs that fsspec opens with these options."""

    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def located(self, name: str) -> tuple[pafs.FileSystem, str]:
        """File system and path of a name."""
        if is_url(name):
            remote, path = self.remote(name)
            return pafs.PyFileSystem(_handler(remote)), path
        return pafs.LocalFileSystem(), os.path.expanduser(name.removeprefix("file://"))  # noqa: PTH111

    def remote(self, url: str) -> tuple[Any, str]:
        """The fsspec file system of a URL, and the path there."""
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise ImportError(no_fsspec_text(url)) from error
        return url_to_fs(url, **self.options)

    def size(self, file: DataFile) -> int:
        """Size of a file in bytes, 0 where it is unknown."""
        system, _ = self.located(file.name)
        return system.get_file_info(file.path).size or 0

    def open(self, file: DataFile) -> pa.NativeFile:
        """The file's own bytes, compressed or not.

        Errors:  FileNotFoundError that names near files
        """
        system, _ = self.located(file.name)
        try:
            return system.open_input_file(file.path)
        except FileNotFoundError as error:
            raise FileNotFoundError(self.missing(file.name)) from error

    def missing(self, name: str) -> str:
        """What is said of a file that is not there."""
        system, path = self.located(name)
        folder, _, base = path.rpartition("/")
        try:
            found = system.get_file_info(
                pafs.FileSelector(folder or ("/" if path[:1] == "/" else "."))
            )
        except (OSError, NotImplementedError):
            found = []
        near = nearest_names(base, [info.base_name for info in found[:_NEAR_LISTED]])
        return missing_file_text(name, near)


class OpenFile:
    """A file that is read from its beginning several times; close it at the end."""

    def __init__(self, storage: Storage, file: DataFile) -> None:
        self.file = file
        self._storage = storage
        self._raw: pa.NativeFile | None = None
        self._reached = 0

    def raw(self) -> pa.NativeFile:
        """The file's own bytes, from the beginning."""
        self.close()
        self._raw = self._storage.open(self.file)
        return self._raw

    def stream(self) -> pa.NativeFile:
        """The bytes that the file holds, from the beginning."""
        # Opened anew each time: a stream that decompresses closes what lies below it.
        return decompressed(self.raw(), self.file)

    @property
    def reached(self) -> int:
        """How many of the file's own bytes have been read."""
        if self._raw is not None and not self._raw.closed:
            self._reached = self._raw.tell()
        return self._reached

    def close(self) -> None:
        """Close the file; it may be opened again."""
        if self._raw is not None:
            self._raw.close()


def _handler(remote: Any) -> Any:
    handler: Any = pafs.FSSpecHandler  # abstract to the type checker: its stubs lack the methods
    return handler(remote)


def is_url(name: str) -> bool:
    """Whether a name is for fsspec to open."""
    return "://" in name and not name.startswith("file://")


def decompressed(raw: pa.NativeFile, file: DataFile) -> pa.NativeFile:
    """The bytes that the file holds.

    Errors:  ValueError for a compressed file of no bytes, which is one that was cut
    """
    compression: Compression | None = file.format.compression
    if compression is None:
        return raw
    if raw.size() == 0:
        raise ValueError(empty_compressed_text(file.name, compression))
    return pa.CompressedInputStream(raw, compression)


@contextmanager
def damage_named(file: DataFile, place: Callable[[], str] | None = None) -> Generator[None]:
    """Turn what Arrow says of broken bytes into an error that names file and position.

    `place` gives the position that was reached, as text.
    """
    try:
        yield
    except (MemoryError, PermissionError, FileNotFoundError, IsADirectoryError):
        raise
    except (pa.ArrowException, OSError, UnicodeError, EOFError) as error:
        where = "" if place is None else place()
        raise ValueError(damaged_text(file.name, file.format.name, where, str(error))) from error
