"""Run a page's blocks in the current folder, in one namespace: `python -m tests.docs.play PAGE`.

The page is taken for one file, prep.py, that grows block by block; a block that begins with
`# name.py` is that file. Warnings and the exception that ends a block are printed as the
interpreter names them. The outputs go to stdout as JSON.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import subprocess
import sys
import traceback
import types
import warnings
from pathlib import Path

from tests.docs.pages import Block, blocks_of

FILE = re.compile(r"# (\w+\.py)\n")
MARK = "---- end of command ----"
LONGEST = 60  # seconds of a console block


def play(page: Path) -> list[str | None]:
    """What each block prints; None for one that was left out, as torch is not installed."""
    module = types.ModuleType("prep")
    sys.modules["prep"] = module
    return [_played(block, module) for block in blocks_of(page.read_text(encoding="utf-8"))]


def _played(block: Block, module: types.ModuleType) -> str | None:
    if block.language == "console":
        return _console(block.code)
    if "import torch" in block.code and importlib.util.find_spec("torch") is None:
        return None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _show_warning
        try:
            exec(_compiled(block.code), module.__dict__)
        except Exception as error:  # noqa: BLE001  a page shows errors of any kind
            print("".join(traceback.format_exception_only(error)))
    return printed.getvalue()


def _show_warning(message, category, filename, lineno, file=None, line=None):
    print(f"{category.__name__}: {message}")


def _compiled(code: str) -> types.CodeType:
    named = FILE.match(code)
    path = Path(named[1] if named else "prep.py").absolute()
    before = path.read_text(encoding="utf-8") if path.exists() and not named else ""
    path.write_text(before + code, encoding="utf-8")
    return compile("\n" * before.count("\n") + code, path, "exec")


def _console(shown: str) -> str:
    """The block as a terminal shows it: each command, and what it prints."""
    commands = re.findall(r"^\$ (.*(?:\\\n.*)*)$", shown, re.MULTILINE)
    script = [f'batchprep() {{ "{sys.executable}" -m batchprep "$@"; }}']
    for command in commands:
        script += [command, f"status=$?; echo '{MARK}'; (exit $status)"]
    run = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    outputs = run.stdout.split(f"{MARK}\n")
    return "".join(f"$ {c}\n{o}" for c, o in zip(commands, outputs, strict=False))


if __name__ == "__main__":
    outputs = play(Path(sys.argv[1]))
    print(json.dumps(outputs))
