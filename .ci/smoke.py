"""An installed batchprep imports, carries its kernels, and agrees with the row loop."""

from importlib.resources import files
from pathlib import Path

import batchprep as bp


def root_value(r):
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value**0.5
    return None


RECORDS = [
    {"price": 10.5, "volume": 100},
    {"price": 820.25, "volume": 64},
    {"price": 0.0, "volume": 10**6},
]


def main():
    package = Path(bp.__file__).parent
    kernels = files("batchprep.kernels")
    assert "site-packages" in package.parts, f"the checkout was imported: {package}"
    assert (package / "py.typed").is_file(), "py.typed is missing"
    assert kernels.joinpath("cpu", "__init__.py").is_file(), "batchprep/kernels/cpu is missing"
    assert kernels.joinpath("cuda").is_dir(), "batchprep/kernels/cuda is missing"

    expected = [root_value(record) for record in RECORDS]
    for backend in ("python", "numpy", "numba"):
        got = bp.vectorize(root_value, backend=backend)(RECORDS)
        assert got == expected, f"{backend}: {got} instead of {expected}"
    print(f"batchprep {bp.__version__} in {package.parent}: {expected}")


main()
