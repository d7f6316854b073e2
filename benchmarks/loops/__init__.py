"""Loops in numba, written by hand: the limits that the tasks are compared with."""
