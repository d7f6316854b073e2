import pytest
from click.testing import CliRunner

import batchprep as bp
from batchprep.backends.numba import compiler
from batchprep.cli import main
from batchprep.cli.loading import Loader


@pytest.fixture(autouse=True)
def kernels(folder, monkeypatch):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setattr(compiler, "_kernels", {})
    return folder / "cache" / "kernels"


def precompile(*arguments):
    return CliRunner().invoke(main, ["precompile", *arguments])


def test_functions_and_pipelines_are_compiled_for_the_columns_of_a_file(kernels):
    arguments = ("features.py:rate", "features.py:pipe", "--schema", "trades.parquet")
    result, again = precompile(*arguments), precompile(*arguments)

    assert (result.exit_code, again.exit_code) == (0, 0), result.output
    rate, pipe = result.stdout.splitlines()
    assert rate.startswith("rate: numba, compiled, ")
    assert pipe.startswith("filter(is_large) > map(features): numba, compiled, ")
    assert result.stderr.startswith("2 of 2 with a kernel; ")
    assert result.stderr.endswith(f"; kernels lie in {kernels}\n")
    assert again.stderr.startswith("2 of 2 with a kernel, 2 had it before; ")


def test_a_run_finds_what_was_compiled_for_its_input(folder, monkeypatch):
    precompile("features.py:rate", "--schema", "trades.parquet")
    before = set((folder / "cache" / "kernels").glob("*.note"))
    monkeypatch.setattr(compiler, "_kernels", {})
    command = "run features.py:rate trades.parquet -o out.parquet --backend numba --on-error drop"
    CliRunner().invoke(main, command.split())

    assert (folder / "out.parquet").exists()
    assert before
    assert set((folder / "cache" / "kernels").glob("*.note")) == before


def test_fields_of_dicts_are_named_one_by_one(folder):
    (folder / "own.py").write_text("def half(r):\n    return r['n'] and r['n'] / 2\n")
    result = precompile("own.py:half", "--field", "n=int | None")

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("half: numba, compiled, ")
    with Loader() as loader:
        (made,) = bp.precompile(loader.load("own.py:half", "FUNCTION"), {"n": int | None})
    assert made.cached


def test_what_has_no_kernel_is_a_failure_with_its_reason(folder):
    (folder / "slow.py").write_text("def f(r):\n    return vars()\n")
    result = precompile("slow.py:f", "--schema", "trades.parquet")

    assert result.exit_code == 1
    assert result.stdout.startswith("f: not compiled. ")
    assert result.stderr.startswith("0 of 1 with a kernel; ")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], "Name a file that has the columns: --schema trades.parquet"),
        (["--schema", "trades.csv", "--field", "n=int"], "not from both"),
        (["--schema", "trade.csv"], "near names there: trades.csv"),
        (["--field", "price"], "'price' is no field: type NAME=TYPES"),
        (["--field", "price=flot"], "there is no type 'flot'; nearest: float"),
        (["--field", "n=int", "--field", "n=None"], "'n' is named twice"),
    ],
)
def test_types_that_cannot_be_told_are_wrong_usage(options, text):
    result = precompile("features.py:rate", *options)

    assert result.exit_code == 2
    assert text in result.output
    assert not result.stdout


def test_a_folder_that_others_can_write_is_refused(kernels):
    kernels.mkdir(parents=True)
    kernels.chmod(0o777)
    result = precompile("features.py:rate", "--schema", "trades.parquet")

    assert result.exit_code == 1
    assert "Name one: BATCHPREP_CACHE_DIR=FOLDER" in result.stderr
