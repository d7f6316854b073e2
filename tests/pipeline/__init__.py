"""Chains of steps against the nested loops that they stand for."""
