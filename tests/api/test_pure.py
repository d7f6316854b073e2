"""bp.pure: what the mark promises, what it refuses, and what explain() tells of pieces."""

import functools
import operator

import pyarrow as pa
import pytest
from inline_snapshot import snapshot

import batchprep as bp
from batchprep.rowfn.marked import is_marked

CALLS = []


@bp.pure
def looked_up(key):
    CALLS.append(key)
    return {"NO": [5.0], "SE": [7.5]}[key]


def shipped(r):
    return {"cost": looked_up(r["k"]), "n": r["n"] + 1}


@pytest.fixture
def calls():
    CALLS.clear()
    return CALLS


def fresh():
    """The marked helper over, with nothing remembered."""
    return bp.vectorize(shipped, backend="numpy", on_error="null")


def test_a_marked_helper_runs_once_per_distinct_argument(calls):
    records = [{"k": "NO" if i % 3 else "SE", "n": i} for i in range(300)]
    results = fresh()(records)

    assert results == [{"cost": [5.0] if i % 3 else [7.5], "n": i + 1} for i in range(300)]
    assert sorted(calls) == ["NO", "SE"]


def test_answers_are_remembered_from_call_to_call(calls):
    run = fresh()
    run([{"k": "NO", "n": 1}])
    run([{"k": "NO", "n": 2}])

    assert calls == ["NO"]


def test_a_list_that_a_marked_helper_gives_is_each_rows_own(calls):
    first, second = fresh()([{"k": "NO", "n": 1}, {"k": "NO", "n": 2}])
    first["cost"].append("more")

    assert second["cost"] == [5.0]


def test_an_exception_of_a_marked_helper_is_the_rows(calls):
    run = fresh()
    results = run([{"k": "NO", "n": 1}, {"k": "DK", "n": 2}, {"k": "SE", "n": 3}])

    assert [result and result["cost"] for result in results] == [[5.0], None, [7.5]]
    (failure,) = run.report().failures.to_pylist()
    assert (failure["row"], failure["type"], failure["message"]) == (1, "KeyError", "'DK'")


def test_a_marked_helper_is_not_run_for_rows_that_do_not_get_there(calls):
    def shipped_abroad(r):
        return looked_up(r["k"]) if r["n"] else None

    run = bp.vectorize(shipped_abroad, backend="numpy")
    results = run([{"k": "SE", "n": 0}, {"k": "NO", "n": 1}])

    assert results == [None, [5.0]]


def test_a_marked_helper_runs_over_tables(calls):
    table = pa.table({"k": ["NO", "SE", "NO"], "n": [1, 2, 3]})

    assert fresh()(table).to_pylist() == [
        {"cost": [5.0], "n": 2},
        {"cost": [7.5], "n": 3},
        {"cost": [5.0], "n": 4},
    ]
    assert sorted(calls) == ["NO", "SE"]


# ------------------------------------------------------------------------------------- the mark


def test_the_mark_gives_the_function_itself():
    def shipping(country):
        return country

    assert bp.pure(shipping) is shipping
    assert is_marked(shipping)


def test_what_can_be_called_and_marked_is_marked():
    class Shipping:
        def __call__(self, country):
            return country

    assert is_marked(bp.pure(Shipping()))
    assert is_marked(bp.pure(functools.partial(operator.add, 1)))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (1, snapshot("bp.pure marks a function, not 1")),
        ("len", snapshot("bp.pure marks a function, not 'len'")),
        (None, snapshot("bp.pure marks a function, not None")),
        (len, snapshot("len cannot be marked: write a def that calls it, and mark that")),
        (str.upper, snapshot("upper cannot be marked: write a def that calls it, and mark that")),
    ],
)
def test_what_cannot_be_marked_is_told_what_to_write_instead(function, text):
    with pytest.raises(TypeError) as raised:
        bp.pure(function)

    assert str(raised.value) == text


# ------------------------------------------------------------------------- explain() of pieces


def tagged(r):
    words = [w[0] for w in r["s"].split()]
    total = 0
    for x in r["t"]:
        total += x
    try:
        size = int(r["s"])
    except ValueError:
        size = None
    return {"words": words, "total": total, "size": size, "cost": looked_up(r["k"])}


def test_explanation_tells_which_lines_python_runs_and_how_often():
    text = bp.vectorize(tagged).explain({"s": str, "t": list, "k": str}).text(plan=False)
    text = text.replace(str(__file__), "tests/api/test_pure.py")
    text = "\n".join(line for line in text.splitlines() if "  costs " not in line)

    assert text == snapshot("""\
tagged: compiled, backend auto (NumPy at once, numba for many rows), exact arithmetic
  reads  s str, t list, k str
  gives  struct (Arrow: as the values are)
  once per distinct text [w[0] for w in r['s'].split()], try: ..., looked_up
  once per distinct row [w[0] for w in r['s'].split()], for x in r['t']: ..., try: ..., looked_up
  pays   hardly: the loop takes about 3,880 ns a row (Python runs much of it; auto times both ways)

tests/api/test_pure.py: tagged
    130 +def tagged(r):
    131 ~    words = [w[0] for w in r["s"].split()]
              the interpreter answers where it raises
              Python runs it once per distinct text: a comprehension is run by Python
    132 +    total = 0
    133 ~    for x in r["t"]:
              the interpreter answers where it raises
              Python runs it once per row: a for loop cannot be compiled
    134 ~        total += x
    135 ~    try:
              the interpreter answers where it raises
              Python runs it once per distinct text: try cannot be compiled
    136 ~        size = int(r["s"])
    137 ~    except ValueError:
    138 ~        size = None
    139 ~    return {"words": words, "total": total, "size": size, "cost": looked_up(r["k"])}
              the interpreter answers where it raises
              Python runs it once per distinct arguments: its author says that it is pure\
""")


def test_explanation_as_data_names_what_python_runs_by_text_and_by_row():
    def sized(r):
        return {"len": len(r["s"].strip().title()), "t": [x for x in r["t"]]}  # noqa: C416

    data = bp.vectorize(sized).explain({"s": str, "t": list}).to_dict()

    assert data["compiled"]
    assert data["by_text"] == snapshot(("len",))
    assert data["by_row"] == snapshot(("[x for x in r['t']]",))


def test_a_piece_is_told_at_its_first_line_alone():
    explanation = bp.vectorize(tagged).explain({"s": str, "t": list, "k": str})
    pieces = {line.text.strip(): line.piece for line in explanation.functions[0].lines}

    assert pieces["total += x"] == "~"
    assert pieces['for x in r["t"]:'].startswith("Python runs it once per row: ")
    assert pieces["total = 0"] == ""
    assert pieces["try:"].startswith("Python runs it once per distinct text: ")
