"""The C spellings of the op table, as plain C++, give the bits of the meanings."""

import itertools
import shutil
import subprocess

import pytest

from tests.backends.cpp import EXACT_IN_C, HEADERS, INCLUDES, CppStage, compiled
from tests.backends.graphs import random_inputs, random_stage
from tests.backends.test_agreement import assert_equal
from tests.backends.traced import traced_stage
from tests.ops.stages import run

UNITS = 5
STAGES_PER_UNIT = 20
ROWS = 300

without_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


@without_compiler
@pytest.mark.parametrize("unit", range(UNITS))
def test_generated_cpp_agrees_with_the_meanings(unit, tmp_path):
    seeds = range(1000 + unit * STAGES_PER_UNIT, 1000 + (unit + 1) * STAGES_PER_UNIT)
    stages = [CppStage(f"stage_{s}", random_stage(s, size=40, allowed=EXACT_IN_C)) for s in seeds]
    library = compiled(stages, tmp_path)

    for seed, cpp in zip(seeds, stages, strict=True):
        inputs = random_inputs(cpp.stage, ROWS, seed)
        expected = run("python", cpp.stage, inputs, ROWS)
        assert_equal(cpp(library, inputs, ROWS), expected, cpp.stage)


@without_compiler
@pytest.mark.parametrize("unit", range(UNITS))
def test_generated_functions_agree_with_the_meanings(unit, tmp_path):
    numbers = itertools.count(1_000_000 * (unit + 1))
    found = (traced_stage(number, ROWS) for number in numbers)
    chosen = list(itertools.islice(filter(None, found), STAGES_PER_UNIT))
    stages = [CppStage(f"function_{place}", stage) for place, (stage, _) in enumerate(chosen)]
    library = compiled(stages, tmp_path)

    for cpp, (_, inputs) in zip(stages, chosen, strict=True):
        expected = run("python", cpp.stage, inputs, ROWS)
        assert_equal(cpp(library, inputs, ROWS), expected, cpp.stage)


@without_compiler
def test_every_op_with_a_c_spelling_compiles(tmp_path):
    source = tmp_path / "headers.cpp"
    source.write_text(INCLUDES + "int main() { return 0; }\n")
    flags = ["-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-fsyntax-only", f"-I{HEADERS}"]
    subprocess.run(["g++", *flags, str(source)], check=True)


def test_the_generated_stages_use_every_op_with_an_exact_c_spelling():
    used = set()
    for seed in range(1000, 1000 + UNITS * STAGES_PER_UNIT):
        used |= {
            n.op for n in CppStage("stage", random_stage(seed, size=40, allowed=EXACT_IN_C)).order
        }

    assert used.issuperset(EXACT_IN_C)
