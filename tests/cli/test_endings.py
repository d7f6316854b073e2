import warnings

import click
import pytest

from batchprep.cli.endings import as_usage, ending
from batchprep.cli.messages import failed_rows_text
from batchprep.errors.messages import KEEP_GOING
from batchprep.run.report import Failure, Report


def ended(error, output=None, *, show_traceback=False, before=lambda: None):
    def command():
        with ending(output, show_traceback=show_traceback):
            before()
            raise error

    with pytest.raises(click.exceptions.Exit) as caught:
        command()
    return caught.value.exit_code


def noted():
    error = ZeroDivisionError("division by zero")
    error.add_note(f"  row 3, prep.py:2 in rate\n  {KEEP_GOING}")
    return error


def test_failing_row_ends_with_1_and_its_note_in_words_of_the_command_line(tmp_path, capsys):
    assert ended(noted(), str(tmp_path / "out.csv")) == 1
    out, err = capsys.readouterr()

    assert out == ""
    assert err == (
        "ZeroDivisionError: division by zero\n"
        "  row 3, prep.py:2 in rate\n"
        "  Keep going: --on-error drop (or null) --failures failed.parquet\n"
        f"nothing was written to {tmp_path / 'out.csv'}\n"
    )


def test_traceback_shows_if_asked_for(capsys):
    assert ended(noted(), show_traceback=True) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_ctrl_c_ends_with_130(tmp_path, capsys):
    assert ended(KeyboardInterrupt(), str(tmp_path / "out.csv")) == 130
    assert capsys.readouterr().err == (f"stopped; nothing was written to {tmp_path / 'out.csv'}\n")


def test_ctrl_c_with_an_older_output_in_place(tmp_path, capsys):
    output = tmp_path / "out.csv"
    output.write_text("old")

    assert ended(KeyboardInterrupt(), str(output)) == 130
    assert "nothing was written" in capsys.readouterr().err


def test_ctrl_c_after_the_output_was_renamed_does_not_deny_it(tmp_path, capsys):
    output = tmp_path / "out.csv"
    code = ended(KeyboardInterrupt(), str(output), before=lambda: output.write_text("all"))

    assert code == 130
    assert capsys.readouterr().err == f"stopped; {output} was complete already\n"


def test_errors_of_click_go_through():
    with pytest.raises(click.UsageError), ending("out.csv"):
        raise click.UsageError("x")


@pytest.mark.parametrize("kind", [FileNotFoundError, FileExistsError, IsADirectoryError])
def test_paths_that_do_not_fit_are_wrong_usage(kind):
    with pytest.raises(click.BadParameter) as caught, as_usage("--output"):
        raise kind("out.csv exists\n  Pass overwrite=True to replace it")

    assert caught.value.exit_code == 2
    assert caught.value.message == "out.csv exists\n  Pass --overwrite to replace it"


def test_bad_data_is_no_wrong_usage():
    with pytest.raises(ValueError, match="cut short"), as_usage("INPUT"):
        raise ValueError("cut short")


def test_warnings_are_their_text_alone(capsys):
    with warnings.catch_warnings(action="default"), ending():
        warnings.warn("slow here", UserWarning, stacklevel=1)

    assert capsys.readouterr().err == "UserWarning: slow here\n"


def test_failed_rows_name_the_first_or_their_file():
    failure = Failure(41_207, "ValueError", "bad price", "prep.py", 3, "{}")
    kept = Report(50_000, 1.0, (failure,), ())
    streamed = Report(50_000, 1.0, (), (), streamed=2)

    assert failed_rows_text(kept, None) == (
        "1 row failed; the first is row 41,207: ValueError: bad price\n"
        "  To keep them all: --failures failed.parquet"
    )
    assert failed_rows_text(streamed, "failed.csv") == "2 rows failed; see failed.csv"
