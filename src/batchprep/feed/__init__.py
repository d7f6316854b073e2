"""Result tables as row-major batches for training loops: packed, shuffled, prefetched."""

from batchprep.feed.block import NUMPY, Buffers
from batchprep.feed.loader import Loader

__all__ = ["NUMPY", "Buffers", "Loader"]
