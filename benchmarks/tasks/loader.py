"""A shuffled epoch of training batches: a row function's features as torch tensors."""

from __future__ import annotations

import importlib.util
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from benchmarks import contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run, skipped
from benchmarks.tasks import wide
from benchmarks.timing import seconds_of

if TYPE_CHECKING:
    import torch

TITLE: Final = "A shuffled epoch, four features a row, into torch in batches of 4,096"
BATCH: Final = 4_096
SEED: Final = 0
FEW: Final = 100_000  # where row by row ends
CONTESTANTS: Final = Contestants()
Record = dict[str, Any]
Batches = Iterable[tuple[Any, Any]]
Epoch = Callable[[Any], Any]


def features(r: Record) -> Record:
    value = r["price"] * r["volume"]
    return {
        "root": value**0.5,
        "rate": r["clicks"] / r["views"] if r["views"] > 0 else 0.0,
        "discount": min(max(r["discount"], 0.0), 0.9),
        "volume": r["volume"],
        "id": r["id"],
    }


NAMES: Final = ("root", "rate", "discount", "volume")
READ: Final = ("price", "volume", "clicks", "views", "discount", "id")


class Consumer:
    """A training loop's place: the first epoch is kept to be checked, later ones go by."""

    def __init__(self) -> None:
        self._first = True

    def __call__(self, batches: Batches) -> list[Any] | None:
        if self._first:
            self._first = False
            return list(batches)
        deque(batches, maxlen=0)
        return None


def measure(run: Run) -> list[Case]:
    """Medians per size; the label is the row's number, by which an epoch is checked."""
    sizes = run.sizes(full=(FEW, 1_000_000), quick=(10_000,))
    return [_case(run, rows) for rows in sizes]


def _case(run: Run, rows: int) -> Case:
    if run.over:
        return skipped({}, rows)
    if importlib.util.find_spec("torch") is None:
        return skipped({}, rows, "torch is not installed")
    run.say(f"loader, {rows:,} rows: making them")
    table = wide.table(rows).append_column("id", pa.array(np.arange(rows))).select(READ)
    data = {"arrow": table, "records": table.to_pylist()}
    expected = matrix([features(r) for r in data["records"]])
    epoch = _row_loop(rows)
    once = seconds_of(lambda: epoch(data["records"]))
    run.say(f"loader, {rows:,} rows")
    return contest.hold(
        run,
        CONTESTANTS,
        rows,
        data,
        partial(check, expected),
        labels={},
        rows=rows,
        once=once,
        effort=run.scale.slow_effort,
    )


def matrix(rows: list[Record]) -> np.ndarray:
    """Features of each row, as float32."""
    return np.array([[r[name] for name in NAMES] for r in rows], np.float32)


def check(expected: np.ndarray, name: str, batches: list[Any]) -> Rounding:
    """That the epoch has every row once, with the row loop's features, in another order."""
    x = np.concatenate([np.asarray(x) for x, _ in batches])
    y = np.concatenate([np.asarray(y) for _, y in batches])
    if sorted(y.tolist()) != list(range(len(expected))):
        raise WrongAnswerError(name, "the epoch has not every row once")
    if (y[:-1] < y[1:]).all():
        raise WrongAnswerError(name, "the epoch is not shuffled")
    if x.dtype != np.float32 or not np.array_equal(x, expected[y]):
        raise WrongAnswerError(name, "features differ from the row loop's")
    if any(len(x) != BATCH for x, _ in batches[:-1]):
        raise WrongAnswerError(name, f"batches are not of {BATCH:,} rows")
    return Rounding()


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep loader", settles=True)
def _batchprep(rows: int) -> Epoch:
    import batchprep as bp

    pipe = bp.Pipeline().map(features)
    consume = Consumer()
    kept: list[Any] = []

    def epoch(table: pa.Table) -> Any:
        if not kept:
            # A window of all rows: the others shuffle all of them, too.
            loader = pipe.loader(
                table,
                batch_size=BATCH,
                label="id",
                shuffle=True,
                seed=SEED,
                to="torch",
                window_rows=rows,
            )
            kept.append(loader)
        return consume(kept[0])

    return epoch


@CONTESTANTS.enter(ROW_LOOP, "row loop, batches by hand", given="records", most_rows=FEW)
def _row_loop(_rows: int) -> Epoch:
    import torch

    consume = Consumer()

    def batches(records: list[Record]) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for places in _places(len(records)):
            rows = [features(records[i]) for i in places.tolist()]
            yield torch.from_numpy(matrix(rows)), torch.tensor([r["id"] for r in rows])

    return lambda records: consume(batches(records))


@CONTESTANTS.enter("torch_rows", "DataLoader over rows", given="records", most_rows=FEW)
def _torch_rows(_rows: int) -> Epoch:
    """A Dataset whose item is one row, as tutorials have it."""
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __init__(self, records: list[Record]) -> None:
            self.records = records

        def __len__(self) -> int:
            return len(self.records)

        def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
            row = features(self.records[i])
            return torch.tensor([row[name] for name in NAMES]), row["id"]

    consume = Consumer()
    return lambda records: consume(DataLoader(Rows(records), BATCH, shuffle=True))


@CONTESTANTS.enter("torch_arrays", "DataLoader over arrays")
def _torch_arrays(_rows: int) -> Epoch:
    """The features by NumPy, then a TensorDataset, whose DataLoader takes row by row."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    consume = Consumer()

    def batches(table: pa.Table) -> Iterable[Any]:
        x, y = _arrays(table)
        tensors = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
        return DataLoader(tensors, BATCH, shuffle=True)

    return lambda table: consume(batches(table))


@CONTESTANTS.enter("numpy", "NumPy, take per batch")
def _numpy(_rows: int) -> Epoch:
    """The features by NumPy, then one take per batch: the least that an epoch costs in arrays."""
    import torch

    consume = Consumer()

    def batches(table: pa.Table) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        x, y = _arrays(table)
        for places in _places(len(y)):
            yield torch.from_numpy(x[places]), torch.from_numpy(y[places])

    return lambda table: consume(batches(table))


def _arrays(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    column = {name: table[name].to_numpy() for name in table.column_names}
    clicks, views, volume = (column[name] for name in ("clicks", "views", "volume"))
    x = np.empty((table.num_rows, len(NAMES)), np.float32)
    x[:, 0] = (column["price"] * volume) ** 0.5
    x[:, 1] = np.divide(clicks, views, where=views > 0, out=np.zeros(len(views)))
    x[:, 2] = np.clip(column["discount"], 0.0, 0.9)
    x[:, 3] = volume
    return x, column["id"].copy()


def _places(rows: int) -> list[np.ndarray]:
    order = np.random.default_rng(SEED).permutation(rows)
    return [order[start : start + BATCH] for start in range(0, rows, BATCH)]
