"""What the caller hands over, as batches."""

from batchprep.records.open import open_source
from batchprep.records.source import ROWS, Source, SourceKind

__all__ = ["ROWS", "Source", "SourceKind", "open_source"]
