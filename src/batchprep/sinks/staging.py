"""Files under a temporary name until all rows are in them: a killed run leaves no half file.

The same three steps for every place (`Staging`): open files, commit, or abort.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any, Final, Protocol

from batchprep.errors.nearest import nearest_names
from batchprep.sinks import messages
from batchprep.sinks.leases import (
    UNSUPPORTED,
    Lease,
    clear_leftovers,
    lease_existing,
    lease_file,
    lease_folder,
    lock,
    remove,
)
from batchprep.sinks.output import OutputFile
from batchprep.sinks.target import Target

PART: Final = re.compile(r"part-\d{5,}\.(parquet|arrow|(csv|ndjson)(\.gz|\.zst)?)")


class Staging(Protocol):
    """Where the bytes are until they get their final name."""

    def open(self, part: str) -> OutputFile:
        """A new file; `part` is its name in a folder."""
        ...

    def commit(self) -> None:
        """Give all of it the final name."""
        ...

    def abort(self) -> None:
        """Remove what has no final name yet; fine if there is nothing."""
        ...


class LocalFile:
    """One file on a local disk."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._final = final_path(target)
        clear_leftovers(self._final)
        self._lease = lease_file(self._final)

    def open(self, part: str) -> OutputFile:  # noqa: ARG002  a file has no parts
        """The file; its bytes reach the disk when it is closed."""
        return _synced(os.fdopen(os.dup(self._lease.descriptor), "wb"))

    def commit(self) -> None:
        """Rename it, so that the final name is absent, the old file, or the whole new one."""
        lease = self._lease
        if lease.released:
            return
        if self._target.overwrite:
            _keep_mode(self._final, lease.path)
            lease.path.replace(self._final)
        else:
            _put_new(lease.path, self._final, self._target.name)
        _sync_folder(self._final.parent)
        self.abort()

    def abort(self) -> None:
        """Remove the temporary file."""
        if not self._lease.released:
            remove(self._lease.path)
            self._lease.release()


class LocalFolder:
    """A folder of parts on a local disk."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._final = final_path(target)
        clear_leftovers(self._final)
        self._lease = lease_folder(self._final)

    def open(self, part: str) -> OutputFile:
        """A part; its bytes reach the disk when it is closed."""
        return _synced((self._lease.path / part).open("xb"))

    def commit(self) -> None:
        """Rename the folder; one that is there is set aside first and removed at the end."""
        lease = self._lease
        if lease.released:
            return
        _sync_folder(lease.path)
        if self._target.overwrite and self._final.is_dir():
            self._swap(lease)
        else:
            self._move_in(lease)
        _sync_folder(self._final.parent)
        self.abort()

    def abort(self) -> None:
        """Remove the temporary folder."""
        if not self._lease.released:
            remove(self._lease.path)
            self._lease.release()

    def _move_in(self, lease: Lease) -> None:
        try:
            lease.path.rename(self._final)  # replaces nothing but an empty folder
        except (FileExistsError, NotADirectoryError) as error:
            raise FileExistsError(messages.exists_text(self._target.name)) from error
        except OSError as error:
            if self._final.exists():  # ENOTEMPTY has no class of its own
                raise FileExistsError(messages.exists_text(self._target.name)) from error
            raise

    def _swap(self, lease: Lease) -> None:
        _check_only_parts(self._final, self._target.name)
        old = lease_existing(self._final)
        try:
            lock(old)  # so that no other run takes it for a leftover while it has no name
            old.path = lease.path.with_suffix(".old")
            self._final.rename(old.path)
            try:
                lease.path.rename(self._final)
            except BaseException:
                old.path.rename(self._final)
                raise
            shutil.rmtree(old.path, ignore_errors=True)
        finally:
            old.release()


def final_path(target: Target) -> Path:
    """The path to write to: absolute, and where a symbolic link points."""
    path = Path(target.path).absolute()
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def check_local(target: Target) -> None:
    """That the target can be written: its folder is there, and nothing is lost.

    Errors:  FileExistsError, FileNotFoundError, PermissionError
    """
    final = final_path(target)
    _check_parent(target, final.parent)
    clear_leftovers(final)
    if not os.path.lexists(final):
        return
    if target.folder:
        _check_folder(target, final)
    elif not target.overwrite:
        raise FileExistsError(messages.exists_text(target.name))
    elif not stat.S_ISREG(final.stat().st_mode):
        raise FileExistsError(messages.not_replaced_text(target.name, "is no regular file"))


def _check_folder(target: Target, final: Path) -> None:
    if not final.is_dir():
        raise FileExistsError(messages.not_replaced_text(target.name, "is a file"))
    if not any(final.iterdir()):
        return
    if not target.overwrite:
        raise FileExistsError(messages.exists_text(target.name))
    _check_only_parts(final, target.name)


def _check_only_parts(folder: Path, name: str) -> None:
    """Nothing but parts is ever removed: a mistyped folder would be lost with all that is in it."""
    foreign = sorted(p.name for p in folder.iterdir() if not PART.fullmatch(p.name) or p.is_dir())
    if foreign:
        raise FileExistsError(messages.foreign_files_text(name, foreign))


def _check_parent(target: Target, parent: Path) -> None:
    if not parent.exists():
        near = parent.parent
        siblings = [p.name for p in near.iterdir() if p.is_dir()] if near.is_dir() else []
        close = [str(near / name) for name in nearest_names(parent.name, siblings)]
        raise FileNotFoundError(messages.no_folder_text(target.name, str(parent), close))
    if not parent.is_dir():
        raise NotADirectoryError(messages.parent_is_file_text(target.name, str(parent)))
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(messages.not_writable_text(target.name, str(parent)))


def _put_new(path: Path, final: Path, name: str) -> None:
    """Rename that replaces nothing: os.rename would, a hard link fails where a file is.

    Where the file system has no hard links a look before the rename must do; between the two
    another program could still put a file there.
    """
    try:
        final.hardlink_to(path)
    except FileExistsError as error:
        raise FileExistsError(messages.exists_text(name)) from error
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        if os.path.lexists(final):
            raise FileExistsError(messages.exists_text(name)) from error
        path.rename(final)


def _keep_mode(old: Path, new: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.copymode(old, new)


def _synced(file: Any) -> OutputFile:
    return OutputFile(file, lambda: os.fsync(file.fileno()))


def _sync_folder(folder: Path) -> None:
    """Make renames in a folder last; some file systems cannot."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
