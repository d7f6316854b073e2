"""Row functions, run as exact columnar kernels on Arrow batches.

>>> import batchprep as bp
>>> f = bp.vectorize(lambda r: r["price"] * r["volume"])
>>> f([{"price": 2.5, "volume": 4}, {"price": 0.5, "volume": 3}])
[10.0, 1.5]
"""

from batchprep.api import (
    Batch,
    Explanation,
    Expression,
    FallbackWarning,
    Loader,
    LoopExplanation,
    NotFittedError,
    OrdinalEncoder,
    Pipeline,
    Precompiled,
    Report,
    Scan,
    StandardScaler,
    Unsupported,
    Vectorized,
    VectorizedLoop,
    col,
    from_arrow,
    from_records,
    last_report,
    lit,
    precompile,
    pure,
    scan,
    use,
    vectorize,
    vectorize_loop,
    when,
)

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "Explanation",
    "Expression",
    "FallbackWarning",
    "Loader",
    "LoopExplanation",
    "NotFittedError",
    "OrdinalEncoder",
    "Pipeline",
    "Precompiled",
    "Report",
    "Scan",
    "StandardScaler",
    "Unsupported",
    "Vectorized",
    "VectorizedLoop",
    "col",
    "from_arrow",
    "from_records",
    "last_report",
    "lit",
    "precompile",
    "pure",
    "scan",
    "use",
    "vectorize",
    "vectorize_loop",
    "when",
]
