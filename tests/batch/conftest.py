"""Readers of dicts: all threads read even a few of them."""

import pytest

from batchprep.batch import record_reader
from tests.batch.readers import READERS


@pytest.fixture(scope="module", params=["plain", "helped", "learning"])
def reader(request):
    return READERS[request.param]


@pytest.fixture(scope="module", autouse=True)
def _helpers_for_few():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(record_reader, "SHARED_ROWS", 300)
        yield
