"""Write data preparation one row at a time; it runs as columns, with exactly the loop's results.

>>> import batchprep as bp
>>> f = bp.vectorize(lambda r: r["price"] * r["volume"])
>>> f([{"price": 2.5, "volume": 4}, {"price": 0.5, "volume": 3}])
[10.0, 1.5]

Where to go on:

vectorize       a function of one record, over many at once
vectorize_loop  a whole function with its loop over the records
Pipeline        filter, map, ... from files (scan) to files, tables or tensors
explain()       of each of them: which lines are compiled, and why others are not
use             options for a block: backend, on_error, on_unsupported, ...
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


def __dir__() -> list[str]:
    """The public names: what is completed behind `batchprep.`, without the packages inside."""
    return sorted([*__all__, "__version__", "__doc__", "__name__", "__file__", "__path__"])
