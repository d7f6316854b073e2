"""The table as cases: group, name, function or its text, and the fields that it reads."""

from __future__ import annotations

import re
from typing import Final

from tests.objects import expressions_numbers, expressions_tables, expressions_times, values
from tests.objects.functions import FUNCTIONS
from tests.tables.cases import expressions_of, functions_of, groups_of

FIELD: Final = re.compile(r"""\br(?:\[|\.get\()\\?["'](\w+)\\?["']""")
MODULES: Final = (expressions_numbers, expressions_times, expressions_tables)
WHOLE: Final = ("n", "k", "x")  # of a function that reads the record as a whole


def _fields(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(name for name in FIELD.findall(text) if name in values.PLAIN)
    return tuple(found) or WHOLE


CASES: Final = (*expressions_of(MODULES, _fields), *functions_of(FUNCTIONS, _fields))
GROUPS: Final = groups_of(CASES)
