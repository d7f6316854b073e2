"""Row functions as people write them: over two processes as in a loop, or known to have effects."""

import copy
import math

import pytest

from batchprep.api.programs import copies_of
from batchprep.batch.batch import from_records
from batchprep.errors import Unsupported
from batchprep.run import workers, workers_pool
from batchprep.run.program import Options, Program
from batchprep.run.workers_body import Impure
from batchprep.run.workers_judge import judge
from tests.cases.shared import ABSENT, CASES, record_cases
from tests.run.programs import run

pytestmark = pytest.mark.skipif(CASES is None, reason=ABSENT)


def name(case):
    return case.name


@pytest.mark.parametrize("case", record_cases(vectorisable=True), ids=name)
def test_case_gives_what_the_loop_gives(case, monkeypatch):
    monkeypatch.setattr(workers, "LEAST_SAVED", -math.inf)
    monkeypatch.setattr(workers, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(workers_pool, "START_SECONDS", -math.inf)
    records = case.make(200, 1)
    copies = copies_of(case.function, mutable=True)
    program = Program(
        function=case.function, name=case.name, trace=None, unsupported=Unsupported("as asked"),
        copies=copies,
    )  # fmt: skip

    def over(count):
        options = Options(on_error="null", python_workers=count)
        return run(program, from_records(copy.deepcopy(records)), options)

    one, two = over(1), over(2)

    assert list(map(repr, two.results)) == list(map(repr, one.results))
    assert two.report.failed == one.report.failed


@pytest.mark.parametrize("case", record_cases(vectorisable=False), ids=name)
def test_case_with_a_clock_chance_or_state_is_not_shared(case):
    with pytest.raises(Impure):
        judge(case.function)
