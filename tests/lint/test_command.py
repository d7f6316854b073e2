import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from batchprep.cli import main
from batchprep.lint import RULES
from tests.lint.linted import patched

TEXT = """\
def rate(r):
    return r["price"] / r["volume"]


rates = [rate(r) for r in records]
logs = [print(r["a"]) for r in records]
for r in records:
    total += helper(r["a"])
"""
PRINT = "print is a built-in, not a Python function"
TOTAL = "helper comes from elsewhere"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "prep.py").write_text(TEXT)
    (tmp_path / "clean.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = (\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, ["lint", *arguments])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["clean.py"], 0),
        (["prep.py"], 1),
        (["prep.py", "--exit-zero"], 0),
        (["prep.py", "--select", "BP003"], 0),
        (["broken.py"], 2),
        (["prep.py", "broken.py", "--exit-zero"], 2),
        (["none.py"], 2),
        (["prep.py", "--select", "XY1"], 2),
        (["prep.py", "--format", "xml"], 2),
        ([], 2),
    ],
)
def test_exit_codes(folder, arguments, code):
    assert run(*arguments).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        ([], ["BP005", "BP005", "BP008"]),
        (["--select", "BP005"], ["BP005", "BP005"]),
        (["--select", "BP001,BP008"], ["BP008"]),
        (["--select", "bp00", "--ignore", "BP005"], ["BP008"]),
        (["--ignore", "BP005", "--ignore", "BP008"], []),
    ],
)
def test_rules_are_chosen_by_their_ids(folder, arguments, rules):
    result = run("prep.py", "--format", "json", *arguments)

    assert [f["rule"] for f in json.loads(result.output)["findings"]] == rules


def test_an_unknown_rule_is_named_with_the_nearest(folder):
    result = run("prep.py", "--select", "BP05")

    assert "there is no rule 'BP05'; nearest: BP005" in result.output


def test_the_text_says_where_what_and_why(folder):
    result = run("prep.py", "broken.py", "--no-diff")

    assert [line.removeprefix("prep.py:") for line in result.output.splitlines()] == [
        "5:9: BP005 a comprehension over records: compiles if 'price' and 'volume' are numbers",
        f"6:8: BP005 a comprehension over records: would not compile: {PRINT} (line 6)",
        f"7:1: BP008 a loop over records that gathers several things: cannot tell: {TOTAL}",
        "    write the loop as a function of its records: bp.vectorize_loop(process)",
        "broken.py:1:5: SyntaxError: '(' was never closed",
        "3 row loops in 1 file: 1 would compile, 1 would not, 1 cannot be told; 1 problem",
    ]


def test_the_text_holds_the_diff(folder):
    result = run("prep.py", "--select", "BP005")

    diff = result.output[result.output.index("--- ") : result.output.index("\n\nprep.py:6") + 1]
    assert "rates = list(rate_rows(records))" in patched(TEXT, diff)


def test_json_has_the_same(folder):
    found = json.loads(run("prep.py", "broken.py", "--format", "json").output)

    first, second, third = found["findings"]
    assert (found["version"], found["files"]) == (1, 1)
    assert {key: first[key] for key in ("path", "cell", "line", "column", "verdict", "fields")} == {
        "path": "prep.py", "cell": None, "line": 5, "column": 9, "verdict": "compiles",
        "fields": {"price": "number", "volume": "number"},
    }  # fmt: skip
    assert "rate_rows" in patched(TEXT, first["diff"])
    assert (second["verdict"], second["reason_line"]) == ("no", 6)
    assert (third["verdict"], third["diff"]) == ("unknown", "")
    (problem,) = found["problems"]
    assert (problem["path"], problem["line"]) == ("broken.py", 1)
    assert "never closed" in problem["message"]


def test_no_diff_leaves_the_diffs_out(folder):
    found = json.loads(run("prep.py", "--format", "json", "--no-diff").output)
    sarif = json.loads(run("prep.py", "--format", "sarif", "--no-diff").output)

    assert {f["diff"] for f in found["findings"]} == {""}
    assert not any("fixes" in result for result in sarif["runs"][0]["results"])


def test_sarif_has_what_code_scanning_asks_for(folder):
    sarif = json.loads(run("prep.py", "broken.py", "--format", "sarif").output)

    assert sarif["version"] == "2.1.0"
    (run_,) = sarif["runs"]
    driver = run_["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == [rule.id for rule in RULES]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
    assert len(run_["results"]) == 3
    for result in run_["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        assert result["partialFingerprints"]["primaryLocationLineHash"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "prep.py"}
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
        assert place["region"]["endColumn"] > 1
    (invocation,) = run_["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert (
        notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.py"
    )


def test_the_region_of_sarif_is_the_loop(folder):
    sarif = json.loads(run("prep.py", "--format", "sarif").output)
    region = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]

    line = TEXT.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "[rate(r) for r in records]"


def test_the_fix_of_sarif_is_the_diff(folder):
    result = json.loads(run("prep.py", "--format", "sarif").output)["runs"][0]["results"][0]
    diff = json.loads(run("prep.py", "--format", "json").output)["findings"][0]["diff"]
    ((change,),) = (fix["artifactChanges"] for fix in result["fixes"])

    lines = TEXT.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    text = TEXT
    for replacement in sorted(
        change["replacements"], key=lambda r: r["deletedRegion"]["startLine"], reverse=True
    ):
        region = replacement["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    assert text == patched(TEXT, diff)


def test_a_fingerprint_survives_new_lines_above(folder):
    def prints():
        sarif = json.loads(run("prep.py", "--format", "sarif").output)
        return [r["partialFingerprints"] for r in sarif["runs"][0]["results"]]

    before = prints()
    (folder / "prep.py").write_text(f"# new\n\n{TEXT}")

    assert prints() == before
    assert len({str(p) for p in before}) == 3


def test_a_path_with_blanks_is_a_uri(folder):
    (folder / "my prep.py").write_text(TEXT)

    sarif = json.loads(run("my prep.py", "--format", "sarif").output)

    place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20prep.py"


def test_the_output_is_the_same_each_time(folder):
    assert run(".").output == run(".").output


def test_lint_loads_no_optional_package(folder):
    code = (
        "import sys\n"
        "from batchprep.lint import lint\n"
        "lint(['prep.py'])\n"
        "print([m for m in ('numba', 'pandas', 'polars', 'torch', 'rich', 'tqdm', 'click') "
        "if m in sys.modules])\n"
    )

    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert output == "[]\n"
