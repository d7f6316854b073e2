"""Hypothesis profiles and the fixture that runs a test on every backend."""

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from batchprep.run.compiling import BACKGROUND

pytest_plugins = ["tests.fuzz.summary"]

BACKENDS = ("python", "numpy", "numba")

# A first example may compile a kernel for seconds: no deadline anywhere, and slowness is no fault.
SLOW = [HealthCheck.too_slow]

settings.register_profile("dev", deadline=None, suppress_health_check=SLOW)
settings.register_profile(
    "ci", deadline=None, suppress_health_check=SLOW, derandomize=True, database=None
)
settings.register_profile(
    "nightly", deadline=None, suppress_health_check=SLOW, max_examples=2000, print_blob=True
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


@pytest.fixture(autouse=True, scope="session")
def _own_kernel_cache():
    """Kernels of the tests stay out of the user's cache."""
    if "BATCHPREP_CACHE_DIR" in os.environ:
        yield
        return
    # A process that compiles may still be writing there.
    with tempfile.TemporaryDirectory(
        "", "batchprep-kernels-", ignore_cleanup_errors=True
    ) as folder:
        os.environ["BATCHPREP_CACHE_DIR"] = folder
        yield
        BACKGROUND.stop()  # what compiles would finish what it is at, and write it there
        del os.environ["BATCHPREP_CACHE_DIR"]


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param
