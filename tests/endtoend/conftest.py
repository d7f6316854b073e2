"""Real flights and airports, read as the demo reads them."""

import airportsdata
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.cli.records import flights as all_flights

EVERY = 29  # of the flights: all months, carriers and kinds of missing values are still there


@pytest.fixture(autouse=True)
def one_backend():
    """What runs where is not the question here."""
    with bp.use(backend="numpy", on_unsupported="ignore"):
        yield


@pytest.fixture(scope="session")
def all_of_them():
    return all_flights()


@pytest.fixture(scope="session")
def flights(all_of_them):
    return all_of_them.take(list(range(0, all_of_them.num_rows, EVERY))).combine_chunks()


@pytest.fixture(scope="session")
def airports():
    """7,884 airports, with names in any script and empty texts among them."""
    return pa.Table.from_pylist(list(airportsdata.load("IATA").values()))
