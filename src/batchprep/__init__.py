"""Row functions, run as exact columnar kernels on Arrow batches.

>>> import batchprep as bp
>>> f = bp.vectorize(lambda r: r["price"] * r["volume"])
>>> f([{"price": 2.5, "volume": 4}, {"price": 0.5, "volume": 3}])
[10.0, 1.5]
"""

from batchprep.api import (
    Batch,
    Explanation,
    FallbackWarning,
    Report,
    Unsupported,
    Vectorized,
    from_arrow,
    from_records,
    last_report,
    use,
    vectorize,
)

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "Explanation",
    "FallbackWarning",
    "Report",
    "Unsupported",
    "Vectorized",
    "from_arrow",
    "from_records",
    "last_report",
    "use",
    "vectorize",
]
