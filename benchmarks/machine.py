"""The machine in general words, and the versions: numbers mean little without them."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = (
    "batchprep",
    "numpy",
    "pyarrow",
    "numba",
    "pandas",
    "polars",
    "duckdb",
    "numexpr",
    "torch",
)


def describe() -> dict[str, Any]:
    """Cores, processor, memory, load before the run and versions: no names, no paths."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "architecture": platform.machine(),
        "cpu": _cpu(),
        "memory_gib": round(pages / 2**30),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "versions": dict(_versions()),
    }


def _versions() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, metadata.version(package)
        except metadata.PackageNotFoundError:
            continue  # whoever needs it says that it did not take part


def in_words(machine: dict[str, Any]) -> str:
    """As a sentence has it: 2 x86-64 cores, 24 GiB, Python 3.11."""
    architecture = machine["architecture"].replace("_", "-")
    python = ".".join(machine["python"].split(".")[:2])
    return f"{machine['cores']} {architecture} cores, {machine['memory_gib']} GiB, Python {python}"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
