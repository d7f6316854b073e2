"""Seeded faults, each of which a fast part of the suite must catch."""
