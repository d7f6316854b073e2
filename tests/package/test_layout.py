import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import batchprep

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 400
# Loaded on first use only: each would cost every user of the package 50 to 500 ms.
LAZY = ("click", "cupy", "numba", "pandas", "polars", "rich", "torch", "tqdm")
ABSOLUTE_PATH = re.compile(r"(?<![\w.~/:-])/(?:home|mnt|opt|root|tmp|Users|work)/")


def python_files():
    for folder in ("src", "kernels", "tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            # The symlink in src shows the files of kernels a second time.
            if not path.is_relative_to(ROOT / "src" / "batchprep" / "kernels"):
                yield path


def documents():
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *kernel_notes()]


def kernel_notes():
    return sorted((ROOT / "kernels").rglob("*.md"))


def modules_after(statement):
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_no_file_is_longer_than_400_lines():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files()
    }

    assert lengths
    assert {path: n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_import_loads_no_heavy_or_optional_package():
    loaded = modules_after("import batchprep")

    assert "batchprep" in loaded
    assert loaded.intersection(LAZY) == set()


def test_a_first_call_of_records_loads_no_heavy_or_optional_package():
    loaded = modules_after("from tests.package.first_calls import run; run()")

    assert loaded.intersection(LAZY) == set()


def test_import_warns_of_nothing():
    command = [sys.executable, "-W", "error", "-c", "import batchprep"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert batchprep.__version__ == project["version"]
    assert metadata.version("batchprep") == project["version"]


def test_changelog_knows_the_version():
    assert f"## [{batchprep.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_package_is_typed():
    assert (Path(batchprep.__file__).parent / "py.typed").is_file()


def test_public_names_exist_and_are_sorted():
    public = list(batchprep.__all__)

    assert public == sorted(public)
    assert [name for name in public if not hasattr(batchprep, name)] == []


def test_kernels_are_the_folder_at_the_top():
    link = ROOT / "src" / "batchprep" / "kernels"

    assert link.is_symlink()
    assert link.resolve() == ROOT / "kernels"


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_mention_no_machine_path(path):
    assert ABSOLUTE_PATH.findall(path.read_text(encoding="utf-8")) == []
