"""Expressions -> stages: fold, share, prune. Pure: dtypes by name, no array library."""
