"""Tables, and what a loop over their rows packs."""

import struct
from itertools import pairwise

import numpy as np
import pyarrow as pa

from batchprep.adapters.loader import open_loader


def loader(*tables, **options):
    return open_loader(lambda: iter(tables), **options)


def split(table, cuts):
    """The rows of a table as several, cut there."""
    bounds = [0, *sorted(cut % (table.num_rows + 1) for cut in cuts), table.num_rows]
    return [table.slice(a, b - a) for a, b in pairwise(bounds)]


def as_float32(value):
    """The value as C's float: struct rounds as the hardware does."""
    return struct.unpack("f", struct.pack("f", value))[0]


def numbered(rows):
    """Rows that are told apart by both of their features and by their label."""
    numbers = np.arange(rows)
    return pa.table({"n": numbers, "half": numbers / 2, "label": numbers * 3})


def emitted(batches):
    """Numbers of the rows of numbered() in the order in which they left."""
    order = []
    for x, y in batches:
        assert (x[:, 1] * 2 == x[:, 0]).all()
        assert (y == x[:, 0] * 3).all()
        order += x[:, 0].astype(int).tolist()
    return order
