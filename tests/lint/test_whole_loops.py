"""Verdicts on loops that gather several things: as bp.vectorize_loop takes them."""

import textwrap

import pytest

import batchprep as bp
from tests.lint.linted import finding_of, report_of

LOOPS = {
    "grouped": """
        def process(records):
            total, groups = 0, {}
            for r in records:
                total += r["n"] * 2
                groups.setdefault(r["s"].lower(), []).append(r["n"])
            return total, groups
    """,
    "tried": """
        def process(records):
            good, bad = [], []
            for i, r in enumerate(records):
                try:
                    good.append(float(r["s"]) * 2)
                except ValueError:
                    bad.append((i, r["s"]))
            return good, bad
    """,
    "carried": """
        def process(records):
            last, out = None, []
            for r in records:
                out.append(None if last is None else r["n"] - last)
                last = r["n"]
            return out
    """,
    "inner": """
        def process(records):
            counts = {}
            for r in records:
                for word in r["s"].split():
                    counts[word] = counts.get(word, 0) + 1
            return counts
    """,
    "limited": """
        def process(records, limit):
            n, out = 0, []
            for r in records:
                if r["n"] > limit:
                    n += 1
                    out.append(r["s"].upper())
            return n, out
    """,
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_that_is_said_to_compile_does(name, tmp_path):
    text = textwrap.dedent(LOOPS[name])
    finding = finding_of(tmp_path, text)
    file = tmp_path / "prep.py"
    namespace = {}
    exec(compile(file.read_text(), file, "exec"), namespace)
    rows = [{"n": n, "s": s} for n, s in [(1.5, "a b"), (3.0, "7"), (2.5, "b")]]
    arguments = (2,) if name == "limited" else ()
    run = bp.vectorize_loop(namespace["process"], on_unsupported="raise", backend="numpy")

    assert run(rows, *arguments) == namespace["process"](rows, *arguments)
    assert (finding.rule, finding.verdict.status) in {("BP008", "compiles"), ("BP004", "unknown")}


def test_the_verdict_on_a_loop_names_kinds_and_pieces(tmp_path):
    verdict = finding_of(tmp_path, LOOPS["tried"]).verdict

    assert (verdict.status, dict(verdict.fields), verdict.partly) == (
        "compiles", {"s": "number"}, True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status", "reason", "line"),
    [
        ("print(r['a'])\n    n += r['a']\n    out.append(n)", "no", "print is a built-in", 3),
        ("n += helper(r['a'])\n    out.append(r['b'] + n)", "unknown", "helper comes from", 0),
        ("n += r['a']\n    r.update(b=1)\n    out.append(1)", "no", "changes its records", 4),
        ("n = combined(n, r['a'])\n    out.append(n + 1)", "no", "gets what the rows before", 3),
    ],
)
def test_the_verdict_on_a_loop_says_why_not_and_where(body, status, reason, line, tmp_path):
    text = f"n, out = 0, []\nfor r in records:\n    {body}\nprint(n, out)\n"

    verdict = finding_of(tmp_path, text).verdict

    assert (verdict.status, verdict.line) == (status, line)
    assert reason in verdict.reason


def test_a_loop_that_fills_what_was_made_elsewhere_cannot_be_told(tmp_path):
    text = """
        def process(self, records):
            for r in records:
                self.found.append(r["a"])
                self.total += r["a"]
    """

    verdict = finding_of(tmp_path, text).verdict

    assert (verdict.status, verdict.reason) == ("unknown", "it fills self")


@pytest.mark.parametrize(
    "data",
    [
        "csv.DictReader(file)",
        "frame.to_dict('records')",
        "table.to_pylist()",
        "[{'a': 1}, {'a': 2}]",
    ],
)
def test_records_handed_to_an_imported_function_are_reported(data, tmp_path):
    text = f"from elsewhere import clean\nrows = {data}\nout = [clean(r) for r in rows]\n"

    finding = finding_of(tmp_path, text)

    assert finding.verdict.reason == "clean comes from elsewhere: it is imported from elsewhere"


def test_annotated_records_handed_to_an_imported_function_are_reported(tmp_path):
    text = """
        from elsewhere import clean

        def process(rows: list[dict[str, int]]):
            return [clean(r) for r in rows]
    """

    assert finding_of(tmp_path, text).rule == "BP005"


def test_other_things_handed_to_an_imported_function_are_left_alone(tmp_path):
    text = "from elsewhere import clean\nout = [clean(x) for x in names]\n"

    assert report_of(tmp_path, text).findings == ()
