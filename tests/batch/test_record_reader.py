"""When the machine code that reads records is loaded, and what happens where it cannot be."""

import subprocess
import sys

import numba  # noqa: F401  the code is loaded only where it is in use
import pytest

from batchprep.batch import record_reader
from batchprep.batch.record_reader import READ_ROWS, loaded_reader
from batchprep.batch.record_rows import RecordRows
from batchprep.schema import Field

FORKED = """
import os
import numba
from batchprep.batch import record_reader

record_reader.reader_for(record_reader.LOAD_ROWS)
child = os.fork()
if not child:
    os._exit(0 if record_reader.loaded_reader() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), record_reader.loaded_reader() is not None)
"""


def test_a_child_forked_while_the_code_is_loaded_loads_its_own():
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert (ended.stdout, ended.stderr) == ("0 True\n", "")


def new_loader():
    return record_reader.Loader(record_reader._KERNEL, record_reader.RecordReader)


class Unloadable:
    @staticmethod
    def load():
        raise LookupError("PyDict_GetItemWithError")


def test_where_the_code_cannot_be_loaded_the_ordinary_way_answers(monkeypatch):
    loader = new_loader()
    monkeypatch.setattr(record_reader, "_loader", loader)
    monkeypatch.setattr(record_reader.importlib, "import_module", lambda _: Unloadable)
    rs = [{"a": n} for n in range(READ_ROWS)]

    assert loaded_reader() is None
    loader.ask(10**9)
    assert loader._thread is None
    column = RecordRows(rs, "mapping").column("a", Field("a", frozenset({"int"})))
    assert column.buffers["int"].tolist() == [*range(READ_ROWS)]


@pytest.mark.parametrize(
    "change",
    [
        ("sys.implementation.name", "pypy"),
        ("sysconfig.get_config_var", lambda _: 1),
        ("sys.maxsize", 2**31 - 1),
    ],
    ids=lambda change: change[0],
)
def test_another_interpreter_takes_the_ordinary_way(monkeypatch, change):
    assert record_reader.is_supported()
    monkeypatch.setattr(*change)
    assert not record_reader.is_supported()


def test_short_lists_load_nothing_and_long_ones_do(monkeypatch):
    loader = new_loader()
    loads = []
    monkeypatch.setattr(loader, "_load", lambda: loads.append(1))
    monkeypatch.setattr(record_reader, "_loader", loader)

    assert record_reader.reader_for(record_reader.LOAD_ROWS - 1) is None
    assert loader._thread is None
    assert record_reader.reader_for(record_reader.LOAD_ROWS) is None
    loader._thread.join()
    record_reader.reader_for(record_reader.LOAD_ROWS)
    assert loads == [1]


def test_where_nobody_uses_numba_it_is_not_imported(monkeypatch):
    loader = new_loader()
    monkeypatch.delitem(sys.modules, "numba")
    loader.ask(record_reader.LOAD_TOTAL)

    assert loader._thread is None


def test_many_short_lists_are_worth_loading_too(monkeypatch):
    loader = new_loader()
    monkeypatch.setattr(loader, "_load", lambda: None)
    monkeypatch.setattr(record_reader, "_loader", loader)
    for _ in range(record_reader.LOAD_TOTAL // 1_000):
        assert loader._thread is None
        record_reader.reader_for(1_000)
    loader._thread.join()


def test_lists_too_short_for_a_call_are_read_the_ordinary_way():
    reader = loaded_reader()

    assert record_reader.reader_for(READ_ROWS - 1) is None
    assert record_reader.reader_for(READ_ROWS) is reader
