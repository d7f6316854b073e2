"""Batches through compiled stages: chunks, threads, splicing, and the report of what ran where."""
