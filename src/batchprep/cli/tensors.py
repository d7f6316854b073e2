"""The end of the demo: flights as tensors, and a model that learns from them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final

from batchprep.api import OrdinalEncoder, Pipeline, StandardScaler
from batchprep.cli import row_functions

BATCH: Final = 4_096
EPOCHS: Final = 3


def has_arrived(r: dict[str, Any]) -> bool:
    """Whether the flight landed, so that it has a speed and a delay."""
    return r["air_time"] is not None and r["arr_delay"] is not None


def example(r: dict[str, Any]) -> dict[str, Any]:
    """Features of a flight, and how late it was in hours."""
    row = row_functions.features(r)
    return {**row, "late": r["arr_delay"] / 60}


def tensors(flights: Any) -> list[str]:
    """Lines that tell of the batches, and of a training loop where torch is installed."""
    pipe = Pipeline().filter(has_arrived).map(example)
    pipe = pipe.transform(StandardScaler(["speed", "delay"]), OrdinalEncoder(["carrier"]))
    pipe = pipe.fit(flights)
    loader = pipe.loader(flights, batch_size=BATCH, label="late", shuffle=True, seed=0)
    shapes = [(x.shape, x.dtype) for x, _ in loader]
    first = f"{len(shapes)} batches, the first {shapes[0][0]} of {shapes[0][1]}"
    lines = [f"tensors: {', '.join(loader.features)} -> {first}"]
    if find_spec("torch") is None:
        return [*lines, "a training loop on them: pip install 'batchprep[torch]'"]
    from batchprep.adapters.torch import train_linear

    torch_loader = pipe.loader(
        flights, batch_size=BATCH, label="late", shuffle=True, seed=0, to="torch"
    )
    losses = train_linear(torch_loader, epochs=EPOCHS)
    told = ", ".join(f"{loss:.3f}" for loss in losses)
    return [*lines, f"linear model in torch, mean squared error by epoch: {told}"]
