from click.testing import CliRunner

from batchprep.cli import main


def explain(*arguments):
    return CliRunner().invoke(main, ["explain", *arguments])


def test_function_is_explained_on_the_columns_of_the_input(folder):
    result = explain("features.py:root_value", "trades.parquet")

    assert result.exit_code == 0, result.output
    assert result.output.startswith("root_value: compiled")
    assert "price none | float" in result.output
    assert 'value = r["price"] * r["volume"]' in result.output


def test_pipeline_is_explained(folder):
    result = explain("features.py:pipe", "trades.csv")

    assert result.exit_code == 0, result.output
    assert "is_large" in result.output
    assert "features" in result.output


def test_columns_come_first_if_asked_for(folder):
    result = explain("features.py:root_value", "trades.parquet", "--columns")

    assert result.output.startswith("price   double\nvolume  int64\nday     string\n\nroot_value")


def test_what_cannot_be_compiled_is_said(folder):
    (folder / "slow.py").write_text("import json\ndef f(r):\n    return vars()\n")
    result = explain("slow.py:f", "trades.parquet")

    assert result.exit_code == 0
    assert "f: runs in the interpreter" in result.output


def test_missing_column_names_the_nearest(folder):
    (folder / "typo.py").write_text("def f(r):\n    return r['pirce']\n")

    assert "nearest names: price" in explain("typo.py:f", "trades.parquet").output


def test_missing_input_and_function_are_wrong_usage(folder):
    assert explain("features.py:root_value", "trade.parquet").exit_code == 2
    assert explain("features.py:root", "trades.parquet").exit_code == 2
