"""Loads the shared cases, and gives their functions the same clock and chance each time."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import itertools
import random
import sys
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
ABSENT = f"the shared cases are not at {FOLDER.parent.name}/{FOLDER.name} beside the checkout"


def load() -> ModuleType | None:
    """The module of the cases; None where the folder is absent."""
    if not FOLDER.is_dir():
        return None
    with mock.patch.object(sys, "path", [str(FOLDER), *sys.path]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _import_without_bytecode()


def _import_without_bytecode() -> ModuleType:
    with mock.patch.object(sys, "dont_write_bytecode", True):
        return importlib.import_module("open_cases")


CASES = load()


def record_cases(*, vectorisable: bool) -> list[Any]:
    """The cases whose function takes one record."""
    cases = CASES.CASES if CASES else []
    return [c for c in cases if c.dialect == "record" and c.vectorisable is vectorisable]


def clean_rows(case: Any, count: int, seed: int) -> list[dict[str, Any]]:
    """Rows of the case without the damage that its generator does to some of them."""
    with mock.patch.object(CASES, "spoil", lambda rows, seed, p=0.0, **spec: rows):
        return case.make(count, seed)


class _Noon(dt.datetime):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> _Noon:
        return cls(2024, 6, 1, 12, tzinfo=tz)


def _uuid(number: int) -> uuid.UUID:
    return uuid.UUID(int=number)


@contextlib.contextmanager
def same_world() -> Iterator[None]:
    """The same clock, random numbers, uuids and module state at each entry."""
    with (
        mock.patch.object(CASES, "datetime", _Noon),
        mock.patch.object(uuid, "uuid4", side_effect=map(_uuid, itertools.count())),
        mock.patch.object(CASES, "SEEN_DEPOTS", {}),
    ):
        random.seed(11)
        yield
