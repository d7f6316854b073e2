"""Results as JSON, one file per suite: what was measured, on which machine, with which versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from benchmarks.suite import Case

FOLDER: Final = Path(__file__).parent / "results"


def write(folder: Path, name: str, machine: dict[str, Any], cases: list[Case]) -> Path:
    """The file, with times to four digits: the rest is noise."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    result = {"name": name, "machine": machine, "cases": _rounded(cases)}
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return path


def read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value
