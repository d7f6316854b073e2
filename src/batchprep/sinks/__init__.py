"""Where rows are written: Parquet, CSV, NDJSON and Arrow files, and folders of them."""

from batchprep.sinks.failures import FailuresSink, failures_sink
from batchprep.sinks.open import check_target, open_sink
from batchprep.sinks.sink import Sink

__all__ = ["FailuresSink", "Sink", "check_target", "failures_sink", "open_sink"]
