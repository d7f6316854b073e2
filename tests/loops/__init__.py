"""Whole loops: vectorize_loop gives what the loop gives, and compiles what it should."""
