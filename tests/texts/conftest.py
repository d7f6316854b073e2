"""Fixture that writes modules whose functions have a source to be found."""

import importlib.util
import itertools

import pytest

HEADER = """\
import hashlib
import json
import re
import math
import string
import unicodedata
import zlib

from tests.texts.constants import *

"""


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Row functions of bodies such as 'r["s"].strip()', all in one module."""
    folder = tmp_path_factory.mktemp("written")
    numbers = itertools.count()

    def write(bodies, names=None):
        name = f"written_{next(numbers)}"
        functions = [
            f"def f{number}(r):\n    return {body}\n" for number, body in enumerate(bodies)
        ]
        path = folder / f"{name}.py"
        path.write_text(HEADER + "\n\n".join(functions), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        vars(module).update(names or {})
        return [getattr(module, f"f{number}") for number in range(len(bodies))]

    return write
