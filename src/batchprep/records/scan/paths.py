"""From what the caller names to files: paths, globs, folders, URLs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.fs as pafs

from batchprep.records.scan.files import DataFile, Storage, is_url
from batchprep.records.scan.formats import FormatName, format_of, is_data_file
from batchprep.records.scan.hive import keys_of
from batchprep.records.scan.messages import (
    empty_folder_text,
    mixed_formats_text,
    no_match_text,
    no_paths_text,
    not_paths_text,
)

PathLike: TypeAlias = "str | Path | os.PathLike[str]"


def files_of(
    paths: PathLike | Iterable[PathLike], storage: Storage, named: FormatName | None
) -> tuple[DataFile, ...]:
    """The files that the paths name, in the order of the paths, those of a glob or folder sorted.

    Errors:  FileNotFoundError for a path, glob or folder that leads to no file; ValueError for
             files of different formats
    """
    found = [file for name in _names(paths) for file in _expanded(name, storage, named)]
    if not found:
        raise ValueError(no_paths_text())
    files = tuple(dict.fromkeys(found))
    first = files[0]
    other = next((f for f in files if f.format.name != first.format.name), None)
    if other is not None:
        raise ValueError(
            mixed_formats_text(first.name, first.format.name, other.name, other.format.name)
        )
    return files


def _names(paths: Any) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    if isinstance(paths, (bytes, dict)) or not isinstance(paths, Iterable):
        raise TypeError(not_paths_text(paths))
    return [_name(path) for path in paths]


def _name(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(not_paths_text(path))
    return os.fspath(path)


def _expanded(name: str, storage: Storage, named: FormatName | None) -> list[DataFile]:
    system, path = storage.located(name)
    kind = system.get_file_info(path).type
    if kind == pafs.FileType.File:
        return [DataFile(name, path, format_of(name, named))]
    if kind == pafs.FileType.Directory:
        return _in_folder(name, path, system, named)
    if not glob.has_magic(name):
        raise FileNotFoundError(storage.missing(name))
    return _matching(name, path, storage, named)


def _in_folder(
    name: str, path: str, system: pafs.FileSystem, named: FormatName | None
) -> list[DataFile]:
    inner = _inside(path, system, named)
    if not inner:
        raise FileNotFoundError(empty_folder_text(name))
    return [_file_below(name, path, below, named) for below in inner]


def _inside(path: str, system: pafs.FileSystem, named: FormatName | None) -> list[str]:
    """Data files of a folder, at any depth, as paths from there."""
    infos = system.get_file_info(pafs.FileSelector(path, recursive=True))
    below = sorted(_below(info.path, path) for info in infos if info.is_file)
    return [inner for inner in below if not _is_hidden(inner) and is_data_file(inner, named)]


def _matching(name: str, path: str, storage: Storage, named: FormatName | None) -> list[DataFile]:
    """Files that a glob matches, and those of the folders that it matches."""
    base = _fixed_part(path)
    system, _ = storage.located(name)
    found: set[str] = set()
    for info in system.get_file_info(_matches(name, path, storage)):
        if info.is_file:
            found.add(_below(info.path, base))
        elif not name.endswith("**"):  # which matches the files in it as well
            inner = _inside(info.path, system, named)
            found.update(_below(_joined(info.path, i), base) for i in inner)
    if not found:
        raise FileNotFoundError(no_match_text(name))
    return [_file_below(_fixed_part(name), base, inner, named) for inner in sorted(found)]


def _matches(name: str, path: str, storage: Storage) -> list[str]:
    """Paths that a glob matches, files and folders."""
    if is_url(name):
        system, _ = storage.remote(name)
        return list(system.glob(path))
    return glob.glob(path, recursive=True)  # noqa: PTH207  Path.glob takes no absolute pattern


def _file_below(name: str, path: str, inner: str, named: FormatName | None) -> DataFile:
    shown = _joined(name, inner)
    folders = inner.split("/")[:-1]
    return DataFile(shown, _joined(path, inner), format_of(shown, named), keys_of(folders))


def _fixed_part(pattern: str) -> str:
    """The folders of a glob ahead of its first wildcard; keys of folders are read below them."""
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[:first]) or ("/" if first and pattern[:1] == "/" else "")


def _below(path: str, folder: str) -> str:
    prefix = folder.rstrip("/") + "/" if folder else ""
    if path.startswith(prefix):
        return path[len(prefix) :]
    return path.lstrip("/").removeprefix(prefix.lstrip("/"))


def _joined(folder: str, inner: str) -> str:
    if not folder:
        return inner
    return f"{folder}{inner}" if folder.endswith("/") else f"{folder}/{inner}"


def _is_hidden(path: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.split("/"))
