from dataclasses import dataclass
from pathlib import Path

import pytest

from batchprep.batch.batch import Batch, from_records
from batchprep.batch.record_rows import RecordRows
from batchprep.run.program import Options, Program
from tests.run.programs import run, share_program, traced

HERE = str(Path(__file__).relative_to(Path.cwd()))


def rate(r):
    return r["clicks"] // r["views"]


def inner(r):
    views = r["views"]
    return r["clicks"] // views


def outer(r):
    return inner(r) + 1


@dataclass
class Page:
    clicks: int
    views: int


def note_of(function, records, **options):
    with pytest.raises(Exception) as raised:  # noqa: PT011  the note is what is tested
        traced(function, records, **options)
    (note,) = raised.value.__notes__
    return note.replace(HERE, "test_notes.py")


def test_the_note_names_row_place_and_values():
    records = [{"clicks": i, "views": i - 2, "unread": 0} for i in range(5)]

    line = rate.__code__.co_firstlineno + 1
    assert note_of(rate, records) == (
        f"  row 2, test_notes.py:{line} in rate\n"
        '      return r["clicks"] // r["views"]\n'
        "             ~~~~~~~~~~~~^^~~~~~~~~~~~\n"
        "  clicks=2, views=0\n"
        '  Keep going: on_error="null" (failed rows are then in report().failures)'
    )


def test_the_note_names_the_innermost_line_of_the_file():
    note = note_of(outer, [{"clicks": 1, "views": 0}])

    assert f"test_notes.py:{inner.__code__.co_firstlineno + 2} in inner" in note
    assert "  clicks=1, views=0\n" in note  # views is a variable there


def test_the_note_names_the_variables_of_the_line():
    factor, unread = 3, 4

    def scaled(r, *rest):
        total = sum(v for k, v in r.items() if k != "d")
        return total * factor // (r["d"] + r.get("total", 0)) + len(str(rest.count(total)))

    def written(r):
        r["n"] = unread
        return r["n"] // r["d"] and r

    def note(function):
        whole = Program(function=function, name=function.__name__, trace=None, copies="shallow")
        with pytest.raises(ZeroDivisionError) as raised:
            run(whole, from_records([{"n": 5, "d": 0}]))
        return raised.value.__notes__[0]

    assert "  d=0, total=5, factor=3, rest=()\n" in note(scaled)
    assert "  n=5, d=0\n" in note(written)


def test_an_object_whose_repr_is_its_address_is_left_out():
    class Ratio:
        def of(self, r):
            return r["n"] // self.zero(r)

        def zero(self, r):
            return 0

    assert "\n  n=5\n" in note_of(Ratio().of, [{"n": 5, "d": 0}])


def test_an_exception_raised_again_has_each_note_once():
    error = ValueError("always the same")

    def failing(r):
        raise error

    for _ in range(3):
        with pytest.raises(ValueError, match="always"):
            run(share_program(failing), from_records([{"n": 1, "d": 0}]))

    assert len(error.__notes__) == 1


def test_the_note_names_the_source_and_counts_rows_of_all_batches():
    batch = from_records([{"n": 1, "d": 0}])
    with pytest.raises(ZeroDivisionError) as raised:
        run(share_program(), batch, Options(location="trades.parquet"), first_row=41_207)

    assert raised.value.__notes__[0].startswith("  row 41,207 of trades.parquet, ")


def test_the_note_suggests_the_nearest_names():
    records = [{"clicks": 1, "views": 1}, {"clicsk": 1, "views": 1}]

    assert "  nearest names: clicsk\n" in note_of(rate, records)


def test_the_note_reads_attributes():
    assert "  clicks=1, views=0\n" in note_of(lambda r: r.clicks // r.views, [Page(1, 0)])


def test_the_traceback_ends_in_the_users_code_without_frames_of_ours_below():
    with pytest.raises(ZeroDivisionError) as raised:
        traced(outer, [{"clicks": 1, "views": 0}])

    names = [entry.name for entry in raised.traceback]
    assert names[-2:] == ["outer", "inner"]
    assert "<listcomp>" not in names


def test_a_builtin_as_row_function_still_names_the_row():
    whole = Program(function=len, name="len", trace=None)
    with pytest.raises(TypeError) as raised:
        run(whole, Batch(RecordRows([{"a": 1}, 5], "mapping")), Options())

    assert "row 1" in raised.value.__notes__[0]


def test_a_record_that_json_cannot_hold_is_kept_as_text():
    records = [{"n": 1, "d": 0, (3, 4): 5}]
    ran = run(share_program(), from_records(records), Options(on_error="drop"))

    (failure,) = ran.report.failed
    assert "(3, 4)" in failure.record


class BrokenError(Exception):
    def __str__(self):
        raise RuntimeError


@dataclass(frozen=True)
class FrozenError(Exception):
    code: int


@pytest.mark.parametrize("error", [BrokenError(), FrozenError(3)])
def test_exceptions_of_unusual_classes_stay_what_they_are(error):
    def failing(r):
        raise error

    batch = from_records([{"n": 1, "d": 0}])
    with pytest.raises(type(error)) as raised:
        run(share_program(failing), batch)
    ran = run(share_program(failing), batch, Options(on_error="null"))

    assert raised.value is error
    assert ran.report.failed[0].type == type(error).__name__
