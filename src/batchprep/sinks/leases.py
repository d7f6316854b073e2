"""Temporary names beside the final one, locked by the run that writes under them.

A lock tells a run that goes on from one that was killed. Its process id does not: in containers
that share a folder, one number is many processes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, TypeVar

AnyPath = TypeVar("AnyPath", bound=PurePath)

LONGEST_NAME: Final = 200  # bytes of the final name in the temporary one: file systems take 255
# No hard link, or no lock, on this file system.
UNSUPPORTED: Final = (
    errno.EPERM,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOLCK,
    errno.EINVAL,
)


@dataclass
class Lease:
    """A file or folder under a temporary name. The lock goes when its last descriptor does."""

    path: Path
    descriptor: int

    @property
    def released(self) -> bool:
        """Whether it is let go of."""
        return self.descriptor < 0

    def release(self) -> None:
        """Let go of the lock."""
        if not self.released:
            os.close(self.descriptor)
            self.descriptor = -1


def lease_file(final: Path) -> Lease:
    """A new empty file beside the final name, open for writing."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    while True:
        path = temporary_name(final)
        lease = Lease(path, os.open(path, flags, 0o666))
        if _locked(lease):
            return lease


def lease_folder(final: Path) -> Lease:
    """A new empty folder beside the final name."""
    while True:
        path = temporary_name(final)
        path.mkdir()
        with contextlib.suppress(FileNotFoundError):  # cleared by another run: once more
            lease = lease_existing(path)
            if _locked(lease):
                return lease


def lease_existing(path: Path) -> Lease:
    """A folder that is there, not yet locked."""
    return Lease(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY))


def lock(lease: Lease) -> bool:
    """Lock it; whether nobody else has."""
    try:
        fcntl.flock(lease.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            return False
        return not _process_lives(lease.path)  # without locks the process id must do
    return True


def temporary_name(final: AnyPath) -> AnyPath:
    """A hidden name in the same folder that nobody else has."""
    return final.with_name(f"{_stem(final)}{os.getpid()}-{secrets.token_hex(6)}.tmp")


def clear_leftovers(final: Path) -> None:
    """Remove what killed runs left of this target.

    A folder that a killed run had set aside, and not yet replaced, gets its name back.
    """
    pattern = re.compile(re.escape(_stem(final)) + r"\d+-[0-9a-f]{12}\.(tmp|old)")
    with contextlib.suppress(OSError):  # a folder that cannot be listed shows when it is written
        # Those set aside come first ("old" < "tmp" by the key): they may be all that there is.
        entries = [entry for entry in os.scandir(final.parent) if pattern.fullmatch(entry.name)]
        for entry in sorted(entries, key=lambda entry: entry.name.rpartition(".")[2]):
            with contextlib.suppress(OSError):  # another run was faster, or it is not ours
                _clear(Path(entry.path), final)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it; fine if there is none."""
    with contextlib.suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _clear(path: Path, final: Path) -> None:
    lease = Lease(path, os.open(path, os.O_RDONLY | os.O_NOFOLLOW))
    try:
        if not lock(lease):
            return
        if path.suffix == ".old" and not os.path.lexists(final):
            path.rename(final)
        else:
            remove(path)
    finally:
        lease.release()


def _locked(lease: Lease) -> bool:
    """Lock what this run has just made, unless another one took it for a leftover before that."""
    taken = False
    try:
        fcntl.flock(lease.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:  # it is being removed
        taken = True
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    if not taken and _is_at(lease):
        return True
    lease.release()
    return False


def _is_at(lease: Lease) -> bool:
    try:
        return os.path.samestat(os.fstat(lease.descriptor), lease.path.stat())
    except FileNotFoundError:
        return False


def _process_lives(path: Path) -> bool:
    number = int(path.name.rpartition(".batchprep-")[2].partition("-")[0])
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _stem(final: PurePath) -> str:
    name = final.name
    encoded = os.fsencode(name)
    if len(encoded) > LONGEST_NAME:  # cut, and told from other names that begin like it
        digest = hashlib.sha256(encoded).hexdigest()[:12]
        name = encoded[: LONGEST_NAME - 13].decode("utf-8", "ignore") + "~" + digest
    return f".{name}.batchprep-"
