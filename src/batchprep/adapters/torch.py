"""Batches handed over as torch tensors: the packed memory itself, or a copy of it on a GPU."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from batchprep.errors.messages import missing_package_text
from batchprep.feed.block import Array, Buffers, Shape
from batchprep.feed.loader import Loader
from batchprep.feed.messages import no_cuda_text

PURPOSE: Final = 'to="torch"'


def torch_buffers(device: str) -> Buffers:
    """Buffers whose batches leave as tensors on the device: "auto", "cpu", "cuda" or "cuda:1".

    "auto" is the CPU.

    Errors:  ImportError where torch is not installed, ValueError where it sees no such GPU
    """
    torch = _torch()
    if device in {"auto", "cpu"}:
        return OnCpu()
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (torch.device(device).index or 0) >= count:
        raise ValueError(no_cuda_text(device, count))
    return OnCuda(device)


class OnCpu:
    """NumPy's memory, seen as a tensor without a copy."""

    def empty(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        """Memory that the tensor will keep alive."""
        return np.empty(shape, dtype)

    def hand_over(self, array: Array) -> Any:
        """Tensor over the same memory."""
        return _torch().from_dlpack(array)


class OnCuda:
    """Page-locked memory, from which the GPU copies while the loop computes."""

    def __init__(self, device: str) -> None:
        self.device = device

    def empty(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        """Memory of a pinned tensor, which the array keeps alive."""
        torch = _torch()
        pinned = torch.empty(shape, dtype=getattr(torch, dtype.name), pin_memory=True)
        return pinned.numpy()

    def hand_over(self, array: Array) -> Any:
        """Tensor on the GPU, copied on its default stream: what runs there finds it complete.

        torch does not reuse the pinned memory before the copy is done.
        """
        return _torch().from_numpy(array).to(self.device, non_blocking=True)


def train_linear(loader: Loader, *, epochs: int) -> list[float]:
    """Mean loss of each epoch of a linear model that learns from the loader's batches."""
    torch = _torch()
    torch.manual_seed(0)
    model = torch.nn.Linear(len(loader.features), 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses: list[float] = []
    for _ in range(epochs):
        epoch: list[float] = []
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            epoch.append(loss.item())
        losses.append(sum(epoch) / len(epoch))
    return losses


def _torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":  # torch is there, and lacks something itself
            raise
        raise ImportError(missing_package_text("torch", "torch", PURPOSE)) from None
    return torch
