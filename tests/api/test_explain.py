import json

import pandas as pd
import pyarrow as pa
import pytest
from inline_snapshot import snapshot

import batchprep as bp


def half(x):
    return x / 2 if x else None


def score(r):
    value = half(r["a"])
    if value is None:
        return 0
    return value // r["b"]


def hidden(r):
    import json

    return json.dumps(r)


def lines_of(explanation):
    return "\n".join(line.split(": ")[0] for line in str(explanation).splitlines())


def test_explanation_as_text():
    text = bp.vectorize(score).explain({"a": int, "b": int}).text(plan=False)
    text = text.replace(str(__file__), "tests/api/test_explain.py")

    assert text == snapshot("""\
score: compiled, backend auto (NumPy at once, numba for many rows), exact arithmetic
  reads  a int, b int
  gives  int | float (Arrow: double)
  costs  about 39.9 ns a row (reading dicts 20, kernel 3.9, results 16)
  pays   yes, once numba's kernel is there: the loop takes about 335 ns a row

tests/api/test_explain.py: score
     15 +def score(r):
     16 +    value = half(r["a"])
              the interpreter answers where int beyond 2**53 in a division
     17 +    if value is None:
     18 +        return 0
     19 +    return value // r["b"]
              raises ZeroDivisionError where float floor division by zero

tests/api/test_explain.py: half
     11 +def half(x):
     12 +    return x / 2 if x else None
              the interpreter answers where int beyond 2**53 in a division\
""")


def test_explanation_is_plain_data():
    data = bp.vectorize(score).explain({"a": int | None, "b": float}).to_dict()

    assert json.loads(json.dumps(data)) == json.loads(json.dumps(data))
    assert data["compiled"]
    assert data["fields"][0]["kinds"] == ("none", "int")
    assert [function["name"] for function in data["functions"]] == ["score", "half"]
    assert "ifloordiv" in data["plan"] or "ffloordiv" in data["plan"]
    assert data["cost"]["kernel"] > 0


def test_checks_stand_at_their_line():
    explanation = bp.vectorize(score).explain({"a": int, "b": int})
    checks = {line.text.strip(): line.checks for line in explanation.functions[0].lines}

    assert "ZeroDivisionError" in [check.error for check in checks['return value // r["b"]']]
    assert checks["return 0"] == ()


@pytest.mark.parametrize(
    "given",
    [
        [{"a": 1, "b": 2}],
        ({"a": 1, "b": 2},),
        {"a": 1, "b": 2},
        {"a": int, "b": int},
        {"a": {"int"}, "b": {"int"}},
        {"a": pa.int64(), "b": pa.int64()},
        pa.schema([("a", pa.int64()), ("b", pa.int64())]),
        pa.table({"a": [1], "b": [2]}),
        pd.DataFrame({"a": [1], "b": [2]}),
        bp.from_records([{"a": 1, "b": 2}]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_anything_with_a_schema_explains(given):
    explanation = bp.vectorize(score).explain(given)

    assert explanation.compiled
    assert {"int"} <= set(explanation.fields[0].kinds) <= {"int", "none"}


def test_without_data_it_is_about_the_last_call():
    f = bp.vectorize(score, backend="numpy")
    with pytest.raises(LookupError, match="score has seen no data yet"):
        f.explain()
    f([{"a": 1.5, "b": 2}])

    assert f.explain().fields[0].kinds == ("float",)
    assert f.explain().backend == "numpy"


def test_iterator_is_not_used_up():
    records = iter([{"a": 1, "b": 2}])
    with pytest.raises(TypeError, match="would use up its first records"):
        bp.vectorize(score).explain(records)

    assert len(list(records)) == 1


def test_fallback_shows_the_line_and_the_reason():
    explanation = bp.vectorize(hidden).explain([{"a": 1}])

    assert not explanation.compiled
    assert "^^^^^^^^^^^" in explanation.where
    assert explanation.cost is None
    assert explanation.reason
    assert "hidden: runs in the interpreter" in str(explanation)
    assert not any(line.compiled for line in explanation.functions[0].lines)


def test_field_that_no_record_has_is_named():
    f = bp.vectorize(lambda r: r["pirce"] * 2)
    text = str(f.explain([{"price": 1}]))

    assert "no record has 'pirce': every row raises KeyError; nearest names: price" in text


def test_notebook_and_terminal_show_the_same():
    explanation = bp.vectorize(score).explain({"a": int, "b": int})

    assert explanation.__rich__().plain == str(explanation)
    html = explanation._repr_html_()
    assert html.startswith("<pre>")
    assert "value // r[&quot;b&quot;]" in html


@pytest.mark.parametrize("data", [[], (), {}.values()])
def test_explaining_on_no_records_says_so(data):
    with pytest.raises(ValueError, match="explaining score on no records"):
        bp.vectorize(score).explain(data)


def test_a_table_without_rows_has_columns_to_explain():
    table = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())})

    assert bp.vectorize(score).explain(table).compiled
    assert bp.vectorize(score).explain(pd.DataFrame({"a": [1], "b": [2]}).iloc[:0]).compiled


# ------------------------------------------------------------------------------- whether it pays


def looped(r):
    total = 0
    for x in r["xs"]:
        total += x
    return total > max(r["xs"])


def spelled(r):
    return r["s"].title().center(9).swapcase()


def power(r):
    return (r["a"] * 2.5 + r["b"] - r["a"] * r["b"]) ** 2 - r["a"] / (r["b"] * r["b"] + 1.5)


@pytest.mark.parametrize(
    ("function", "data", "pays"),
    [
        (looped, {"xs": list}, "Python runs much of it; auto times both ways"),
        (spelled, pa.schema({"s": pa.string()}), "where texts repeat"),
        (power, pa.schema({"a": pa.float64(), "b": pa.float64()}), "yes: the loop takes about"),
        (lambda r: r["a"] + 1, {"a": int}, "yes, once numba's kernel is there"),
    ],
)
def test_explanation_says_whether_it_pays(function, data, pays):
    explanation = bp.vectorize(function).explain(data)

    assert pays in explanation.pays
    assert f"  pays   {explanation.pays}" in str(explanation).splitlines()


def test_without_numba_most_is_reading_dicts():
    by_numpy = bp.vectorize(lambda r: r["a"] + 1, backend="numpy").explain({"a": int})

    assert "most is reading dicts; from Arrow it pays" in by_numpy.pays
    assert by_numpy.cost.ingest > by_numpy.cost.kernel + by_numpy.cost.results


def test_costs_name_the_pieces_that_python_runs():
    rows, texts = (
        bp.vectorize(looped).explain({"xs": list}),
        bp.vectorize(spelled).explain({"s": str}),
    )

    assert rows.cost.pieces > rows.cost.kernel
    assert "pieces that Python runs" in str(rows)
    assert texts.cost.pieces == 0 < texts.cost.distinct
    assert "once per distinct value" in str(texts)


def test_after_calls_the_verdict_is_what_was_measured():
    run = bp.vectorize(power)
    records = [{"a": 1.5, "b": 0.5}] * 20
    for _ in range(8):
        run(records)

    assert "measured: " in run.explain().pays
    assert "measured: " not in bp.vectorize(power, backend="numpy").explain({"a": float}).pays


def several(r):
    return int(r["a"]), float(r["b"]), r["a"][3]


def test_calls_of_a_line_that_may_raise_are_named_together():
    text = bp.vectorize(several).explain({"a": str, "b": str}).text(plan=False)

    assert "the interpreter answers where int, float or item raises" in text
    assert "that raises" not in text
