"""The files below the paths that were given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ENDINGS: Final = (".py", ".ipynb")
# Other people's code and what tools leave behind; a folder that is named itself is read.
SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages"})


def files_below(paths: Iterable[str]) -> Iterator[Path]:
    """The Python files and notebooks of each path, each once, in the order of their names."""
    seen: set[str] = set()
    for given in paths:
        for path in _files_of(Path(given)):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield path


def _files_of(given: Path) -> Iterator[Path]:
    if not given.is_dir():
        yield given  # also where there is none: reading it says so
        return
    for folder, names, files in os.walk(given):  # follows no links to folders, so it ends
        names[:] = sorted(name for name in names if not _skipped(Path(folder, name)))
        for name in sorted(files):
            if name.endswith(ENDINGS) and not name.startswith("."):
                yield Path(folder, name)


def _skipped(folder: Path) -> bool:
    name = folder.name
    return name.startswith(".") or name in SKIPPED or (folder / "pyvenv.cfg").exists()
