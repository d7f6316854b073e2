"""The table as cases: group, name, function or its text, and the fields that it reads."""

from __future__ import annotations

import re
from typing import Final

from tests.tables.cases import expressions_of, functions_of, groups_of
from tests.texts import expressions, expressions_formats, expressions_lookups
from tests.texts.functions import FUNCTIONS

# A field that is only written, as in r["length"] = 3, is none that a record has.
FIELD: Final = re.compile(r"""\br(?:\[|\.get\()["'](\w+)["'](?!\] = )""")
MODULES: Final = (expressions, expressions_formats, expressions_lookups)


def _fields(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(FIELD.findall(text))) or ("s",)


CASES: Final = (*expressions_of(MODULES, _fields), *functions_of(FUNCTIONS, _fields))
GROUPS: Final = groups_of(CASES)
