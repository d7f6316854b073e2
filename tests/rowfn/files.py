"""Files of functions for the tests of source discovery."""

import importlib.util

import pytest

from batchprep.errors import Unsupported
from batchprep.rowfn.source import find_source


def load(path, name="loaded_module"):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(path):
    return load(path).found


def verdict(function):
    with pytest.raises(Unsupported) as caught:
        find_source(function)
    return caught.value


def made(text, file):
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]
