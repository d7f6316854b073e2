"""Replacements are applied and run: what they give is what the loop gave."""

import datetime as dt
import sys
import textwrap
import types

import pandas as pd
import pytest

from tests.lint.examples import LOOPS
from tests.lint.linted import finding_of, patched, report_of

DAY = dt.datetime.fromisoformat("2024-01-31 12:30")
RECORDS = [
    {"name": " Ann ", "price": 2.5, "volume": 4, "when": DAY, "note": None},
    {"name": "bob", "price": 820.25, "volume": 64, "when": DAY + dt.timedelta(days=3), "note": "x"},
    {"name": "Zoë", "price": 0.0, "volume": 0, "when": DAY - dt.timedelta(hours=20), "note": "y"},
]
FRAME = pd.DataFrame(RECORDS, index=["a", "b", "c"])


def run(folder, text, name):
    """What `process` of a file gives."""
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    module = types.ModuleType(name)
    exec(compile(text, file, "exec"), module.__dict__)
    return module.process(RECORDS, FRAME.assign(name_=FRAME["name"]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS.keys())
def test_a_replacement_gives_what_the_loop_gave(text, tmp_path):
    text = textwrap.dedent(text).lstrip()
    before = run(tmp_path, text, "before")
    report = report_of(tmp_path, text)

    assert report.findings
    for number, finding in enumerate(report.findings):
        after = patched(text, finding.diff)

        assert after != text
        assert "batchprep" in after
        result = run(tmp_path, after, f"after{number}")
        assert result == before
        assert repr(result) == repr(before) or isinstance(before, set)


APPLIES = {
    "a lambda": "def process(df):\n"
    "    return df.apply(lambda row: row.price * row['volume'], axis=1)\n",
    "a function": "def f(row):\n    return row['name'].strip()\n\n\ndef process(df):\n"
    "    return df.apply(f, axis=1)\n",
    "a function with attributes": "def f(row):\n    return row.volume + 1\n\n\ndef process(df):\n"
    "    return df.apply(f, axis=1)\n",
    "a function that hands its row on": "def f(row):\n    return row['price'] * 2\n\n\n"
    "def process(df):\n    return df.apply(lambda row: f(row) + row.volume, axis=1)\n",
    "columns": "def f(row):\n    return {'a': row['price'] * 2, 'b': row['name']}\n\n\n"
    "def process(df):\n    return df.apply(f, axis=1, result_type='expand')\n",
    "arguments": "def f(row, low, *, high):\n    return low < row['price'] < high\n\n\n"
    "def process(df):\n    return df[df.volume >= 0].apply(f, axis=1, args=(1,), high=900)\n",
}


@pytest.mark.parametrize("text", APPLIES.values(), ids=APPLIES.keys())
def test_apply_gives_the_same_series(text, tmp_path):
    results = []
    for name, code in (("one", text), ("two", patched(text, finding_of(tmp_path, text).diff))):
        file = tmp_path / f"{name}.py"
        file.write_text(code)
        module = types.ModuleType(name)
        exec(compile(code, file, "exec"), module.__dict__)
        results.append(module.process(FRAME))

    assert type(results[0]) is type(results[1])
    assert results[0].equals(results[1].astype(results[0].dtypes))
    assert list(results[0].index) == list(results[1].index)


def test_attributes_of_a_shared_function_are_not_rewritten(tmp_path):
    text = "def f(row):\n    return row.a + 1\n\nx = df.apply(f, axis=1)\ny = f(other)\n"

    finding = finding_of(tmp_path, text)

    assert (finding.verdict.status, finding.diff) == ("compiles", "")


def test_dicts_that_pandas_keeps_in_a_series_are_not_rewritten(tmp_path):
    finding = finding_of(tmp_path, "x = df.apply(lambda row: {'a': row['b'] + 1}, axis=1)\n")

    assert (finding.verdict.status, finding.diff) == ("compiles", "")


@pytest.mark.parametrize(
    "text",
    [
        "x = f\"{[r['a'] + 1 for r in records]}\"\n",
        "class C:\n    k = 2\n    x = [r['a'] * k for r in records]\n",
        "class C:\n    x = []\n    for r in records:\n        x.append(r['a'] + 1)\n",
        "x = []\nif x:\n    y = 1\nfor r in records: x.append(1); x.append(r['a'] + 2)\n",
    ],
)
def test_where_a_replacement_would_change_the_meaning_none_is_shown(text, tmp_path):
    assert finding_of(tmp_path, text).diff == ""


def test_a_row_that_may_append_none_is_not_dropped(tmp_path):
    text = """
        out = []
        for r in records:
            if r["a"] is None:
                continue
            x = r["b"]
            out.append(x)
    """

    finding = finding_of(tmp_path, text)

    assert finding.verdict.status == "compiles"
    assert finding.diff == ""
    assert "filter_map" in finding.hint


def test_several_replacements_share_no_name(tmp_path):
    text = """
        def process(records):
            a, out = [], []
            for r in records:
                x = r["p"] + 1
                out.append(x * x)
            for r in records:
                y = r["q"] + 1
                out.append(y * y)
    """

    diffs = "".join(f.diff for f in report_of(tmp_path, text).findings)

    assert "def out_row(" in diffs
    assert "def out_row_2(" in diffs


def test_windows_line_ends_stay(tmp_path):
    text = "x = 1\r\nout = [r['a'] + 1 for r in records]\r\n"
    (tmp_path / "w.py").write_bytes(text.encode())

    from batchprep.lint import lint

    (finding,) = lint([str(tmp_path / "w.py")]).findings

    added = [line for line in finding.diff.splitlines(keepends=True)[3:] if line.startswith("+")]
    assert len(added) == 3
    assert all(line.endswith("\r\n") for line in added)


def test_a_file_without_a_last_line_end_keeps_it_so(tmp_path):
    text = "out = [r['a'] + 1 for r in records]"

    finding = finding_of(tmp_path, text)

    assert patched(text, finding.diff).endswith("for r in records]") is False
    assert finding.diff.count("\\ No newline at end of file") == 2


@pytest.mark.skipif(sys.platform != "linux", reason="`patch` is looked for on Linux only")
def test_patch_takes_the_diff(tmp_path, monkeypatch):
    import shutil
    import subprocess

    if shutil.which("patch") is None:
        pytest.skip("patch is not installed")
    monkeypatch.chdir(tmp_path)
    text = textwrap.dedent(LOOPS["a body"])
    finding = finding_of(tmp_path, text)

    subprocess.run(["patch", "-p0"], input=finding.diff, text=True, check=True, cwd=tmp_path)

    assert (tmp_path / "prep.py").read_text() == patched(text, finding.diff)
