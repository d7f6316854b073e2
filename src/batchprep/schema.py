"""What is known of a field before any row is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from batchprep.dtypes import INT64_MAX, INT64_MIN, Kind

RecordForm = Literal["mapping", "attributes"]


@dataclass(frozen=True)
class Field:
    """Kinds that the values of a field may have ("absent" among them).

    `low` and `high` bound its ints where the type of the column does (int8, uint32, ...).
    """

    name: str
    kinds: frozenset[Kind]
    low: int = INT64_MIN
    high: int = INT64_MAX


class Schema(Protocol):
    """What the front end may ask about records; it never sees a batch."""

    @property
    def form(self) -> RecordForm:
        """How fields are read: r["a"] (mapping) or r.a (attributes)."""
        ...

    @property
    def closed(self) -> bool:
        """Whether names() are all that any record has."""
        ...

    def field(self, name: str) -> Field:
        """The field of that name; kinds == {"absent"} where no record has it."""
        ...

    def names(self) -> tuple[str, ...]:
        """The known names, for messages that suggest the nearest."""
        ...
