import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feed.tables import emitted, loader, numbered, split

OPTIONS = {"batch_size": 4, "label": "label", "shuffle": True}


@given(
    st.integers(0, 60),
    st.integers(1, 70),
    st.lists(st.integers(0, 60), max_size=5),
    st.integers(1, 9),
    st.integers(0, 2**70),
)
def test_every_row_leaves_once_in_an_order_free_of_chunks_and_batches(
    rows, window, cuts, size, seed
):
    options = {"label": "label", "shuffle": True, "window_rows": window, "seed": seed}
    whole = emitted(loader(numbered(rows), batch_size=4, **options))
    parts = emitted(loader(*split(numbered(rows), cuts), batch_size=size, **options))

    assert sorted(whole) == list(range(rows))
    assert parts == whole


def test_seed_and_epoch_decide_the_order():
    def orders(seed):
        batches = loader(numbered(50), seed=seed, **OPTIONS)
        return [emitted(batches) for _ in range(3)]

    assert orders(1) == orders(1)
    assert len({tuple(order) for order in orders(1) + orders(2)}) == 6


def test_an_epoch_can_be_resumed():
    whole = loader(numbered(50), **OPTIONS)
    orders = [emitted(whole) for _ in range(3)]
    resumed = loader(numbered(50), **OPTIONS)
    resumed.set_epoch(2)

    assert whole.epoch == 3
    assert emitted(resumed) == orders[2]
    assert resumed.epoch == 3


@pytest.mark.parametrize("window", [4, 5, 100])
def test_rows_that_fit_into_the_window_are_shuffled_perfectly(window):
    batches = loader(numbered(4), window_rows=window, **OPTIONS)
    counts = {}
    for _ in range(960):
        order = tuple(emitted(batches))
        counts[order] = counts.get(order, 0) + 1

    # Each of 24 orders 40 times; chi-squared of 23 degrees is above 64.8 once in 100,000.
    assert len(counts) == 24
    assert sum((count - 40) ** 2 / 40 for count in counts.values()) < 64.8


def test_a_window_mixes_beyond_its_own_rows():
    order = np.array(emitted(loader(numbered(10_000), window_rows=1_000, **OPTIONS)))
    late = np.arange(10_000) - order  # places by which a row leaves later than it came

    assert late.min() >= -1_000
    assert late.max() > 1_500
    assert np.abs(np.diff(order)).mean() > 250


def test_without_shuffle_the_order_is_that_of_the_tables():
    assert emitted(loader(numbered(50), batch_size=7, label="label")) == list(range(50))
