"""What CPython's own tests say of str and math, read from the installed `test` package.

The mixins of `test.string_tests` call `checkequal`, `checkraises` and `checkcall`; a subclass that
records these calls turns the tests into data. Nothing of the package is copied.
"""

from __future__ import annotations

import functools
import importlib.util
import random
import unittest
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

ABSENT = "CPython's `test` package is not installed (Debian has it in libpython3-testsuite)"
# Python 3.13 joins the first two in StringLikeTest.
MIXINS = (
    "CommonTest",
    "MixinStrUnicodeUserStringTest",
    "StringLikeTest",
    "MixinStrUnicodeTest",
)
MATH_FILES = ("math_testcases.txt", "mathdata/math_testcases.txt")


@dataclass(frozen=True)
class StringRecord:
    """A call of a str method, with the result or the exception that CPython's test expects."""

    method: str
    text: str
    args: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    raises: Any = None  # a class of exceptions, or a tuple of them
    is_checked: bool = True  # False: the test calls the method and looks at nothing


@dataclass(frozen=True)
class MathRecord:
    """A call of a function of math: its argument as text, and the result or exception."""

    name: str
    argument: str
    result: float
    raises: type[Exception] | None
    is_sign_open: bool


def is_installed() -> bool:
    """Whether the interpreter has its tests."""
    return importlib.util.find_spec("test.string_tests") is not None


class _Recorder:
    type2test = str
    records: list[StringRecord]

    def checkequal(self, result: Any, text: str, method: str, *args: Any, **keywords: Any) -> None:
        self.records.append(StringRecord(method, text, args, keywords, result))

    def checkraises(
        self, raises: Any, text: str, method: str, *args: Any, expected_msg: str | None = None
    ) -> None:
        self.records.append(StringRecord(method, text, args, raises=raises))

    def checkcall(self, text: str, method: str, *args: Any) -> None:
        self.records.append(StringRecord(method, text, args, is_checked=False))


@functools.cache
def string_records() -> tuple[StringRecord, ...]:
    """Every call that the mixins make, in the same order each time; empty without the package."""
    if not is_installed():
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        string_tests = importlib.import_module("test.string_tests")
    mixins = [getattr(string_tests, name) for name in MIXINS if hasattr(string_tests, name)]
    records: list[StringRecord] = []
    recorder = type("Recorded", (_Recorder, *mixins, unittest.TestCase), {"records": records})
    with mock.patch.multiple(random, **_seeded("choices", "randrange")):
        unittest.defaultTestLoader.loadTestsFromTestCase(recorder).run(unittest.TestResult())
    return tuple(records)


def _seeded(*names: str) -> dict[str, Any]:
    """The functions of a seeded generator: some of the mixins' texts are random."""
    seeded = random.Random(1)
    return {name: getattr(seeded, name) for name in names}


@functools.cache
def math_records() -> tuple[MathRecord, ...]:
    """The rows of CPython's table of math functions; empty without the package."""
    if not is_installed():
        return ()
    (folder,) = importlib.import_module("test").__path__
    (path,) = (Path(folder) / name for name in MATH_FILES if (Path(folder) / name).exists())
    return tuple(_math_rows(path.read_text(encoding="utf-8")))


def _math_rows(text: str) -> Iterator[MathRecord]:
    for line in text.splitlines():
        row = line.partition("--")[0].replace("->", " ").split()
        if row:
            _, name, argument, result, *flags = row
            yield MathRecord(
                name, argument, float(result), _exception(flags), "ignore-sign" in flags
            )


def _exception(flags: list[str]) -> type[Exception] | None:
    if {"invalid", "divide-by-zero"} & set(flags):
        return ValueError
    return OverflowError if "overflow" in flags else None
