import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "---- block ----"


def blocks():
    return BLOCK.findall(README.read_text(encoding="utf-8"))


def run_as_one_script(tmp_path):
    """What each python block prints, run in order in a fresh interpreter."""
    pieces = [code for language, code in blocks() if language == "python"]
    script = tmp_path / "readme.py"
    script.write_text(f"\nprint({MARK!r})\n".join(pieces), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    return [output.lstrip("\n") for output in run.stdout.split(MARK)]


def test_code_prints_what_the_readme_says(tmp_path):
    printed = iter(run_as_one_script(tmp_path))
    shown = blocks()

    for position, (language, _) in enumerate(shown):
        if language != "python":
            continue
        output = next(printed)
        following = shown[position + 1] if position + 1 < len(shown) else ("", "")
        if following[0] == "text":
            assert output == following[1]


def test_first_screen_has_code_and_the_numbers_have_a_place():
    text = README.read_text(encoding="utf-8")

    assert text.index("```python") < text.index("\n", 200)
    assert text.count("<!-- numbers -->") == 1
