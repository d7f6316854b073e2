"""The layout of objects that machine code reads is measured first, and not believed."""

import types

import pytest

from batchprep.batch import object_layout
from batchprep.batch.object_layout import layout_of
from batchprep.kernels.cpu import objects


def with_places(**changed):
    return types.SimpleNamespace(**{**vars(objects), **changed})


def test_every_part_but_one_kind_of_ints_and_of_strings_holds_here():
    ints = objects.SIZED_INTS + objects.TAGGED_INTS
    texts = objects.WIDE_TEXTS + objects.TEXTS
    rest = objects.DICTS + objects.FLOATS + objects.TIMES + objects.LISTS
    found = layout_of(objects)

    assert found & ~ints & ~texts == rest
    assert found & ints in {objects.SIZED_INTS, objects.TAGGED_INTS}
    assert found & texts in {objects.WIDE_TEXTS, objects.TEXTS}


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        (objects.DICTS, {"STRINGS": 0}),
        (objects.DICTS, {"ENTRY_VALUE": 0}),
        (objects.DICTS, {"OF_ANY_TYPE": 1}),
        (objects.LISTS, {"LIST_ITEMS": 8}),
        (objects.DICTS, {"STRING_HASH": 16}),
        (objects.FLOATS, {"FLOAT_VALUE": 8}),
        (objects.WIDE_TEXTS + objects.TEXTS, {"STRING_LENGTH": 8}),
        (objects.WIDE_TEXTS + objects.TEXTS, {"STRING_STATE": 24}),
        (objects.WIDE_TEXTS + objects.TEXTS, {"STATE": 0b1_1100}),
        (objects.WIDE_TEXTS + objects.TEXTS, {"ASCII": 0b10_0100}),
        (objects.WIDE_TEXTS + objects.TEXTS, {"WIDE_TEXT": 49, "TEXT": 41}),
        (objects.TIMES, {"DATE": 24}),
        (objects.TIMES, {"FOLD": 34}),
        (objects.TIMES, {"HAS_ZONE": 25}),
        (objects.SIZED_INTS + objects.TAGGED_INTS, {"INT_DIGIT": 20}),
        (objects.SIZED_INTS + objects.TAGGED_INTS, {"INT_SIZE": 8}),
        (objects.SIZED_INTS + objects.TAGGED_INTS, {"DIGIT_BITS": 29}),
        (objects.SIZED_INTS + objects.TAGGED_INTS, {"HIGHEST_DIGIT": 9}),
        (objects.SIZED_INTS + objects.TAGGED_INTS, {"FEW_DIGITS": 2}),
    ],
)
def test_a_part_that_is_elsewhere_is_not_used(part, changed):
    assert layout_of(with_places(**changed)) == layout_of(objects) & ~part


@pytest.mark.parametrize("version", [(3, 10, 9), (3, 14, 0)])
def test_versions_that_nobody_has_seen_are_not_looked_at(monkeypatch, version):
    monkeypatch.setattr(object_layout.sys, "version_info", version)

    assert layout_of(with_places(DICT_KEYS=None)) == 0
