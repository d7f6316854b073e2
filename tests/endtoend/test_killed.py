"""A run that is killed leaves nothing half-written under the final name, and can be done again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def killed(kind, kills, folder, seed=20_130_101):
    run = subprocess.run(
        [sys.executable, "-m", "tests.endtoend.killed", kind, str(kills), str(seed), str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},  # of forks beside threads, from 3.12 on
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("parquet", 50),
        ("csv", 15),
        ("ndjson", 15),
        ("parts", 15),
        ("overwrite", 15),
        ("overwrite_parts", 15),
    ],
)
def test_no_half_result_ever_and_a_rerun_succeeds(kind, kills, tmp_path):
    outcome = killed(kind, kills, tmp_path / "folder")

    assert outcome["wrong"] == []
    assert outcome["died"] > 0.5 * kills
    # A file is replaced in one step; a folder may be away for a moment.
    allowed = {"overwrite": {"old", "complete"}, "overwrite_parts": {"old", "absent", "complete"}}
    assert set(outcome["states"]) <= allowed.get(kind, {"absent", "complete"})


def test_a_half_file_would_be_found(tmp_path):
    outcome = killed("careless", 10, tmp_path / "folder")

    assert outcome["states"]["half"] > 0
    assert "half a result under the final name" in outcome["wrong"][0]
