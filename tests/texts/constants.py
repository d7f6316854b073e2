"""What the table's row functions read from outside: patterns, tables, enums, a dataclass."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from types import MappingProxyType

WORD = re.compile(r"\w+")
DIGITS = re.compile(r"\d+")
ASCII_DIGITS = re.compile(r"\d+", re.ASCII)
CODE = re.compile(r"(?P<letters>[A-Z]+)-(?P<number>\d+)")
CODE_ANY_CASE = re.compile(r"([a-z]+)-(\d+)", re.IGNORECASE)
SPACES = re.compile(r"\s+")
MAIL = re.compile(r"^\s*([\w.+-]+)@([\w-]+(?:\.[\w-]+)*)\s*$")
VERBOSE = re.compile(
    r"""
    (\d+)   # major
    \.(\d+) # minor
    """,
    re.VERBOSE,
)

COUNTRIES = {"NO": "Norway", "PL": "Poland", "IE": "Ireland", "JP": "Japan", "ß": "Eszett"}
VAT = {"NO": 25, "PL": 23, "IE": 23, "JP": 10}
MIXED = {
    1: "int",
    "1": "text",
    None: "none",
    0: "zero",
    2.5: "float",
    "NO": 0,
    (1, "a"): "pair",
}
NESTED = {"NO": {"vat": 25, "names": ("Norge", "Noreg")}, "PL": {"vat": 23, "names": ("Polska",)}}
PAIRS = {("NO", "PL"): 1, ("PL", "NO"): 2, ("NO", "NO"): 3}
EUROPE = {"NO", "PL", "IE"}
FROZEN = frozenset({"NO", "", "東", None, 7})
TIERS = ["gold", "silver", "bronze"]
ORDERED = ("NO", "PL", "IE")
STOP_WORDS = ("the", "a", "an")
READ_ONLY = MappingProxyType(VAT)
TABLE_OF_CHARACTERS = str.maketrans({"a": "1", "ß": "ss", "\n": None})
VOWELS = "aeiouAEIOU"
PREFIXES = ("a", "AB", "x", "ß")
THRESHOLD = 3


class Color(enum.Enum):
    """A plain enum."""

    RED = "NO"
    BLUE = "PL"


class Level(enum.IntEnum):
    """An enum whose members are ints."""

    LOW = 1
    HIGH = 7


@dataclass(frozen=True)
class Settings:
    """Constants that travel together."""

    separator: str = ","
    width: int = 8
    fallback: str = "n/a"
    table: MappingProxyType[str, int] = field(default_factory=lambda: READ_ONLY)
    codes: tuple[str, ...] = ORDERED


SETTINGS = Settings()
