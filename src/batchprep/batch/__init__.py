"""Batches: named columns over the caller's own rows."""

from batchprep.batch.batch import Batch, from_arrow, from_records
from batchprep.batch.column import Column
from batchprep.batch.result import arrow_column, changed_as_double

__all__ = ["Batch", "Column", "arrow_column", "changed_as_double", "from_arrow", "from_records"]
