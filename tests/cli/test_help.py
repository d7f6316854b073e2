import subprocess
import sys

import pytest
from click.testing import CliRunner

from batchprep.cli import main

COMMANDS = sorted(main.commands)


def output_of(*arguments):
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_shows_examples(command, flag):
    text = output_of(*command, flag)

    assert "Examples:" in text
    assert text.count("\n    batchprep " if not command else f"batchprep {command[0]} ") >= 2


def test_help_says_what_each_option_does():
    undocumented = [
        f"{name} {option.opts[0]}"
        for name, command in main.commands.items()
        for option in command.params
        if option.param_type_name == "option" and not option.help
    ]

    assert undocumented == []


def test_help_of_run_says_the_exit_codes():
    text = output_of("run", "--help")

    for code in ("0 all went well", "1 a row failed", "2 wrong usage", "130 Ctrl-C"):
        assert code in text


def test_help_fits_into_a_narrow_terminal():
    lines = output_of("run", "--help").splitlines()

    assert max(map(len, lines)) <= 90


def test_python_m_is_the_same_command():
    run = subprocess.run(
        [sys.executable, "-m", "batchprep", "run", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.startswith("Usage: batchprep run [OPTIONS] FILE.py:FUNCTION INPUT...")


def test_unknown_command_names_the_nearest():
    result = CliRunner().invoke(main, ["rum"])

    assert result.exit_code == 2
    assert "rum" in result.output


def test_the_list_of_commands_is_not_cut_short():
    assert "..." not in output_of("--help").partition("Commands:")[2].partition("Examples:")[0]
