"""Machine code in numba's cache: stale where any of the files changed that it may be made of.

numba looks at the file of the kernel alone, but a kernel has others inlined.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


def stamp(function: Any) -> None:
    """Have the cache of a function of numba look at all files of this folder."""
    file = function._cache._cache_file  # noqa: SLF001  there is no other way to it
    file._source_stamp = (file._source_stamp, _sources())  # noqa: SLF001


def compile_cached(function: Any, compile_now: Callable[[], object]) -> None:
    """Compile a function that has a cache; files there that are spoiled give way to new ones."""
    stamp(function)
    try:
        compile_now()
    except Exception:  # noqa: BLE001  what unpickling spoiled bytes raises; else it is raised again
        function._cache.flush()  # noqa: SLF001  as above
        compile_now()


@cache
def _sources() -> str:
    """All files that a kernel may be made of."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
