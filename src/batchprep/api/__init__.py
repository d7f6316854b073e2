"""The public face: what `import batchprep as bp` offers."""

from batchprep.api.explain import Explanation
from batchprep.api.loops import LoopExplanation, VectorizedLoop, vectorize_loop
from batchprep.api.options import use
from batchprep.api.pipeline import Pipeline
from batchprep.api.precompile import Precompiled, precompile
from batchprep.api.pure import pure
from batchprep.api.reports import last_report
from batchprep.api.vectorized import Vectorized, vectorize
from batchprep.batch.batch import Batch, from_arrow, from_records
from batchprep.columns import Expression, col, lit, when
from batchprep.errors import FallbackWarning, Unsupported
from batchprep.feed import Loader
from batchprep.records import Scan, scan
from batchprep.run.report import Report
from batchprep.transforms import NotFittedError, OrdinalEncoder, StandardScaler

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
