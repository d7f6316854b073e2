import json
import os

import pytest

from batchprep.lint import lint
from tests.lint.linted import report_of

LOOP = "out = [r['a'] + 1 for r in records]\n"


def notebook(*cells, indent=1):
    """A notebook of code cells; a cell that begins with `#md` is a text cell."""
    made = [
        {
            "cell_type": "markdown" if cell.startswith("#md") else "code",
            "metadata": {},
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=indent)


def linted_notebook(folder, *cells, indent=1):
    file = folder / "book.ipynb"
    file.write_text(notebook(*cells, indent=indent), encoding="utf-8")
    return lint([str(file)])


def test_cells_know_the_names_of_cells_above(tmp_path):
    report = linted_notebook(
        tmp_path,
        "#md # Prices",
        "%matplotlib inline\nimport math\n!ls\nx = !pwd\nlist?",
        "def f(r):\n    return math.sqrt(r['price'])",
        "%%time\nout = []\nfor r in records:\n    out.append(f(r))",
        "%%bash\nfor x in *; do echo $x; done",
        "await client.run()",
    )

    (finding,) = report.findings

    assert report.problems == ()
    assert (finding.place.cell, finding.place.line, finding.place.column) == (4, 3, 1)
    assert finding.verdict.status == "compiles"
    assert ":cell 4\n" in finding.diff
    assert ":cell 3\n" in finding.diff  # the row function is made below its def
    assert "+out = list(f_rows(records))" in finding.diff
    assert " %%time\n" in finding.diff


def test_a_finding_of_a_notebook_knows_its_line_of_the_file(tmp_path):
    report = linted_notebook(tmp_path, "#md out = 1", "out = 1", f"x = 'é'\n{LOOP}")

    (finding,) = report.findings

    raw = (tmp_path / "book.ipynb").read_text().splitlines()
    assert json.loads(raw[finding.place.raw_line - 1].strip()) == LOOP


@pytest.mark.parametrize("indent", [None, 4])
def test_a_notebook_of_another_layout_is_read(indent, tmp_path):
    report = linted_notebook(tmp_path, "x = 1", LOOP, indent=indent)

    (finding,) = report.findings

    assert (finding.place.cell, finding.place.line) == (2, 1)


def test_a_broken_cell_leaves_the_others(tmp_path):
    report = linted_notebook(tmp_path, "x = (1,", LOOP, "def f(:\n    pass")

    assert [(p.place.cell, p.place.line) for p in report.problems] == [(1, 1), (3, 1)]
    assert [f.place.cell for f in report.findings] == [2]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', "[" * 100_000],
)
def test_what_is_no_notebook_is_a_problem(text, tmp_path):
    (tmp_path / "book.ipynb").write_text(text)

    (problem,) = lint([str(tmp_path)]).problems

    assert "this is no notebook" in problem.message


BROKEN = {
    "syntax": (b"x = 1\nfor r in records\n", 2, "SyntaxError: expected ':'"),
    "null bytes": (b"x = 1\0\n", 1, "null bytes"),
    "another encoding": (b"x = 1\n# \xe9\n", 2, "this is no Python text"),
    "an unknown encoding": (b"# coding: nosuch\n", 1, "this is no Python text"),
    "brackets in brackets": (b"x = " + b"(" * 5_000 + b")" * 5_000, 1, "nested"),
    "a sum without end": (b"x = " + b"1 + " * 100_000 + b"1\n", 1, "nested"),
    "blocks in blocks": (
        b"".join(b" " * i + b"if x:\n" for i in range(300)) + b" " * 300 + b"pass\n", 101, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "line", "text"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_a_problem_and_the_next_is_read(data, line, text, tmp_path):
    (tmp_path / "a.py").write_bytes(data)
    (tmp_path / "b.py").write_text(LOOP)

    report = lint([str(tmp_path)])

    (problem,) = report.problems
    assert problem.place.path.endswith("a.py")
    assert problem.place.line == line
    assert text in problem.message
    assert len(report.findings) == 1


def test_an_encoding_that_the_file_names_is_read(tmp_path):
    (tmp_path / "a.py").write_bytes(f"# coding: latin-1\nx = 'é'; {LOOP}".encode("latin-1"))

    report = lint([str(tmp_path)])

    assert report.findings[0].place.column == 16


def test_a_byte_order_mark_moves_nothing(tmp_path):
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbf" + LOOP.encode())

    assert lint([str(tmp_path)]).findings[0].place.column == 7


def test_code_that_is_far_too_long_is_a_problem(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n" * 400_000)

    (problem,) = lint([str(tmp_path)]).problems

    assert "2,400,000 characters" in problem.message


def test_what_is_no_file_is_a_problem(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")

    report = lint([str(tmp_path / "none.py"), str(tmp_path / "pipe.py")])

    assert [p.message for p in report.problems] == [
        "there is no such file",
        "this is no regular file",
    ]


def test_folders_are_read_in_order_without_those_of_others(tmp_path):
    for name in (
        "b.py", "a/z.py", "a/b/c.py", ".hidden/x.py", "env/pyvenv.cfg", "env/lib/x.py",
        "node_modules/x.py", "__pycache__/x.py", "lib/site-packages/x.py", "notes.txt", ".x.py",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(LOOP)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)

    report = lint([str(tmp_path), str(tmp_path / "b.py")])

    paths = [f.place.path.removeprefix(f"{tmp_path}/") for f in report.findings]
    assert paths == ["b.py", "a/z.py", "a/b/c.py"]
    assert report.files == 3


def test_a_file_that_is_named_is_read_whatever_its_ending(tmp_path):
    (tmp_path / "script").write_text(f"#!/usr/bin/env python\n{LOOP}")

    assert len(lint([str(tmp_path / "script")]).findings) == 1


def test_paths_are_shown_from_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert report_of(tmp_path, LOOP).findings[0].place.path == "prep.py"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = [r['a'] + 1 for r in rs]  # noqa", 0),
        ("x = [r['a'] + 1 for r in rs]  # noqa: BP005", 0),
        ("x = [r['a'] + 1 for r in rs]  # NOQA : E501", 0),
        ("x = [r['a'] + 1 for r in rs]  # noqa: E501, BP005", 0),
        ("x = [r['a'] + 1 for r in rs]  # noqa: E501", 1),
        ("x = [r['a'] + 1 for r in rs]  # noqa: BP004", 1),
        ("x = ['# noqa', [r['a'] + 1 for r in rs]]", 1),
        ("x = [\n    r['a'] + 1\n    for r in rs  # noqa: BP005\n]", 0),
        ("for r in rs:  # noqa: BP004\n    x.append(r['a'] + 1)", 0),
        ("for r in rs:\n    x.append(r['a'] + 1)  # noqa: BP004", 1),
        ("# ruff: noqa: BP005\n\nx = [r['a'] + 1 for r in rs]", 0),
        ("# flake8: noqa\n\nx = [r['a'] + 1 for r in rs]", 0),
        ("# ruff: noqa: E501\n\nx = [r['a'] + 1 for r in rs]", 1),
    ],
)
def test_noqa_keeps_a_line_from_being_reported(text, found, tmp_path):
    assert len(report_of(tmp_path, text).findings) == found


def test_nothing_of_a_file_is_run_or_imported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    mark = tmp_path / "ran"
    write = f"open({str(mark)!r}, 'w').write('x')"
    (tmp_path / "statistics2.py").write_text(write)
    (tmp_path / "colorsys.py").write_text(write)
    text = f"""
        import colorsys, statistics2
        from statistics2 import f

        {write}

        @{write}
        class C:
            {write}

        def g(r, x={write}):
            {write}
            return r["a"]

        LIMIT = {write}
        out = [g(r) + LIMIT + f(r["a"]) for r in records]
        out = [g(r) for r in records if {write}]
        df.apply(lambda row, x={write}: row["a"] + {write}, axis=1)
        out = [statistics2.f(r["a"]) for r in records]
    """

    report = report_of(tmp_path, text)

    assert len(report.findings) == 4
    assert all(f.verdict.status != "compiles" for f in report.findings)
    assert not mark.exists()


def test_a_file_of_the_users_named_like_a_module_is_not_imported(tmp_path, monkeypatch):
    import sys

    mark = tmp_path / "ran"
    (tmp_path / "fractions.py").write_text(f"open({str(mark)!r}, 'w')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "fractions", raising=False)

    text = "from fractions import Fraction\n\nout = [Fraction(r['a']) for r in records]\n"
    report = report_of(tmp_path, text)

    assert report.findings[0].verdict.status == "unknown"
    assert not mark.exists()


def test_many_loops_in_a_long_file_end(tmp_path):
    text = "\n".join(
        f"x{i} = [r['a'] + {i} for r in records]\n" + "y = 1\n" * 20 for i in range(150)
    )

    report = report_of(tmp_path, text)

    assert len(report.findings) == 150
    assert report.count("compiles") == 150
