"""The seeded faults are those of the sources as they are."""

from pathlib import Path

import pytest

from tests.mutants.__main__ import ROOT
from tests.mutants.faults import FAULTS


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_of_a_fault_stands_once_in_the_sources(fault):
    text = (ROOT / "src" / fault.file).read_text(encoding="utf-8")

    assert text.count(fault.old) == 1
    assert fault.new != fault.old


def test_faults_are_named_apart():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("first", sorted({fault.first for fault in FAULTS if fault.first}))
def test_the_tests_that_find_a_fault_are_there(first):
    for name in first.split():
        assert Path(ROOT, name.partition("::")[0]).exists()
