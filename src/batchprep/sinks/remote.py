"""Targets of fsspec: s3://, gs://, memory:// and so on.

Object stores have no rename and no locks: the rows are written under a temporary name in the same
folder and moved at the end, so that a killed run leaves no half file under the final name, but
may leave the temporary one. A folder of parts is moved part by part.
"""

from __future__ import annotations

import contextlib
from pathlib import PurePosixPath
from typing import Any

from batchprep.sinks import messages
from batchprep.sinks.leases import temporary_name
from batchprep.sinks.output import OutputFile
from batchprep.sinks.staging import PART
from batchprep.sinks.target import Target


class RemoteFile:
    """One file of a remote store."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._files, self._final = remote_place(target)
        self._temporary = _temporary(self._final)

    def open(self, part: str) -> OutputFile:  # noqa: ARG002  a file has no parts
        """The file; it is sent while it is written."""
        return OutputFile(self._files.open(self._temporary, "wb"))

    def commit(self) -> None:
        """Move it to the final name."""
        if not self._target.overwrite and self._files.exists(self._final):
            raise FileExistsError(messages.exists_text(self._target.name))
        self._files.mv(self._temporary, self._final)

    def abort(self) -> None:
        """Remove the temporary file."""
        with contextlib.suppress(FileNotFoundError):
            self._files.rm(self._temporary)


class RemoteFolder:
    """A folder of parts in a remote store."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._files, self._final = remote_place(target)
        self._temporary = _temporary(self._final)
        self._parts: list[str] = []

    def open(self, part: str) -> OutputFile:
        """A part; it is sent while it is written."""
        self._files.makedirs(self._temporary, exist_ok=True)
        self._parts.append(part)
        return OutputFile(self._files.open(f"{self._temporary}/{part}", "wb"))

    def commit(self) -> None:
        """Move the parts; those that were there are removed first."""
        old = _names(self._files, self._final)
        if old and not self._target.overwrite:
            raise FileExistsError(messages.exists_text(self._target.name))
        for name in old:
            self._files.rm(f"{self._final}/{name}")
        self._files.makedirs(self._final, exist_ok=True)
        for part in self._parts:
            self._files.mv(f"{self._temporary}/{part}", f"{self._final}/{part}")
        self.abort()

    def abort(self) -> None:
        """Remove the temporary folder."""
        with contextlib.suppress(FileNotFoundError):
            self._files.rm(self._temporary, recursive=True)


def check_remote(target: Target) -> None:
    """That the store can be reached and nothing is lost.

    Errors:  FileExistsError; ModuleNotFoundError without the store's package
    """
    files, final = remote_place(target)
    if target.folder:
        names = _names(files, final)
        foreign = [name for name in names if not PART.fullmatch(name)]
        if names and not target.overwrite:
            raise FileExistsError(messages.exists_text(target.name))
        if foreign:
            raise FileExistsError(messages.foreign_files_text(target.name, foreign))
    elif files.isdir(final):
        raise IsADirectoryError(messages.is_folder_text(target.name))
    elif not target.overwrite and files.exists(final):
        raise FileExistsError(messages.exists_text(target.name))


def remote_place(target: Target) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(messages.remote_package_text(target.name)) from error
    try:
        files, path = url_to_fs(target.path, **target.storage_options)
    except ImportError as error:
        raise ModuleNotFoundError(messages.remote_driver_text(target.name, str(error))) from error
    except ValueError as error:
        raise ValueError(messages.remote_driver_text(target.name, str(error))) from error
    return files, path.rstrip("/")


def _temporary(final: str) -> str:
    return str(temporary_name(PurePosixPath(final)))


def _names(files: Any, folder: str) -> list[str]:
    """Names in a folder, sorted; none where there is no folder."""
    files.invalidate_cache()
    try:
        return sorted(
            path.rstrip("/").rpartition("/")[2] for path in files.ls(folder, detail=False)
        )
    except FileNotFoundError:
        return []
