"""Pages run in interpreters of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT


def outputs_of(page: Path, folder: Path) -> list[str | None]:
    """What each block of the page prints, when they run in an empty folder."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.docs.play", str(page)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return json.loads(run.stdout)
