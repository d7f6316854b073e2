"""Benchmarks: row functions through batchprep against the row loop, and against its peers."""
