"""A loader whose batches are NumPy arrays or torch tensors, by name."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from batchprep.adapters.torch import torch_buffers
from batchprep.errors.messages import bad_option_text
from batchprep.feed import NUMPY, Buffers, Loader
from batchprep.feed.epoch import Tables
from batchprep.feed.messages import numpy_device_text

To = Literal["numpy", "torch"]
DEVICES: Final = ("auto", "cpu", "cuda")


def open_loader(
    tables: Tables, *, to: To = "numpy", device: str = "auto", **options: Any
) -> Loader:
    """Loader of arrays (to="numpy") or tensors (to="torch") on that device.

    `options` are the Loader's own. "auto" is the CPU; "cuda:1" is the second GPU.

    Errors:  ValueError for a word that is none of these, or a GPU that is not there; ImportError
             where torch is not installed
    """
    return Loader(tables, buffers=_buffers(to, device), **options)


def _buffers(to: str, device: str) -> Buffers:
    if device not in DEVICES and not re.fullmatch(r"cuda:\d+", device):
        raise ValueError(bad_option_text("device", device, DEVICES))
    if to == "torch":
        return torch_buffers(device)
    if to != "numpy":
        raise ValueError(bad_option_text("to", to, ("numpy", "torch")))
    if device.startswith("cuda"):
        raise ValueError(numpy_device_text(device))
    return NUMPY
