"""What ends the work in columns: the loop itself runs from there on."""

from __future__ import annotations

from batchprep.errors import Unsupported


class GoOn(Exception):  # noqa: N818  no error: the loop itself runs from there on
    """Rows that only the loop itself is known to do as it should."""

    def __init__(self, reason: str, verdict: Unsupported | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.verdict = verdict
