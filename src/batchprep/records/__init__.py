"""What the caller hands over, as batches."""

from batchprep.records.open import open_source
from batchprep.records.scan import Scan, scan
from batchprep.records.source import ROWS, Source, SourceKind

__all__ = ["ROWS", "Scan", "Source", "SourceKind", "open_source", "scan"]
