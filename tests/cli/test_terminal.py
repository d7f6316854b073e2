"""The command line at a terminal: what shows there only, and Ctrl-C."""

import os
import signal

import pexpect
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.files import BATCHPREP

ROWS = 4_000_000  # 8 batches, of which the function below takes about a second each
SLOW = """\
import json

def slow(r):
    return json.dumps(r["n"])
"""
RUN = ("run", "features.py:root_value", "trades.parquet", "-o", "out.parquet")


def at_terminal(*arguments):
    # Wide enough that no line wraps.
    around = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return pexpect.spawn(
        BATCHPREP[0], [*BATCHPREP[1:], *arguments], encoding="utf-8", timeout=60,
        dimensions=(50, 200), env=around,
    )  # fmt: skip


def ended(terminal):
    terminal.expect(pexpect.EOF)
    terminal.close()
    return terminal.exitstatus


@pytest.fixture
def long(folder):
    (folder / "slow.py").write_text(SLOW)
    numbers = pa.repeat(pa.scalar(1, pa.int64()), ROWS)
    parquet.write_table(pa.table({"n": numbers}), folder / "long.parquet")
    return folder


def test_terminal_shows_a_bar_and_the_report(folder):
    terminal = at_terminal(*RUN)

    assert ended(terminal) == 0
    assert "%|" in terminal.before
    assert "4 rows in " in terminal.before
    assert "root_value" in terminal.before


def test_bar_and_report_can_be_switched_off(folder):
    terminal = at_terminal(*RUN, "--no-progress", "--report", "none")

    assert ended(terminal) == 0
    assert terminal.before == ""


def test_explain_is_coloured_at_a_terminal(folder):
    terminal = at_terminal("explain", "features.py:root_value", "trades.parquet")

    assert ended(terminal) == 0
    assert "\x1b[" in terminal.before
    assert "root_value" in terminal.before


@pytest.mark.parametrize("existing", [False, True])
def test_ctrl_c_in_the_middle_leaves_nothing_half_written(long, existing):
    output = long / "out.parquet"
    if existing:
        output.write_text("mine")
    before = {path.name for path in long.iterdir()} | {"__pycache__"}
    terminal = at_terminal("run", "slow.py:slow", "long.parquet", "-o", "out.parquet",
                           "--overwrite", "--failures", "failed.csv")  # fmt: skip
    terminal.expect(r"[1-9]\d* k rows|\d\.\d M rows")
    terminal.kill(signal.SIGINT)
    terminal.expect("stopped; nothing was written to out.parquet")

    assert ended(terminal) == 130
    assert "Traceback" not in terminal.before
    assert {path.name for path in long.iterdir()} | {"__pycache__"} == before
    assert not existing or output.read_text() == "mine"


def test_run_after_ctrl_c_succeeds(long):
    arguments = ("run", "slow.py:slow", "long.parquet", "-o", "out.parquet")
    terminal = at_terminal(*arguments)
    terminal.expect(r"[1-9]\d* k rows|\d\.\d M rows")
    terminal.sendintr()  # as the key does it: to the whole group of processes

    assert ended(terminal) == 130
    again = at_terminal("run", "features.py:root_value", "trades.parquet", "-o", "out.parquet")
    assert ended(again) == 0
    assert parquet.read_metadata(long / "out.parquet").num_rows == 4


def test_ctrl_c_while_a_file_is_loaded(folder):
    (folder / "endless.py").write_text("print('loading', flush=True)\nwhile True:\n    pass\n")
    terminal = at_terminal("run", "endless.py:f", "trades.parquet", "-o", "out.parquet")
    terminal.expect("loading")
    terminal.sendintr()

    assert ended(terminal) == 130
    assert not (folder / "out.parquet").exists()


SWALLOWS = """\
try:
    print("loading", flush=True)
    while True:
        pass
except KeyboardInterrupt:
    pass
print("swallowed", flush=True)
while True:
    pass
"""
CLEANS_UP = """\
import time
try:
    print("loading", flush=True)
    while True:
        pass
except KeyboardInterrupt:
    print("cleaning", flush=True)
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        pass
    print("cleaned", flush=True)
    raise
"""


def test_ctrl_c_that_a_module_swallows_ends_the_command_all_the_same(folder):
    (folder / "swallows.py").write_text(SWALLOWS)
    terminal = at_terminal("run", "swallows.py:f", "trades.parquet", "-o", "out.parquet")
    terminal.expect("loading")
    terminal.sendintr()
    terminal.expect("swallowed")
    terminal.expect("stopped; nothing was written to out.parquet")

    assert ended(terminal) == 130


def test_cleaning_up_is_not_disturbed_by_a_second_ctrl_c(folder):
    (folder / "cleans.py").write_text(CLEANS_UP)
    terminal = at_terminal("run", "cleans.py:f", "trades.parquet", "-o", "out.parquet")
    terminal.expect("loading")
    terminal.sendintr()
    terminal.expect("cleaning")
    terminal.sendintr()
    terminal.expect("cleaned")

    assert ended(terminal) == 130
