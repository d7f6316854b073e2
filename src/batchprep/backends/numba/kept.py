"""What the folder holds of each kernel: checked before it is loaded, and pruned.

Of a kernel there are its text, numba's index and machine code in files of their own, and a *note*
that names these with their checksums. Only what a note vouches for is loaded: machine code that a
full disk or a power cut spoiled would crash the process. A note's time is that of the last use.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Final, cast

# A kernel takes 60 to 200 kB.
MOST_BYTES: Final = 256 * 2**20
LEFT: Final = 0.75  # of it after pruning, so that not every new kernel prunes
# Another process may be about to load what was used so lately, or still be writing it.
IN_USE_SECONDS: Final = 300.0
NOTED_SECONDS: Final = 3_600.0  # a use is noted at most so often


def is_intact(folder: Path, key: str) -> bool:
    """Whether all of a kernel's machine code is there as it was written."""
    note = _note(folder, key)
    try:
        sums = cast("dict[str, int]", json.loads(note.read_text()))
        intact = bool(sums) and all(_sum(Path(name)) == sum_ for name, sum_ in sums.items())
    except (OSError, ValueError, AttributeError, TypeError):
        return False
    if intact:
        _note_use(note)
    return intact


def keep(folder: Path, key: str, machine_code: Path) -> None:
    """Vouch for what was written of a kernel just now; nothing where it cannot be noted."""
    with contextlib.suppress(OSError):
        sums = {str(path): _sum(path) for path in sorted(machine_code.glob(f"kernel_{key}.*"))}
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".tmp", delete=False) as file:
            file.write(json.dumps(sums))
        Path(file.name).replace(_note(folder, key))


def drop(folder: Path, key: str, machine_code: Path) -> None:
    """Remove what is there of a kernel's machine code; others may be doing so at the same time."""
    for path in (_note(folder, key), *machine_code.glob(f"kernel_{key}.*")):
        with contextlib.suppress(OSError):
            path.unlink()


def prune(folder: Path, most: int = MOST_BYTES) -> None:
    """Remove the kernels that were used least lately, until the folder is small enough.

    What another process has loaded stays loaded; one that was about to load it compiles it anew.
    """
    files = _files(folder)
    size = {kernel: sum(s.st_size for s in found.values()) for kernel, found in files.items()}
    total = sum(size.values())
    if total <= most:
        return
    used = {kernel: max(s.st_mtime for s in found.values()) for kernel, found in files.items()}
    oldest_kept = time.time() - IN_USE_SECONDS
    for kernel in sorted(files, key=used.__getitem__):
        if total <= LEFT * most or used[kernel] > oldest_kept:
            return
        # The note goes first: without it nothing else counts.
        for path in sorted(files[kernel], key=lambda path: path.suffix != ".note"):
            with contextlib.suppress(OSError):
                path.unlink()
        total -= size[kernel]


def _files(folder: Path) -> dict[str, dict[Path, os.stat_result]]:
    """The files of each kernel, and each temporary file by itself."""
    found: dict[str, dict[Path, os.stat_result]] = defaultdict(dict)
    for place in (folder, folder / "__pycache__"):
        with contextlib.suppress(OSError):
            for path in place.iterdir():
                kernel = path.name if "tmp" in path.name else path.name.partition(".")[0]
                with contextlib.suppress(OSError):
                    status = path.stat()
                    if path.is_file():
                        found[kernel][path] = status
    return found


def _note(folder: Path, key: str) -> Path:
    return folder / f"kernel_{key}.note"


def _note_use(note: Path) -> None:
    with contextlib.suppress(OSError):
        if time.time() - note.stat().st_mtime > NOTED_SECONDS:
            os.utime(note)


def _sum(path: Path) -> int:
    return zlib.crc32(path.read_bytes())
