"""The folder in which kernels outlive the process: only ever one that nobody else can write."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def kernel_directory() -> Path | None:
    """The folder, made if it is not there; None where there is none that is safe and writable.

    $BATCHPREP_CACHE_DIR, else batchprep in $XDG_CACHE_HOME or ~/.cache.
    """
    try:
        folder = _base() / "kernels"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_ours(folder) and os.access(folder, os.W_OK) else None
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None


def write_once(folder: Path, name: str, text: str) -> Path | None:
    """The file with that text: complete from the moment it is there, and then left alone.

    numba takes its cached code for stale when the file's time changes. None where it cannot
    be written.
    """
    path = folder / name
    try:
        content = text.encode()
        if path.exists() and path.read_bytes() == content:
            return path
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".tmp", delete=False) as file:
            file.write(content)
        _publish(Path(file.name), path, content)
    except OSError:
        return None
    return path


def _publish(temporary: Path, path: Path, content: bytes) -> None:
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(temporary)  # fails if another process was first
    if path.exists() and path.read_bytes() == content:
        temporary.unlink()
    else:
        temporary.replace(path)


def _base() -> Path:
    chosen = os.environ.get("BATCHPREP_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "batchprep"


def _is_ours(folder: Path) -> bool:
    """Whether only this user can change what lies there: it is executed later."""
    return all(_is_safe(path) for path in (folder, folder.parent))


def _is_safe(path: Path) -> bool:
    status = path.lstat()
    mode = status.st_mode
    if not stat.S_ISDIR(mode) or status.st_uid != os.getuid():
        return False
    return not mode & _OTHERS_WRITE
