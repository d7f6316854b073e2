"""The mark of functions whose authors vouch that they only give a value."""

from __future__ import annotations

from typing import Any, Final

MARK: Final = "__batchprep_pure__"


def is_marked(function: Any) -> bool:
    """Whether @bp.pure stands above the function."""
    return getattr(function, MARK, False) is True
