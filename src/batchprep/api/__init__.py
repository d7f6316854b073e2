"""The public face: what `import batchprep as bp` offers."""

from batchprep.api.explain import Explanation
from batchprep.api.options import use
from batchprep.api.reports import last_report
from batchprep.api.vectorized import Vectorized, vectorize
from batchprep.batch.batch import Batch, from_arrow, from_records
from batchprep.errors import FallbackWarning, Unsupported
from batchprep.run.report import Report

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
