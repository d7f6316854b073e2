"""Files as sources: Parquet, CSV, NDJSON and Arrow, from disk or wherever fsspec leads."""

from batchprep.records.scan.provisional import settled, tried
from batchprep.records.scan.ranges import Range, Skip
from batchprep.records.scan.scanned import Scan, scan
from batchprep.records.scan.source import FileSource

__all__ = ["FileSource", "Range", "Scan", "Skip", "scan", "settled", "tried"]
