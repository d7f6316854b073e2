import io
import re
import sys
import threading

import pexpect
import pytest

from batchprep.run.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(file, *totals, enabled=None, updates=((300, 40), (700, 60))):
    with Progress(*totals, enabled=enabled, file=file) as progress:
        for rows, nbytes in updates:
            progress.update(rows, nbytes)
    return file.getvalue()


def test_bar_shows_on_a_terminal_only():
    assert "1.0 k rows" in drawn(Terminal(), 1000)
    assert drawn(io.StringIO(), 1000) == ""


def test_bar_shows_elsewhere_if_asked_for_and_not_on_a_terminal_if_not():
    assert "1.0 k rows" in drawn(io.StringIO(), 1000, enabled=True)
    assert drawn(Terminal(), 1000, enabled=False) == ""


def test_no_stderr_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress(10) as progress:
        progress.update(10)

        assert progress._bar is None


def test_bar_counts_rows_where_their_number_is_known():
    last = drawn(Terminal(), 2000, 100).rpartition("\r")[2]

    assert last.startswith(" 50%|")
    assert re.search(r"1\.0 k rows, \S+( k| M| G)? rows/s \[\d\d:\d\d<\d\d:\d\d\]", last)


def test_bar_counts_bytes_where_rows_are_not_known():
    last = drawn(Terminal(), None, 200).rpartition("\r")[2]

    assert last.startswith(" 50%|")
    assert "1.0 k rows, " in last


def test_without_any_total_there_are_rows_and_no_bar():
    last = drawn(Terminal()).rpartition("\r")[2]

    assert "%" not in last
    assert re.match(r"1\.0 k rows, .* rows/s \[00:0\d\]", last)


def test_it_may_be_closed_twice_and_updated_afterwards():
    file = Terminal()
    progress = Progress(10, file=file)
    progress.close()
    text = file.getvalue()
    progress.close()
    progress.update(5)

    assert file.getvalue() == text
    assert text.endswith("\n")


def test_it_ends_the_line_when_the_run_fails():
    file = Terminal()
    with pytest.raises(KeyError), Progress(10, file=file):
        raise KeyError

    assert file.getvalue().endswith("\n")


def test_it_leaves_no_thread():
    before = threading.active_count()
    drawn(Terminal(), 1000)

    assert threading.active_count() == before


def test_updates_from_several_threads_all_count():
    file = Terminal()
    with Progress(4000, file=file) as progress:
        threads = [
            threading.Thread(target=lambda: [progress.update(10) for _ in range(100)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert file.getvalue().rpartition("\r")[2].startswith("100%|")


def test_bar_in_a_real_terminal():
    code = (
        "from batchprep.run.progress import Progress\n"
        "with Progress(1000) as p:\n"
        "    p.update(400); input(); p.update(600)\n"
    )
    terminal = pexpect.spawn(sys.executable, ["-c", code], encoding="utf-8", timeout=30)
    terminal.expect("0 rows")
    terminal.sendline()
    terminal.expect(r"100%\|.*1\.0 k rows")
    terminal.expect(pexpect.EOF)
