import sys

import numpy as np
import pyarrow as pa
import pytest
import torch

from tests.feed.tables import loader, numbered


@pytest.mark.parametrize("shuffle", [False, True])
def test_each_batch_is_writable_memory_that_nobody_else_holds(shuffle):
    batches = iter(loader(numbered(7), batch_size=3, label="label", shuffle=shuffle))
    taken = []
    for x, y in batches:
        for part in (x, y):
            assert part.flags.c_contiguous
            assert part.flags.writeable
            assert part.flags.owndata
            assert not any(np.shares_memory(part, other) for other in taken)
        taken += [x, y]
    del x, y, part

    assert [len(part) for part in taken] == [3, 3, 3, 3, 1, 1]
    assert {sys.getrefcount(taken[number]) for number in range(len(taken))} == {2}


def test_a_batch_is_let_go_of_while_the_loop_still_runs():
    batches = iter(loader(numbered(2), batch_size=2))
    x = next(batches)

    assert sys.getrefcount(x) == 2
    batches.close()


def test_writing_into_a_batch_leaves_the_table_as_it_was():
    table = pa.table({"a": pa.array([1, 2], pa.float32())})

    for x in loader(table, batch_size=2):
        x[:] = -1

    assert table["a"].to_pylist() == [1, 2]


def test_a_tensor_is_the_packed_memory_itself():
    from batchprep.adapters.torch import torch_buffers

    buffers = torch_buffers("cpu")
    array = buffers.empty((3, 2), np.dtype(np.float32))
    tensor = buffers.hand_over(array)

    assert tensor.data_ptr() == array.ctypes.data
    assert (tensor.dtype, tuple(tensor.shape)) == (torch.float32, (3, 2))


def test_tensors_hold_what_the_arrays_hold():
    options = {"batch_size": 3, "label": "label", "shuffle": True}
    arrays = list(loader(numbered(7), **options))
    tensors = list(loader(numbered(7), to="torch", **options))

    for (x, y), (features, labels) in zip(arrays, tensors, strict=True):
        assert isinstance(features, torch.Tensor)
        assert (features.dtype, labels.dtype) == (torch.float32, torch.int64)
        assert features.is_contiguous()
        assert (features.numpy() == x).all()
        assert (labels.numpy() == y).all()


def train():
    values = np.random.default_rng(0).random((512, 2))
    table = pa.table({"a": values[:, 0], "b": values[:, 1], "y": values @ [2.0, -3.0] + 0.5})
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    batches = loader(table, batch_size=64, label=["y"], shuffle=True, to="torch")
    for _ in range(30):
        for x, y in batches:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return [*model.weight.tolist()[0], *model.bias.tolist()]


def test_a_regression_learns_its_coefficients_and_learns_them_alike_each_time():
    first = train()

    assert first == pytest.approx([2.0, -3.0, 0.5], abs=0.01)
    assert train() == first
