"""Results handed back as polars: a Series, or a DataFrame where the function returns dicts.

polars itself is not imported here: the class of the caller's frame makes the new one.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def from_arrow(result: Any, frame: Any, name: str) -> Any:
    """The Arrow result as the polars type that corresponds to it: a Series gets the name."""
    make = type(frame)
    if isinstance(result, pa.Table):
        return make(result)
    return make(pa.table([result], names=[name])).to_series(0)
