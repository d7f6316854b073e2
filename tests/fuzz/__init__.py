"""Differential fuzzing: random row functions and records, compared with the row loop."""
