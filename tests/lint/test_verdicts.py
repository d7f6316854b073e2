import datetime as dt
import textwrap

import pytest

import batchprep as bp
from batchprep.lint.messages import finding_text
from tests.lint.linted import finding_of

VALUES = {
    "number": 2.5,
    "int": 3,
    "text": "Ab",
    "datetime": dt.datetime.fromisoformat("2024-01-31 12:30"),
    "date": dt.date(2024, 1, 31),
    "timedelta": dt.timedelta(hours=3),
    "bool": True,
}
COMPILING = [
    ("r['a'] * r['b']", {"a": "number", "b": "number"}),
    ("r['a'].strip().lower()", {"a": "text"}),
    ("r['a'].upper() if r['n'] > 2 else 'low'", {"n": "number", "a": "text"}),
    ("r['when'].year", {"when": "datetime"}),
    ("r['when'].hour + r['n']", {"when": "datetime", "n": "number"}),
    ("r['span'].total_seconds() / 60", {"span": "timedelta"}),
    ("r['bits'] << 2", {"bits": "int"}),
    ("{**r, 'name': r['name'].title()}", {"name": "text"}),
    ("r['first'] + ' ' + r['last']", {"first": "text", "last": "text"}),
    ("r.get('a', 0) + 1", {"a": "number"}),
]


@pytest.mark.parametrize(("code", "fields"), COMPILING)
def test_kinds_are_found_with_which_it_compiles(code, fields, tmp_path):
    finding = finding_of(tmp_path, f"out = [{code} for r in records]")

    assert (finding.verdict.status, dict(finding.verdict.fields)) == ("compiles", fields)


@pytest.mark.parametrize(("code", "fields"), COMPILING)
def test_what_is_said_to_compile_does(code, fields, tmp_path):
    (tmp_path / "rowfn.py").write_text(f"def f(r):\n    return {code}\n")
    namespace = {}
    exec(compile((tmp_path / "rowfn.py").read_text(), tmp_path / "rowfn.py", "exec"), namespace)
    records = [{name: VALUES[word] for name, word in fields.items()}] * 3

    run = bp.vectorize(namespace["f"], on_unsupported="raise", backend="numpy")

    assert run(records) == [namespace["f"](record) for record in records]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print(r['a'])", "print is a built-in"),
        ("open(r['a']).read()", "open is a built-in"),
        ("random.random() * r['a']", "random"),
    ],
)
def test_the_front_end_says_why_not(code, reason, tmp_path):
    text = f"import random\nimport numpy as np\n\nout = [{code} for r in records]\n"

    finding = finding_of(tmp_path, text)

    assert (finding.verdict.status, finding.verdict.line, finding.diff) == ("no", 4, "")
    assert reason in finding.verdict.reason


def test_pieces_that_python_computes_are_mentioned(tmp_path):
    text = "import numpy as np\n\nout = [np.log(r['a']) * r['b'] for r in records]\n"

    finding = finding_of(tmp_path, text)

    assert (finding.verdict.status, finding.verdict.partly) == ("compiles", True)
    assert "compiles, but for pieces that Python computes, if" in finding_text(finding)


def test_the_reason_names_the_line_of_the_file(tmp_path):
    text = """
        def f(r):
            value = r["a"]
            print(value)
            return value


        class Job:
            def run(self, records):
                return [f(r) for r in records]
    """

    assert finding_of(tmp_path, text).verdict.line == 4


@pytest.mark.parametrize(
    ("before", "name", "how"),
    [
        ("from prices import scale", "scale", "it is imported from prices"),
        ("import prices as scale", "scale", "it is imported from prices"),
        ("@cache\ndef scale(x): ...", "scale", "a decorator makes it"),
        ("scale = make()", "scale", "it is made when the file runs"),
        ("", "scale", "scale comes from elsewhere"),
        ("if x:\n    def scale(x): ...\nelse:\n    scale = None", "scale", "from elsewhere"),
    ],
)
def test_names_of_elsewhere_leave_it_open(before, name, how, tmp_path):
    finding = finding_of(tmp_path, f"{before}\n\nout = [{name}(r['a']) for r in records]\n")

    assert finding.verdict.status == "unknown"
    assert how in finding.verdict.reason
    assert f"bp.vectorize(lambda r: {name}(r['a']))(records)" in finding.diff


@pytest.mark.parametrize(
    ("code", "assumed"),
    [
        ("r['a'] > limit", "a number"),
        ("r['a'].startswith(limit)", "a text"),
        ("r['a'] * r[limit]", "a text"),
        ("r['a'].lower() in limit", "a set of texts"),
        ("r['a'] << limit", "an int"),
    ],
)
def test_a_name_that_is_only_read_is_taken_for_a_constant(code, assumed, tmp_path):
    finding = finding_of(
        tmp_path, f"def f(records, limit):\n    return [{code} for r in records]\n"
    )

    assert finding.verdict.status == "compiles"
    assert dict(finding.verdict.assumed)["limit"] == assumed


def test_constants_and_functions_of_the_file_are_known(tmp_path):
    text = """
        import math
        from datetime import timedelta as span

        DAY = 24 * 60 * 60
        RATES = {"DE": 1.5, "FR": 2.0}
        FREE = frozenset({"JP"})
        LATE = span(hours=3)


        def rate(country, default=DAY):
            return 0.0 if country in FREE else RATES.get(country, default)


        def cost(r):
            late = 1 if r["delay"] > LATE else 0
            return math.sqrt(rate(r["country"])) + late


        out = [cost(r) for r in records]
    """

    verdict = finding_of(tmp_path, text).verdict

    assert verdict.status == "compiles"
    assert dict(verdict.fields) == {"delay": "timedelta", "country": "text"}
    assert dict(verdict.assumed) == {}


def test_functions_that_call_each_other_end(tmp_path):
    text = """
        def f(r):
            return g(r)

        def g(r):
            return f(r) + r["a"]

        out = [g(r) for r in records]
    """

    assert finding_of(tmp_path, text).rule == "BP005"


def test_a_very_long_function_is_not_judged(tmp_path):
    lines = "\n".join(f"    x{i} = r['a'] + {i}" for i in range(2_000))
    text = f"def f(r):\n{lines}\n    return x1\n\nout = [f(r) for r in records]\n"

    verdict = finding_of(tmp_path, text).verdict

    assert verdict.status == "unknown"
    assert "too long" in verdict.reason


def test_arguments_of_apply_are_handed_on(tmp_path):
    text = """
        def f(row, low, *, high):
            return low < row["a"] < high

        out = df.apply(f, axis=1, args=(3,), high=9)
    """

    finding = finding_of(tmp_path, text)

    assert finding.verdict.status == "compiles"
    assert "+out = f_rows(df, 3, high=9)" in finding.diff


def test_arguments_that_are_made_at_run_time_leave_it_open(tmp_path):
    text = "def f(row, low):\n    return row['a'] < low\n\nout = df.apply(f, axis=1, args=(x,))\n"

    verdict = finding_of(tmp_path, text).verdict

    assert (verdict.status, verdict.reason) == ("unknown", "its further arguments are no literals")


@pytest.mark.parametrize("option", ["raw=True", "result_type='reduce'", "meta=('x', 'f8')"])
def test_options_without_a_counterpart_leave_it_open(option, tmp_path):
    finding = finding_of(tmp_path, f"df.apply(lambda row: row['a'] + 1, axis=1, {option})")

    assert finding.verdict.status == "unknown"
    assert f"{option} has no counterpart" in finding.verdict.reason


def test_the_text_says_what_it_takes(tmp_path):
    text = textwrap.dedent("""
        def f(records, limit):
            return [r["a"].strip() for r in records if r["n"] + r["m"] > limit]
    """)

    assert finding_text(finding_of(tmp_path, text)) == (
        "BP005 a comprehension over records: compiles if 'n' and 'm' are numbers and 'a' is a text "
        "and limit is a number"
    )
