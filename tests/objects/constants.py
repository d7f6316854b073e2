"""What the table's row functions read from outside: enums, tables, dataclasses, numbers, zones."""

from __future__ import annotations

import enum
import operator
import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple
from zoneinfo import ZoneInfo

CENT = Decimal("0.01")
VAT = Decimal("0.25")
LIMIT = Decimal(100)
THIRD = Fraction(1, 3)
UNIT = 1j
MAGIC = b"NO"
SEPARATOR = b","

OSLO = ZoneInfo("Europe/Oslo")
NEW_YORK = ZoneInfo("America/New_York")
INDIA = timezone(timedelta(hours=5, minutes=30), "IST")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAIVE = datetime(2024, 3, 31, 2, 30)  # noqa: DTZ001  no such time in Oslo
NOON = time(12)
NOON_UTC = time(12, tzinfo=UTC)
SHIFTS = (time(6), time(14), time(22))
ZONES = {"NO": OSLO, "US": NEW_YORK, "IN": INDIA}


class Color(enum.Enum):
    """A plain enum."""

    RED = "NO"
    BLUE = "PL"
    GREEN = "IE"

    @property
    def is_warm(self) -> bool:
        """What a property of a member gives."""
        return self is Color.RED

    def label(self) -> str:
        """What a method of a member gives."""
        return self.name.lower()


class Level(enum.IntEnum):
    """Members that are ints."""

    LOW = 1
    MIDDLE = 3
    HIGH = 7


class Tier(enum.StrEnum):
    """Members that are texts."""

    GOLD = "gold"
    SILVER = "silver"


class Right(enum.Flag):
    """Members that combine."""

    READ = 1
    WRITE = 2


BY_COLOR = {Color.RED: "warm", Color.BLUE: "cold"}
BY_LEVEL = {Level.LOW: "low", Level.HIGH: "high"}
RED_ONES = frozenset({Color.RED, Color.GREEN})
COLORS = {"NO": Color.RED, "PL": Color.BLUE}
NAN = float("nan")
MIXED = {1: "int", "1": "text", None: "none", 2.5: "float", NAN: "nan", (1, "a"): "pair", b"x": 0}
BY_INT = {0: "zero", 1: "one", 2**70: "huge", -1: None}
BY_PAIR = {("NO", 1): Decimal("0.5"), ("PL", 2): Decimal("0.7")}
NESTED = {"NO": {"vat": 25, "names": ["Norge", "Noreg"]}, "PL": {"vat": 23, "names": ["Polska"]}}
LISTS = {"NO": ["nordic"], "PL": ["baltic", "slavic"]}
RATES = {"NO": Decimal("0.25"), "PL": Decimal("0.23")}
READ_ONLY = MappingProxyType({"NO": 25, "PL": 23, "IE": None})
READ_ONLY_LISTS = MappingProxyType({"NO": ["nordic"]})
READ_ONLY_NESTED = MappingProxyType({"NO": MappingProxyType({"vat": 25})})
CODES = ("NO", "PL", "NO", "", 1, None)
TIERS = ["gold", "silver", "bronze"]
DECIMALS = (Decimal(1), Decimal("2.50"), Decimal("19.99"))
OPS = {"add": operator.add, "mul": operator.mul}
NAMES_OF_FIELDS = operator.itemgetter("n", "k")
YEAR_AND_MONTH = operator.attrgetter("year", "month")
PAIR = re.compile(r"(\w)-(\d)")


@dataclass(frozen=True)
class Settings:
    """Constants that travel together, with methods."""

    rate: Decimal = VAT
    floor: int = 2
    codes: tuple[str, ...] = ("NO", "PL")

    def net(self, price: Decimal) -> Decimal:
        """A method that reads the constants."""
        return price / (1 + self.rate)

    @property
    def double(self) -> int:
        """A property of the constants."""
        return self.floor * 2

    @classmethod
    def clamp(cls, number: int) -> int:
        """A method of the class."""
        return max(number, cls().floor)

    @staticmethod
    def half(number: float) -> float:
        """A function in the class."""
        return number / 2


@dataclass(frozen=True)
class Point:
    """A result of its own type."""

    x: float
    y: float = 0.0


SETTINGS = Settings()


@dataclass(frozen=True)
class Rule:
    """A row of a table of rules."""

    code: str
    rate: Decimal
    floor: float = 0.0


class Band(NamedTuple):
    """A row of another."""

    limit: float
    label: str

    def holds(self, number: float) -> bool:
        """A method that reads the row."""
        return number < self.limit


RULES = [Rule("NO", VAT), Rule("PL", Decimal("0.23"), 10.0), Rule("IE", Decimal(0))]
RULE_OF = {rule.code: rule for rule in RULES}
BANDS = (Band(1.0, "low"), Band(100.0, "middle"), Band(float("inf"), "high"))
