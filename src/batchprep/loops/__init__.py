"""Whole loops: a function that goes over its records, as column code and updates of its state."""
