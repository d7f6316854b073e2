"""A file to write functions into."""

import linecache

import pytest


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "prep.py"
        path.write_bytes(text.encode(encoding))
        linecache.checkcache(str(path))
        return path

    return write
