"""Command line: `python -m tests.mutants [name ...]` prints what catches each seeded fault.

A fault is applied to a copy of the sources, which stands first on the path of the tests.
Exit code 1: a fault survived, or its text is no longer in the sources.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.fault import Fault
from tests.mutants.faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600  # for one fault; the whole of the fast part takes about 90
# The first failing test ends a run: what finds most faults comes first.
FAST = (
    "tests/fuzz/test_fast.py",
    "tests/plan",
    "tests/backends/test_agreement.py",
    "tests/run",
    "tests/rowfn",
    "tests/api/test_pure.py",
)
UNCHANGED = Fault("no fault", "", "", "")
SURVIVED = "SURVIVED"
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """What became of a fault: the first failing test, or why there is none."""

    fault: Fault
    caught_by: str
    seconds: float
    caught: bool


def apply(fault: Fault, sources: Path) -> bool:
    """Whether the fault's text stood in the sources exactly once, and is now replaced."""
    if fault is UNCHANGED:
        return True
    path = sources / fault.file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.count(fault.old) != 1:
        return False
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    return True


def judge(fault: Fault) -> Verdict:
    """Run the fast part of the suite on a copy of the sources with the fault."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="batchprep-mutant-") as folder:
        sources = Path(folder) / "src"
        shutil.copytree(ROOT / "src", sources, ignore=shutil.ignore_patterns("__pycache__"))
        if not apply(fault, sources):
            return Verdict(fault, "no longer applies", 0.0, caught=False)
        code, output = _run_fast(sources, fault.first)
    return _verdict(fault, code, output, time.monotonic() - started)


def _run_fast(sources: Path, first: str) -> tuple[int, str]:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(sources), str(ROOT)]),
        "BATCHPREP_CACHE_DIR": str(sources.parent / "cache"),
        "HYPOTHESIS_PROFILE": "ci",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    slow = ["--ignore=tests/rowfn/test_source_sessions.py"]
    options = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *slow]
    command = [sys.executable, "-m", "pytest", *options, *first.split(), *FAST]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 2, f"nothing failed within {SECONDS} seconds"
    return done.returncode, done.stdout


def _verdict(fault: Fault, code: int, output: str, seconds: float) -> Verdict:
    first = FAILED.search(output)
    if first and code == 1:
        return Verdict(fault, first[1], seconds, caught=True)
    if code == 0:
        return Verdict(fault, SURVIVED, seconds, caught=False)
    return Verdict(fault, f"pytest ended with {code}: {output[-300:]}", seconds, caught=False)


def main(names: list[str]) -> int:
    """Exit code: 0 when every fault is caught."""
    chosen = [fault for fault in FAULTS if not names or fault.name in names]
    if (sound := judge(UNCHANGED)).caught_by != SURVIVED:
        print(f"without a fault the suite fails: {sound.caught_by}")
        return 1
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        verdicts = []
        for verdict in pool.map(judge, chosen):
            verdicts.append(verdict)
            print(
                f"{verdict.fault.name:45} {verdict.seconds:5.0f} s  {verdict.caught_by}", flush=True
            )
    survivors = [verdict for verdict in verdicts if not verdict.caught]
    print(f"{len(verdicts) - len(survivors)} of {len(verdicts)} faults caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
