"""What cannot be compiled says nothing in these tests: most chains have a step that is not."""

import pytest

import batchprep as bp


@pytest.fixture(autouse=True)
def _quiet():
    with bp.use(on_unsupported="ignore"):
        yield
