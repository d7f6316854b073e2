import threading
import warnings

import pyarrow as pa
import pytest

import batchprep as bp


def inverse(r):
    return 1 / r["a"]


def unknown(r):
    import json

    return json.dumps(r)


def test_report_counts_rows_and_failures():
    f = bp.vectorize(inverse, on_error="drop", backend="numpy")
    f([{"a": 0}, {"a": 4}, {"a": None}])
    report = f.report()

    assert report.rows == 3
    assert report.failures["row"].to_pylist() == [0, 2]
    assert report.failures["type"].to_pylist() == ["ZeroDivisionError", "TypeError"]
    assert report.to_dict()["stages"][0]["rows_out"] == 1
    assert report.seconds < 60


def test_report_is_of_the_last_call_even_if_it_failed():
    f = bp.vectorize(inverse, backend="numpy")
    f([{"a": 4}])
    with pytest.raises(ZeroDivisionError):
        f([{"a": 1}, {"a": 0}])

    assert f.report().stages[0].deviations


def test_last_report_is_over_all_functions_of_the_thread():
    f, g = bp.vectorize(inverse), bp.vectorize(lambda r: r["b"])
    with bp.use(backend="numpy"):
        f([{"a": 4}])
        g([{"b": 1}, {"b": 2}])

    assert bp.last_report().rows == 2
    assert f.report().rows == 1


def test_report_before_any_call_says_so():
    with pytest.raises(LookupError, match="inverse has not run in this thread"):
        bp.vectorize(inverse).report()


def test_reports_are_per_thread():
    f = bp.vectorize(inverse, backend="numpy")
    f([{"a": 4}])
    errors = []

    def work():
        try:
            f.report()
        except LookupError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert len(errors) == 1


def test_iterator_reports_what_was_read_so_far():
    f = bp.vectorize(inverse, backend="numpy")
    results = f({"a": n} for n in range(1, 4))
    next(results)

    assert f.report().rows == 3


def test_partial_read_of_an_arrow_reader_is_reported():
    f = bp.vectorize(inverse, backend="numpy")
    f(pa.table({"a": [1, 2, 3]}).to_reader(max_chunksize=2))

    assert f.report().rows == 3


# ------------------------------------------------------------------------------ unsupported


def test_fallback_warns_once_at_the_users_line():
    f = bp.vectorize(unknown)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f([{"a": 1}])
        f([{"a": 2}])
        bp.vectorize(unknown)([{"a": 3}])

    (warning,) = caught
    assert warning.category is bp.FallbackWarning
    assert warning.filename == __file__
    assert str(warning.message).startswith("unknown runs in the interpreter\n")
    assert "test_reports.py:" in str(warning.message)


def test_unsupported_is_raised_when_asked_for():
    def other(r):
        return unknown(r)

    with pytest.raises(bp.Unsupported, match=r"other cannot be compiled\n") as caught:
        bp.vectorize(other, on_unsupported="raise")([{"a": 1}])
    assert caught.value.reason
    assert caught.value.span is not None


def test_unsupported_is_silent_when_asked_for():
    def other(r):
        return unknown(r)

    assert bp.vectorize(other, on_unsupported="ignore")([{"a": 1}]) == ['{"a": 1}']


def test_written_record_is_a_copy_in_the_interpreter_too():
    def marked(r):
        r["text"] = unknown(r)
        return r

    records = [{"a": 1}]

    assert bp.vectorize(marked, on_unsupported="ignore")(records) == [{"a": 1, "text": '{"a": 1}'}]
    assert records == [{"a": 1}]


# --------------------------------------------------------------------------------- failures


def test_failing_row_raises_its_own_exception_from_the_users_frames():
    f = bp.vectorize(inverse, backend="numpy")
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        f([{"a": 1}, {"a": 0}])

    (note,) = caught.value.__notes__
    assert "row 1, " in note
    assert "in inverse" in note
    assert "a=0" in note
    files = {entry.path.name for entry in caught.traceback}
    assert files == {"test_reports.py"}


def test_wrong_column_name_suggests_the_nearest():
    f = bp.vectorize(lambda r: r["pirce"] * 2, backend="numpy")
    with pytest.raises(KeyError) as caught:
        f([{"price": 1, "volume": 2}])

    assert caught.value.args == ("pirce",)
    assert "nearest names: price" in caught.value.__notes__[0]


def test_the_users_own_exception_context_stays():
    def careful(r):
        try:
            return 1 / r["a"]
        except ZeroDivisionError:
            raise ValueError("bad a")  # noqa: B904  its context is what is tested

    with pytest.raises(ValueError, match="bad a") as caught:
        bp.vectorize(careful, on_unsupported="ignore")([{"a": 0}])

    assert isinstance(caught.value.__context__, ZeroDivisionError)
    assert not caught.value.__suppress_context__
