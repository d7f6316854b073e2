"""Fixture that writes the expressions of the table into a module, so that they have a source."""

from tests.texts.conftest import written

__all__ = ["written"]
