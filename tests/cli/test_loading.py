import pickle
import sys
import textwrap

import click
import pytest

import batchprep as bp
from batchprep.cli.loading import Loader

FEATURES = """
import neighbour

def root_value(r):
    return neighbour.twice(r["price"])

def band(r):
    import late

    return late.band_of(r["price"])

class Rates:
    @staticmethod
    def per_day(r):
        return r["n"] / 365

squared = lambda r: r["n"] ** 2
LIMIT = 5
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "features.py").write_text(FEATURES)
    (tmp_path / "neighbour.py").write_text("def twice(x):\n    return x * 2\n")
    (tmp_path / "late.py").write_text("def band_of(x):\n    return 'low' if x < 5 else 'high'\n")
    yield tmp_path
    for name in ("neighbour", "late"):
        sys.modules.pop(name, None)


def refusal(spec):
    with Loader() as loader, pytest.raises(click.BadParameter) as caught:
        loader.load(spec, "FUNCTION")
    assert caught.value.exit_code == 2
    return caught.value.message


# ------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("spelling", ["features.py", "./features.py", "{folder}/features.py"])
def test_function_of_a_file(folder, spelling):
    with Loader() as loader:
        f = loader.load(f"{spelling.format(folder=folder)}:root_value", "FUNCTION")

        assert f({"price": 2}) == 4


def test_lambda_and_static_method_of_a_file(folder):
    with Loader() as loader:
        assert loader.load("features.py:squared", "FUNCTION")({"n": 3}) == 9
        assert loader.load("features.py:Rates.per_day", "FUNCTION")({"n": 730}) == 2.0


def test_functions_of_one_file_share_its_module(folder):
    with Loader() as loader:
        f = loader.load("features.py:root_value", "FUNCTION")
        g = loader.load("./features.py:band", "--filter")

    assert f.__globals__ is g.__globals__


def test_neighbours_are_found_while_the_command_runs_and_not_afterwards(folder):
    before = list(sys.path)
    with Loader() as loader:
        assert loader.load("features.py:band", "FUNCTION")({"price": 7}) == "high"

    assert sys.path == before


def test_loaded_functions_pickle_and_compile(folder):
    with Loader() as loader:
        f = loader.load("features.py:root_value", "FUNCTION")

        assert pickle.loads(pickle.dumps(f)) is f
        assert bp.vectorize(f, on_unsupported="raise")([{"price": 2.5}]) == [5.0]


def test_file_may_have_the_name_of_a_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numpy.py").write_text("def f(r):\n    return r['n']\n")
    with Loader() as loader:
        assert loader.load("numpy.py:f", "FUNCTION")({"n": 1}) == 1

    assert hasattr(sys.modules["numpy"], "ndarray")


def test_unicode_path_with_blanks(tmp_path):
    file = tmp_path / "år 2024" / "prüf ung.py"
    file.parent.mkdir()
    file.write_text("def größe(r):\n    return r['n']\n")
    with Loader() as loader:
        f = loader.load(f"{file}:größe", "FUNCTION")

        assert bp.vectorize(f, on_unsupported="raise")([{"n": 1}]) == [1]


def test_dataclass_with_postponed_annotations_loads(tmp_path):
    # dataclasses looks its own module up in sys.modules while the file is still loading.
    file = tmp_path / "points.py"
    file.write_text(
        textwrap.dedent("""
            from __future__ import annotations
            from dataclasses import dataclass

            @dataclass
            class Point:
                x: int

            def f(r):
                return Point(r["x"]).x
        """)
    )
    with Loader() as loader:
        assert loader.load(f"{file}:f", "FUNCTION")({"x": 3}) == 3


# ---------------------------------------------------------------------------------------- modules


def test_function_of_an_installed_module():
    with Loader() as loader:
        assert loader.load("os.path:basename", "FUNCTION")("a/b") == "b"


def test_function_of_a_package_below_the_current_folder(folder):
    package = folder / "prep_of_this_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "steps.py").write_text("def f(r):\n    return 1\n")
    with Loader() as loader:
        assert loader.load("prep_of_this_test.steps:f", "FUNCTION")({}) == 1


# --------------------------------------------------------------------------------------- mistakes


def test_missing_file_names_the_nearest(folder):
    assert refusal("feature.py:f") == "there is no file 'feature.py'; nearest: features.py"


def test_missing_function_names_the_nearest(folder):
    assert refusal("features.py:rootvalue") == (
        "features.py has no 'rootvalue'; nearest: root_value"
    )


def test_missing_function_with_no_name_alike_lists_all(folder):
    assert refusal("features.py:zzz") == (
        "features.py has no 'zzz'; it has: root_value, band, squared"
    )


def test_file_without_functions_says_so(tmp_path):
    file = tmp_path / "empty.py"
    file.write_text("LIMIT = 5\n")

    assert refusal(f"{file}:f").endswith("has no 'f', and no function at all")


@pytest.mark.parametrize("spec", ["features.py", "features.py:"])
def test_file_without_a_function_says_how_to_name_one(folder, spec):
    assert "FILE.py:FUNCTION" in refusal(spec)


def test_file_alone_lists_its_functions(folder):
    assert "features.py has: root_value, band, squared" in refusal("features.py")


def test_constant_is_no_function(folder):
    assert refusal("features.py:LIMIT").startswith("features.py:LIMIT is of type int: name a")


def test_missing_module_is_told_from_one_that_lacks_a_package(folder):
    assert refusal("no_such_package.prep:f").startswith("there is no module 'no_such_package.prep'")

    (folder / "needs_more.py").write_text("import no_such_package_at_all\n")
    text = refusal("needs_more:f")
    assert text.startswith("needs_more cannot be loaded")
    assert "No module named 'no_such_package_at_all'" in text


def test_file_that_raises_says_which_line(folder):
    (folder / "broken.py").write_text("LIMIT = 5\n\nHALF = LIMIT / 0\n")

    assert refusal("broken.py:f") == (
        "broken.py cannot be loaded: line 3\n  ZeroDivisionError: division by zero"
    )


def test_file_that_is_no_python_shows_where(folder):
    (folder / "broken.py").write_text("def f(r)\n    return 1\n")
    text = refusal("broken.py:f")

    assert "line 1" in text
    assert "SyntaxError: expected ':'" in text


def test_file_that_exits_is_refused(folder):
    (folder / "script.py").write_text("import sys\nsys.exit(0)\n")

    assert "SystemExit" in refusal("script.py:f")


def test_file_that_fails_leaves_no_half_loaded_module(folder):
    (folder / "broken.py").write_text("1 / 0\n")
    before = set(sys.modules)
    refusal("broken.py:f")

    assert {name for name in set(sys.modules) - before if "broken" in name} == set()


def test_data_file_is_no_python_file(folder):
    (folder / "trades.csv").write_text("a,b\n")

    assert "FILE.py:FUNCTION" in refusal("trades.csv:f")
